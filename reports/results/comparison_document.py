"""A comparison as JSON and CSV: the same rows as on its page, unrounded, with where they come from."""

from collections.abc import Iterator, Sequence
from typing import Any

from reports.models import Histogram, Version
from reports.results.comparison_rows import FALSE_DISCOVERY_RATE, Compared, Row, Share
from reports.results.document import spreadsheet_lines
from reports.results.names import unpadded

_OF_SHARE = ("share", "lower", "upper", "at_most")
SIDES = ("first", "second")
ROW_FIELDS = (
    "element",
    "display",
    *(f"{side}_{field}" for side in SIDES for field in _OF_SHARE),
    "difference",
    "difference_lower",
    "difference_upper",
    "verdict",
    "category",
)


def comparison_document(
    version: Version, first: Histogram, second: Histogram, found: Compared, rows: Sequence[Row], listed: int
) -> dict[str, Any]:
    """The rows to show, of all that are listed, ready to be written as JSON."""
    revision = first.revision
    return {
        "use_case": version.use_case.slug,
        "version": version.number,
        "algorithm": version.algorithm,
        "parameters": version.mechanism.wire_parameters(),
        "dictionary_revision": revision.number if revision is not None else None,
        "dictionary_size": revision.size if revision is not None else None,
        "alpha": first.alpha,
        "false_discovery_rate": FALSE_DISCOVERY_RATE,
        "first": _side(first, found.first_at_most),
        "second": _side(second, found.second_at_most),
        "overlapping": found.overlapping,
        "listed": listed,
        "entries": [_entry(version, row) for row in rows],
    }


def _side(histogram: Histogram, at_most: float) -> dict[str, Any]:
    return {
        "locale": histogram.locale,
        "first_day": histogram.first_day.isoformat(),
        "last_day": histogram.last_day.isoformat(),
        "n": histogram.n,
        "threshold": histogram.threshold,
        "below_threshold": histogram.below_threshold,
        "below_at_most": at_most,
        "generated_at": histogram.generated_at.isoformat(),
    }


def _entry(version: Version, row: Row) -> dict[str, Any]:
    return {
        "element": unpadded(version, row.element),
        "display": row.display,
        **_share("first", row.first),
        **_share("second", row.second),
        "difference": row.difference,
        "difference_lower": row.lower,
        "difference_upper": row.upper,
        "verdict": str(row.verdict),
        "category": row.category,
    }


def _share(side: str, share: Share) -> dict[str, float | None]:
    return {f"{side}_{field}": value for field, value in zip(_OF_SHARE, share, strict=True)}


def comparison_csv_lines(document: dict[str, Any]) -> Iterator[str]:
    """The document as CSV: one line for each row, with the provenance repeated in the columns behind."""
    provenance = {
        name: value for name, value in document.items() if name not in ("entries", "parameters", *SIDES)
    } | document["parameters"]
    # The same names as fields of an entry have with a side in front of them; no two of them meet.
    for side in SIDES:
        provenance |= {f"{side}_{name}": value for name, value in document[side].items()}
    lines = ([entry[name] for name in ROW_FIELDS] + [*provenance.values()] for entry in document["entries"])
    return spreadsheet_lines([*ROW_FIELDS, *provenance], lines)
