"""Dictionaries of definition files: in line, or in a file beside them."""

from pathlib import Path

from django.core.exceptions import ValidationError

from reports.definitions.dictionary import Entry
from reports.definitions.dictionary_rows import rows_of_csv, rows_of_lines, rows_of_list
from reports.definitions.proposal import LISTED, Proposal, propose
from reports.models import Version


class DictionaryFiles:
    """Dictionaries of one definition file. A file that several use cases name is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[tuple[str, str, bool], list[Entry]] = {}

    def read(self, source: object, version: Version) -> list[Entry]:
        """Return the entries of a list or a file. Raises `ValidationError` if any cannot be counted."""
        if isinstance(source, list):
            return _checked(propose(rows_of_list(source), lambda number: f"entry {number}", version))
        if isinstance(source, dict) and source.keys() == {"file"} and isinstance(source["file"], str):
            key = source["file"], version.normalization, version.keep_case
            if key not in self._read:
                self._read[key] = _checked(_read_file(self.folder / source["file"], version))
            return self._read[key]
        raise ValidationError('must be a list of elements, or {"file": "name"}')


def _read_file(path: Path, version: Version) -> Proposal:
    def where(number: int) -> str:
        return f"{path.name} line {number}"

    is_csv = path.suffix.lower() == ".csv"
    try:
        # The mark that spreadsheets write is no part of an element; line ends within quotes are.
        with path.open(encoding="utf-8-sig", newline="" if is_csv else None) as lines:
            return propose(rows_of_csv(lines, where) if is_csv else rows_of_lines(lines), where, version)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ValidationError(f"cannot read {path.name}: {reason}") from None


def _checked(proposal: Proposal) -> list[Entry]:
    """Return the entries, or refuse all of them with their problems: nothing is left out in silence."""
    found = [(entry.number, f"{entry.where}: {entry.written} {entry.outcome}") for entry in proposal.refused]
    found += [
        (entry.number, f"{entry.where}: {entry.written} is the same element as {entry.outcome}; keep one of them")
        for entry in proposal.merged
    ]
    problems = [problem for _number, problem in sorted(found)[:LISTED]]
    more = proposal.refused.total + proposal.merged.total - len(problems)
    if more:
        problems.append(f"{more} more entries are wrong in these ways")
    if problems:
        raise ValidationError(problems)
    return proposal.entries
