"""A histogram as JSON and CSV: the same numbers, unrounded, with where they come from."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reports.models import Histogram, HistogramEntry
from reports.results.names import unpadded
from reports.results.query import HistogramQuery
from reports.results.words import Word

ENTRY_FIELDS = (
    "element",
    "display",
    "estimate",
    "standard_error",
    "lower",
    "upper",
    "adjusted_lower",
    "adjusted_upper",
    "rank",
    "category",
    "members",
    "threshold",
    # Only where the dictionary holds every possible element, and not of what was published long ago.
    "consistent",
)
# Of discovered words, behind those that all entries have.
WORD_FIELDS = (
    "first_seen",
    "last_seen",
    "is_new",
    "may_be_prefix",
    "lacks_last_letter_of",
    "verdict",
    "dictionary",
)
_TEXT_FIELDS = {"element", "display", "category", "lacks_last_letter_of", "dictionary"}
# A spreadsheet takes a cell that begins like this for a formula, and elements may be chosen by strangers. A dictionary
# may be called -2-3.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def histogram_document(histogram: Histogram, entries: Sequence[HistogramEntry], values: str = "") -> dict[str, Any]:
    """The histogram with the entries to show, ready to be written as JSON. `values` says which of theirs are shown."""
    version, revision = histogram.version, histogram.revision
    return {
        "use_case": version.use_case.slug,
        "version": version.number,
        "locale": histogram.locale,
        "grouping": histogram.grouping,
        "first_day": histogram.first_day.isoformat(),
        "last_day": histogram.last_day.isoformat(),
        "n": histogram.n,
        "algorithm": version.algorithm,
        "parameters": version.mechanism.wire_parameters(),
        "dictionary_revision": revision.number if revision is not None else None,
        "dictionary_size": revision.size if revision is not None else None,
        "alpha": histogram.alpha,
        "threshold": histogram.threshold,
        "below_threshold": histogram.below_threshold,
        "values": values or "raw",
        "generated_at": histogram.generated_at.isoformat(),
        "entries": [_entry(histogram, entry) for entry in entries],
    }


def words_document(
    histogram: Histogram, entries: Sequence[tuple[HistogramEntry, Word]], query: HistogramQuery
) -> dict[str, Any]:
    """The same of discovered words, with how they were found and what was decided about them.

    Notes, and who decided, stay here: they were written for those who may see this site.
    """
    document = histogram_document(histogram, [entry for entry, _word in entries])
    written = [
        plain | _word_fields(entry, word) for plain, (entry, word) in zip(document["entries"], entries, strict=True)
    ]
    discovery = histogram.discovery
    return document | {
        "words": query.words or "not rejected",
        "candidates": discovery.candidates,
        "smallest_share": discovery.smallest_share,
        "reports_by_position": discovery.reports,
        "cuts": discovery.cuts,
        "kept": discovery.kept,
        "capped": discovery.capped,
        "joined": discovery.joined,
        "strictness": discovery.strictness,
        "entries": written,
    }


def _word_fields(entry: HistogramEntry, word: Word) -> dict[str, Any]:
    return {
        "first_seen": entry.first_day and entry.first_day.isoformat(),
        "last_seen": entry.last_day and entry.last_day.isoformat(),
        "is_new": entry.is_new,
        "may_be_prefix": word.may_be_prefix,
        "lacks_last_letter_of": word.lacks_last_letter_of,
        "verdict": word.verdict,
        "dictionary": word.dictionary,
    }


def threshold_of(histogram: Histogram, entry: HistogramEntry) -> float:
    """What an entry had to reach: as a group its own threshold, as an element that of all."""
    threshold = histogram.threshold if entry.threshold is None else entry.threshold
    if threshold is None:
        raise ValueError("A histogram has one threshold, or each of its entries has.")
    return threshold


def _entry(histogram: Histogram, entry: HistogramEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in ENTRY_FIELDS} | {
        "element": unpadded(histogram.version, entry.element),
        "threshold": threshold_of(histogram, entry),
        # The dictionary may have been called complete only for a while.
        "consistent": entry.consistent if histogram.version.use_case.dictionary_complete else None,
    }


def flat(document: dict[str, Any]) -> tuple[list[str], Iterator[list[Any]]]:
    """The document as one table: its columns, and a line per entry with the provenance repeated behind."""
    # Each entry has its threshold beside it, so that this need not be said again.
    provenance = {name: document[name] for name in document if name not in ("entries", "parameters", "threshold")}
    provenance |= document["parameters"]
    fields = (*ENTRY_FIELDS, *WORD_FIELDS) if "words" in document else ENTRY_FIELDS
    lines = ([entry[name] for name in fields] + [*provenance.values()] for entry in document["entries"])
    return [*fields, *provenance], lines


def csv_lines(document: dict[str, Any]) -> Iterator[str]:
    """The document as CSV."""
    return spreadsheet_lines(*flat(document))


def spreadsheet_lines(columns: Sequence[str], lines: Iterable[Sequence[Any]]) -> Iterator[str]:
    """A table as CSV, in which no text passes for a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    texts = [column in _TEXT_FIELDS for column in columns]
    for line in lines:
        writer.writerow([_text(cell) if text else _cell(cell) for cell, text in zip(line, texts, strict=True)])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _cell(value: Any) -> Any:
    """Truth as JSON writes it, and lists in one cell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _text(value: str) -> str:
    return f"'{value}" if value.startswith(_FORMULA_STARTS) else value
