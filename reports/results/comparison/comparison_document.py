"""A comparison as a document, and as a table: the rows of its page, unrounded, with where they come from."""

from collections.abc import Sequence
from typing import Any

from reports.models import Histogram, Version
from reports.publication import NotCounted
from reports.results.comparison.comparison_rows import FALSE_DISCOVERY_RATE, Compared, ComparisonRow, Share
from reports.results.estimating import dictionary_estimator
from reports.results.histogram_document import not_counted_columns, not_counted_entry
from reports.results.names import plain_name, unpadded
from reports.results.provenance import other_versions, provenance
from reports.results.tables import Table, table

# In shares of all reports of a side; the estimate is in reports.
_OF_SHARE = ("share", "share_lower", "share_upper", "share_at_most")
SIDES = ("first", "second")
ROW_FIELDS = (
    "element",
    "display",
    "name",
    *(f"{side}_{field}" for side in SIDES for field in ("estimate", *_OF_SHARE)),
    "difference",
    "difference_lower",
    "difference_upper",
    "verdict",
    "category",
)


def comparison_document(
    version: Version,
    first: Histogram,
    second: Histogram,
    found: Compared,
    rows: Sequence[ComparisonRow],
    listed: int,
    not_counted: Sequence[NotCounted] = (),
) -> dict[str, Any]:
    """The rows to show, of all that are listed, ready to be written as JSON."""
    revision = (first if first.version == version else second).revision
    return {
        **provenance(version),
        "other_versions": other_versions(version, (first.version, second.version)),
        "dictionary_revision": revision.number if revision is not None else None,
        "dictionary_size": revision.size if revision is not None else None,
        "estimator": dictionary_estimator(version, revision, whole=not not_counted).name,
        "alpha": first.alpha,
        "false_discovery_rate": FALSE_DISCOVERY_RATE,
        "first": _side(first, found.first_at_most),
        "second": _side(second, found.second_at_most),
        "overlapping": found.overlapping,
        "listed": listed,
        "not_counted": [not_counted_entry(version, each) for each in not_counted],
        "entries": [_entry(version, row, first.n, second.n) for row in rows],
    }


def _side(histogram: Histogram, at_most: float) -> dict[str, Any]:
    revision = histogram.revision
    return {
        "version": histogram.version.number,
        "algorithm": histogram.version.algorithm,
        "dictionary_revision": revision.number if revision is not None else None,
        "locale": histogram.locale,
        "first_day": histogram.first_day.isoformat(),
        "last_day": histogram.last_day.isoformat(),
        "n": histogram.n,
        "threshold": histogram.threshold,
        "prescribed_threshold": histogram.prescribed_threshold,
        "below_threshold": histogram.below_threshold,
        "below_at_most": at_most,
        "generated_at": histogram.generated_at.isoformat(),
    }


def _entry(version: Version, row: ComparisonRow, first_n: int, second_n: int) -> dict[str, Any]:
    element = unpadded(version, row.element)
    return {
        "element": element,
        "display": row.display,
        "name": plain_name(version, element, row.display),
        **_share("first", row.first, first_n),
        **_share("second", row.second, second_n),
        "difference": row.difference,
        "difference_lower": row.lower,
        "difference_upper": row.upper,
        "verdict": str(row.verdict),
        "category": row.category,
    }


def _share(side: str, share: Share, n: int) -> dict[str, float | None]:
    estimate = None if share.value is None else share.value * n
    return {
        f"{side}_estimate": estimate,
        **{f"{side}_{field}": value for field, value in zip(_OF_SHARE, share, strict=True)},
    }


def comparison_table(document: dict[str, Any]) -> Table:
    """A line for each row; of the sides each field has the name of its side in front."""
    return table(
        document,
        "entries",
        ROW_FIELDS,
        left_out=("other_versions",),
        instead=not_counted_columns(document["not_counted"]),
    )
