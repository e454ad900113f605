"""The command: python -m aggregation.device."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from aggregation.device import Device
from aggregation.device.__main__ import main
from tests.aggregation.device.helpers import CONFIGURATION, SERVER, Server

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


Out = pytest.CaptureFixture[str]


def test_a_life(folder: Path, capsys: Out) -> None:
    run(folder, "observe", "energy", "www.example.org")
    assert capsys.readouterr().out == "Nothing is held: the owner has not opted in.\n"
    ready(folder)
    shown = capsys.readouterr().out
    sha256 = hashlib.sha256(CONFIGURATION).hexdigest()
    assert sha256 in shown
    assert "at most ε = 28 a day" in shown
    assert "energy (Energy): at most 2 a day, shared in web, ε = 4 each; locales und" in shown
    run(folder, "observe", "emoji", "😂", "--locale", "en_US")
    # Where there is one locale only, it need not be said.
    run(folder, "observe", "energy", "www.example.org")
    assert capsys.readouterr().out == "held\nheld\n"
    run(folder, "send", SERVER)
    due = "Nothing was sent: nothing is due yet.\n"
    assert capsys.readouterr().out == due + "ε: today 0 of the 28 you agreed to.\n"
    run(folder, "show")
    shown = capsys.readouterr().out
    assert shown.startswith("Opted in.\nε: today 0 of the 28 you agreed to.\n")
    assert f"costs at most ε = 28 a day, SHA-256 {sha256}." in shown
    assert ": 1 record for emoji (en_US), 1 record for energy (und); due " in shown
    assert "Sent in the last 30 days: nothing." in shown
    run(folder, "opt-out")
    assert "Opted out. All that was held is deleted" in capsys.readouterr().out
    run(folder, "show")
    shown = capsys.readouterr().out
    assert shown.startswith("Dormant: the owner has not opted in.\n")
    assert "Held: nothing." in shown
    assert sha256 in shown


def test_known_words_and_other_text_are_not_reported(folder: Path, capsys: Out) -> None:
    ready(folder)
    capsys.readouterr()
    for word in ("KNOWN", "unknown"):
        run(folder, "observe", "words", word, "--locale", "en", "--local-words", str(folder / "words.txt"))
    run(folder, "observe", "emoji", "hello", "--locale", "en_US")
    run(folder, "observe", "energy", "hello")
    assert capsys.readouterr().out.splitlines() == [
        "Nothing is held: words reports only words of its alphabet that the device does not know.",
        "held",
        "Nothing is held: emoji reports only a text that is one emoji.",
        "Nothing is held: energy reports only names of hosts, such as www.example.org.",
    ]


def test_what_nobody_asked_for_is_an_error(folder: Path) -> None:
    run(folder, "opt-in", "--epsilon-per-day", "28")
    assert (
        refused(folder, "observe", "emoji", "😂") == "error: The device has no configuration yet: configure it first."
    )
    ready(folder)
    known = "there are: emoji, energy, memory, words."
    assert refused(folder, "observe", "cats", "x") == f"error: The device configuration has no use case 'cats'; {known}"
    assert refused(folder, "observe", "emoji", "😂") == "error: Say --locale: emoji has the locales en_US, fr_FR."
    for slug, locale, locales in (("emoji", "de_DE", "en_US, fr_FR"), ("energy", "en_US", "und")):
        expected = f"error: {slug} has no locale '{locale}'; there are: {locales}."
        assert refused(folder, "observe", slug, "😂", "--locale", locale) == expected


def test_agreeing_to_less_says_what_is_dropped(folder: Path, capsys: Out) -> None:
    ready(folder)
    for _ in range(3):
        run(folder, "observe", "energy", "www.example.org")
    capsys.readouterr()
    run(folder, "opt-in", "--epsilon-per-day", "30")
    run(folder, "opt-in", "--epsilon-per-day", "8")
    assert capsys.readouterr().out.splitlines() == [
        "Opted in: reports may cost at most ε = 30 a day, all use cases together.",
        "Opted in: reports may cost at most ε = 8 a day, all use cases together.",
        "The configuration costs 28 and is dropped, with 3 held records.",
    ]
    run(folder, "show")
    assert "Device configuration: none.\nHeld: nothing." in capsys.readouterr().out


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    there = Server()
    monkeypatch.setattr("aggregation.device.__main__.Device", partial(Device, transport=there, sleep=lambda _: None))
    return there


def test_sending_says_what_was_dropped_and_what_it_cost(folder: Path, server: Server, capsys: Out) -> None:
    ready(folder)
    for _ in range(5):
        run(folder, "observe", "energy", "www.example.org")
    capsys.readouterr()
    run(folder, "send", "--now", SERVER)
    assert capsys.readouterr().out.splitlines() == [
        "A document with 2 reports: the server has accepted it (202).",
        "Dropped: 3 held records, more than may be sent today.",
        "ε: today 8 of the 28 you agreed to.",
    ]
    run(folder, "show")
    shown = capsys.readouterr().out
    assert "ε: today 8 of the 28 you agreed to." in shown
    assert ": 2 reports for energy (und); accepted" in shown
    assert f"last document: {Device(folder / 'device').state().spent_on}, ε = 8\n" in shown
    (segment,) = next(server.documents())["segments"]
    assert not any(record in shown for record in segment["records"])
    run(folder, "observe", "energy", "www.example.org")
    capsys.readouterr()
    run(folder, "send", "--now", SERVER)
    assert capsys.readouterr().out.splitlines() == [
        "Nothing was sent: today's document has left; the next may leave tomorrow (UTC).",
        "ε: today 8 of the 28 you agreed to.",
    ]
    run(folder, "opt-out")
    run(folder, "send", SERVER)
    assert capsys.readouterr().out.endswith("\nNothing was sent: the owner has not opted in.\n")


@pytest.mark.parametrize(("answer", "words"), [(422, "the server has refused it"), (503, "no answer came")])
def test_a_document_that_is_not_accepted_is_an_error(
    folder: Path, server: Server, capsys: Out, answer: int, words: str
) -> None:
    ready(folder)
    run(folder, "observe", "energy", "www.example.org")
    server.answers = [answer] * 5
    assert refused(folder, "send", "--now", SERVER) == "1"
    shown = capsys.readouterr().out
    assert f"A document with 1 report: {words}" in shown
    assert shown.endswith("ε: today 4 of the 28 you agreed to.\n")


def test_every_record_can_be_seen(folder: Path, server: Server, capsys: Out) -> None:
    ready(folder)
    for _ in range(2):
        run(folder, "observe", "energy", "www.example.org")
    run(folder, "send", "--now", SERVER)
    run(folder, "observe", "emoji", "😂", "--locale", "en_US")
    capsys.readouterr()
    device = Device(folder / "device")
    run(folder, "show", "--all")
    shown = capsys.readouterr().out
    held, sent = shown.split("All that is held:\n")[1].split("All that was sent:\n")
    assert (json.loads(held), json.loads(sent)) == (device.stored(), device.sent())
    assert [each["document"] for each in json.loads(sent)] == list(server.documents())
    run(folder, "show", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told.pop("held"), told.pop("sent")) == (device.stored(), device.sent())
    state = device.state()
    assert told == {
        "epsilon_agreed": 28,
        "epsilon_today": 8,
        "configuration_sha256": state.configured_sha256,
        "configured_on": str(state.configured_on),
        "last_document_on": str(state.spent_on),
        "epsilon_of_last_document": 8,
    }


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


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["opt-in"], ["observe", "emoji"], ["send"], ["show", "--all", "--json"]]
)
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


def test_errors_go_to_standard_error(folder: Path) -> None:
    command = [sys.executable, "-m", "aggregation.device", "--folder", str(folder / "device"), "configure", "nowhere"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: nowhere: No such file or directory\n"


def test_a_reader_who_has_had_enough_ends_it_quietly(folder: Path) -> None:
    """Also where Python has kept all that was printed until the end."""
    ready(folder)
    for _ in range(150):
        run(folder, "observe", "energy", "www.example.org")
    for arguments in (["show"], ["show", "--all"]):
        read, write = os.pipe()
        os.close(read)
        command = [sys.executable, "-m", "aggregation.device", "--folder", str(folder / "device"), *arguments]
        result = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, text=True)
        os.close(write)
        assert (result.returncode, result.stderr) == (128 + signal.SIGPIPE, ""), arguments
