"""Known holes in what is locked, as an advisory database has them, or a sentence that none could be asked."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

PIP_AUDIT: Final = (sys.executable, "-m", "pip_audit")
_OPTIONS: Final = ("--require-hashes", "--disable-pip", "--format=json", "--progress-spinner=off", "--timeout=5")
# Longer than any answer takes, where there is one.
_SECONDS: Final = 300
# Messages of pip-audit, or ends of its tracebacks, when it gets no answer.
_UNREACHABLE: Final = re.compile(r"(Connection|Proxy|SSL)Error|(Connect|Read)Timeout|your network may be blocking")
# The last lines of an error say what it was.
_LAST_LINES: Final = 5
_RECORD: Final = "docs/dependencies.md"


class AuditFailed(Exception):
    """The program that audits ended without a finding, for another reason than an unreachable database."""


def main(locks: Sequence[str], command: Sequence[str] = PIP_AUDIT) -> int:
    """Print what is known about the dependencies of lock files; return 1 if a hole is known or the audit failed."""
    try:
        found = _ask(locks, command)
    except AuditFailed as error:
        print(f"The audit of the dependencies failed:\n{error}")
        return 1
    # pip-audit finds no hole either in what its database does not know.
    audited = [each for each in found if "vulns" in each]
    if not audited:
        print(f"Dependencies are not audited: no advisory database can be reached. {_RECORD} says when they last were.")
        return 0
    holes = sorted(set(_holes(audited)))
    for hole in holes:
        print(hole)
    unknown = sorted({each["name"] for each in found if "vulns" not in each})
    if unknown:
        print(f"Not audited, for the database does not know them: {', '.join(unknown)}.")
    print(f"Dependencies audited: {len({each['name'] for each in audited})}; known holes: {len(holes)}.")
    return 1 if holes else 0


def _ask(locks: Sequence[str], command: Sequence[str]) -> list[dict[str, Any]]:
    """Return what pip-audit says of each dependency; nothing if it gets no answer. Raises `AuditFailed`."""
    files = [option for lock in locks for option in ("--requirement", lock)]
    try:
        answer = subprocess.run(
            [*command, *_OPTIONS, *files], capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return []
    try:
        dependencies: list[dict[str, Any]] = json.loads(answer.stdout)["dependencies"]
    except json.JSONDecodeError:
        if _UNREACHABLE.search(answer.stderr):
            return []
        raise AuditFailed("\n".join(answer.stderr.splitlines()[-_LAST_LINES:])) from None
    return dependencies


def _holes(audited: Iterable[dict[str, Any]]) -> Iterator[str]:
    for each in audited:
        for hole in each["vulns"]:
            mended = ", ".join(hole["fix_versions"]) or "no release"
            yield f"{each['name']} {each['version']}: {hole['id']}, mended in {mended}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
