"""Dictionaries in definition files: in line, or a file beside it."""

from pathlib import Path

from django.core.exceptions import ValidationError

from reports.definitions.dictionary import Entry
from reports.definitions.proposal import LISTED, Proposal, propose
from reports.definitions.rows import rows_of_csv, rows_of_lines, rows_of_list


class DictionaryFiles:
    """The dictionaries of one definition file. One that several use cases name is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[tuple[str, str, bool], list[Entry]] = {}

    def read(self, source: object, profile: str, *, keep_case: bool) -> list[Entry]:
        """The entries of a list or a file. Raises `ValidationError` if any of them cannot be counted."""
        if isinstance(source, list):
            return _checked(
                propose(rows_of_list(source), lambda number: f"entry {number}", profile, keep_case=keep_case)
            )
        if isinstance(source, dict) and source.keys() == {"file"} and isinstance(source["file"], str):
            key = source["file"], profile, keep_case
            if key not in self._read:
                self._read[key] = _checked(_read_file(self.folder / source["file"], profile, keep_case))
            return self._read[key]
        raise ValidationError('must be a list of elements, or {"file": "name"}')


def _read_file(path: Path, profile: str, keep_case: bool) -> Proposal:
    def where(number: int) -> str:
        return f"{path.name} line {number}"

    is_csv = path.suffix.lower() == ".csv"
    try:
        # The mark that spreadsheets write is no part of an element; line ends within quotes are.
        with path.open(encoding="utf-8-sig", newline="" if is_csv else None) as lines:
            rows = rows_of_csv(lines, where) if is_csv else rows_of_lines(lines)
            return propose(rows, where, profile, keep_case=keep_case)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ValidationError(f"cannot read {path.name}: {reason}") from None


def _checked(proposal: Proposal) -> list[Entry]:
    """In a file, which people keep, nothing is left out in silence."""
    found = [(entry.number, f"{entry.where}: {entry.written} {entry.reason}") for entry in proposal.refused]
    found += [
        (entry.number, f"{entry.where}: {entry.written} is the same element as {entry.kept}; keep one of them")
        for entry in proposal.merged
    ]
    problems = [problem for _number, problem in sorted(found)[:LISTED]]
    more = proposal.refused_count + proposal.merged_count - len(problems)
    if more:
        problems.append(f"{more} more entries are wrong in these ways")
    if problems:
        raise ValidationError(problems)
    return proposal.entries
