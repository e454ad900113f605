"""The command: python -m aggregation.device."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from aggregation.device.__main__ import main
from tests.aggregation.device.helpers import CONFIGURATION

pytestmark = pytest.mark.exact


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "configuration.json").write_bytes(CONFIGURATION)
    (tmp_path / "words.txt").write_text("Known\nother\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> None:
    main(["--folder", str(folder / "device"), *arguments])


def refused(folder: Path, *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        run(folder, *arguments)
    return str(caught.value)


def ready(folder: Path) -> None:
    run(folder, "opt-in", "--epsilon-per-day", "28")
    run(folder, "configure", str(folder / "configuration.json"))


def test_a_life(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(folder, "observe", "energy", "www.example.org")
    assert capsys.readouterr().out == "the owner has not opted in\n"
    ready(folder)
    shown = capsys.readouterr().out
    assert hashlib.sha256(CONFIGURATION).hexdigest() in shown
    assert "at most ε = 28 a day" in shown
    assert "energy (Energy): at most 2 a day, shared in web, ε = 4 each; locales und" in shown
    run(folder, "observe", "emoji", "😂", "--locale", "en_US")
    run(folder, "observe", "emoji", "😂")
    assert capsys.readouterr().out == "held\nthe use case does not have this locale\n"
    run(folder, "send", "https://reports.example.org")
    assert capsys.readouterr().out == "Nothing was sent: nothing is due that may be sent today.\n"
    run(folder, "show")
    shown = capsys.readouterr().out
    assert "Opted in, to at most ε = 28 a day." in shown
    held = json.loads(shown[shown.index("[") : shown.index("Sent in the last 30 days:")])
    assert held[0]["segments"][0]["use_case"] == "emoji"
    run(folder, "opt-out")
    run(folder, "show")
    assert "Dormant" in capsys.readouterr().out


def test_known_words_are_not_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ready(folder)
    capsys.readouterr()
    for word in ("KNOWN", "unknown"):
        run(folder, "observe", "words", word, "--locale", "en", "--local-words", str(folder / "words.txt"))
    assert capsys.readouterr().out == "the use case does not report such a text\nheld\n"


def test_errors_are_plain_sentences(folder: Path) -> None:
    (folder / "broken.json").write_text("{", encoding="utf-8")
    assert refused(folder, "configure", str(folder / "configuration.json")).startswith("error: The device is dormant")
    assert refused(folder, "opt-in", "--epsilon-per-day", "much").startswith("error: ε a day must be a number")
    ready(folder)
    assert refused(folder, "configure", str(folder / "broken.json")).startswith(
        "error: The device configuration is not"
    )
    assert refused(folder, "configure", str(folder / "none.json")).endswith("none.json: No such file or directory")
    assert refused(folder, "configure", "http://reports.example.org").startswith("error: The server's address must")
    assert "cannot be reached" in refused(folder, "configure", "http://localhost:1")
    (folder / "device").chmod(0o755)
    assert "chmod 700" in refused(folder, "opt-out")


@pytest.mark.parametrize("arguments", [[], ["fly"], ["opt-in"], ["observe", "emoji"], ["send"]])
def test_wrong_usage(folder: Path, arguments: list[str]) -> None:
    assert refused(folder, *arguments) == "2"


def test_it_runs_without_django_and_reads_from_standard_input(folder: Path) -> None:
    ready(folder)
    program = (
        "import sys, runpy; sys.modules['django'] = None; runpy.run_module('aggregation.device', run_name='__main__')"
    )
    options = ["--folder", str(folder / "device"), "observe", "emoji", "-", "--locale", "en_US"]
    result = subprocess.run(
        [sys.executable, "-c", program, *options], input="😂\n", capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "held\n", "")
