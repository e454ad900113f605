"""A histogram as JSON and CSV: the same numbers, unrounded, with where they come from."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from reports.models import Histogram, HistogramEntry
from reports.results.names import unpadded

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
)
_TEXT_FIELDS = {"element", "display", "category"}
# A spreadsheet takes a cell that begins like this for a formula, and elements may be chosen by strangers.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def histogram_document(histogram: Histogram, entries: Sequence[HistogramEntry]) -> dict[str, Any]:
    """The histogram with the entries to show, ready to be written as JSON."""
    version = histogram.version
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
        "dictionary_revision": histogram.revision.number,
        "dictionary_size": histogram.revision.size,
        "alpha": histogram.alpha,
        "threshold": histogram.threshold,
        "below_threshold": histogram.below_threshold,
        "generated_at": histogram.generated_at.isoformat(),
        "entries": [_entry(histogram, entry) for entry in entries],
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
    }


def csv_lines(document: dict[str, Any]) -> Iterator[str]:
    """The document as CSV: one line per entry, with the provenance repeated in the columns behind."""
    # Each entry has its threshold beside it, so that this need not be said again.
    provenance = {name: document[name] for name in document if name not in ("entries", "parameters", "threshold")}
    provenance |= document["parameters"]
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([*ENTRY_FIELDS, *provenance])
    for entry in document["entries"]:
        cells = [_text(entry[name]) if name in _TEXT_FIELDS else entry[name] for name in ENTRY_FIELDS]
        writer.writerow([*cells, *provenance.values()])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _text(value: str) -> str:
    return f"'{value}" if value.startswith(_FORMULA_STARTS) else value
