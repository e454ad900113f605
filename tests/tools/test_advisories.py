"""Messages about locked dependencies: known holes, none, or that no database could be asked."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ldpsite.env import BASE_DIR
from tools.advisories import main

pytestmark = pytest.mark.exact

SOUND = {"name": "sound", "version": "1.0", "vulns": []}
HOLED = {
    "name": "holed",
    "version": "2.0",
    "vulns": [
        {"id": "ADV-1", "fix_versions": ["2.1"], "aliases": [], "description": "…"},
        {"id": "ADV-2", "fix_versions": [], "aliases": [], "description": "…"},
    ],
}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found"}
NOT_AUDITED = "Dependencies are not audited: no advisory database can be reached."


def judged(capsys: pytest.CaptureFixture[str], dependencies: list[dict[str, Any]] | None) -> tuple[int, list[str]]:
    """Return the judgement of an audit that ends like this; None for one that gets no answer."""
    program = "import sys; sys.exit('requests.exceptions.ConnectionError: no route to host')"
    if dependencies is not None:
        found = json.dumps({"dependencies": dependencies, "fixes": []})
        holes = any(each.get("vulns") for each in dependencies)
        program = f"import sys; print({found!r}); sys.exit({int(holes)})"
    code = main(["requirements.txt"], [sys.executable, "-c", program])
    return code, capsys.readouterr().out.splitlines()


def test_no_known_hole(capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(capsys, [SOUND, SOUND]) == (0, ["Dependencies audited: 1; known holes: 0."])


def test_a_known_hole_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = judged(capsys, [SOUND, HOLED, UNKNOWN])
    assert code == 1
    assert lines == [
        "holed 2.0: ADV-1, mended in 2.1",
        "holed 2.0: ADV-2, mended in no release",
        "Not audited, for the database does not know them: unknown.",
        "Dependencies audited: 2; known holes: 2.",
    ]


@pytest.mark.parametrize("dependencies", [None, [], [UNKNOWN]])
def test_no_answer_is_not_taken_for_a_good_one(
    capsys: pytest.CaptureFixture[str], dependencies: list[dict[str, Any]] | None
) -> None:
    """Where an index has no advisories, pip-audit skips everything, says that no hole is known, and ends well."""
    code, (line,) = judged(capsys, dependencies)
    assert (code, line.startswith(NOT_AUDITED)) == (0, True)
    assert (BASE_DIR / "docs" / "dependencies.md").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c", "import sys; sys.exit('error: unrecognized arguments: --wrong')"], "unrecognized arguments: --wrong"),
        (["-c", "raise ValueError('a crash')"], "ValueError: a crash"),
        (["-m", "no_such_auditor"], "No module named no_such_auditor"),
    ],
)
def test_an_audit_that_fails_is_not_taken_for_an_unreachable_database(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["requirements.txt"], [sys.executable, *arguments]) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[-1].endswith(words)
    assert NOT_AUDITED not in said


def test_the_list_of_dependencies_has_every_pin(tmp_path: Path) -> None:
    made = tmp_path / "sbom.cdx.json"
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", "requirements.txt", "--output-reproducible"]
    command += ["--no-validate"]  # which takes most of the time, and `make sbom` does it
    subprocess.run([*command, "--output-file", str(made)], cwd=BASE_DIR, check=True)
    content = json.loads(made.read_text(encoding="utf-8"))
    assert content["bomFormat"] == "CycloneDX"
    pins = re.findall(
        r"^([\w.-]+)==([\w.]+)", (BASE_DIR / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {(each["name"], each["version"]) for each in content["components"]} == set(pins)
    assert all(reference["hashes"] for each in content["components"] for reference in each["externalReferences"])
