"""Changes as a document and as a table: the rows of the page, unrounded, with where they come from."""

from typing import Any, Final

from reports.models import Version
from reports.publication import Days
from reports.results.changes.change_rows import ChangeRow
from reports.results.changes.changes_view import ChangesView
from reports.results.changes.pairs import Pair
from reports.results.comparison import FALSE_DISCOVERY_RATE, Share
from reports.results.histogram_document import not_counted_columns, not_counted_entry
from reports.results.listed import Listed
from reports.results.names import plain_name, unpadded
from reports.results.provenance import other_versions, provenance
from reports.results.tables import Table, table

_OF_SHARE: Final = ("share", "share_lower", "share_upper", "share_at_most")
CHANGE_FIELDS: Final = (
    "locale",
    "element",
    "display",
    "name",
    "change",
    *_OF_SHARE,
    *(f"before_{field}" for field in _OF_SHARE),
    "difference",
    "difference_lower",
    "difference_upper",
    "p_value",
    "category",
)


def changes_document(view: ChangesView) -> dict[str, Any] | None:
    """Return the rows to show, ready to be written as JSON; None if nothing of the newer window is published."""
    version = view.version
    if version is None or view.now is None or all(pair.now_days is None for pair in view.pairs):
        return None
    listed = [each for pair in view.compared for each in (pair.now, pair.before) if each is not None]
    return {
        **provenance(version),
        "other_versions": other_versions(version, (each.version for each in listed)),
        "now": days_document(view.now),
        "before": days_document(view.before),
        "false_discovery_rate": FALSE_DISCOVERY_RATE,
        "tested": view.tested,
        "clear": len(view.clear),
        "listed": len(view.all_rows),
        "windows": [_windows(pair) for pair in view.pairs],
        "not_counted": [
            {"locale": pair.locale, **not_counted_entry(version, each)}
            for pair in view.compared
            for each in pair.not_counted
        ],
        "entries": [change_entry(version, row) for row in view.rows],
    }


def days_document(days: Days | None) -> dict[str, str] | None:
    return None if days is None else {"first_day": days[0].isoformat(), "last_day": days[1].isoformat()}


def _windows(pair: Pair) -> dict[str, Any]:
    """A locale in both windows; null where not both are published."""
    return {"locale": pair.locale, "now": _window(pair.now), "before": _window(pair.before)}


def _window(listed: Listed | None) -> dict[str, Any] | None:
    if listed is None:
        return None
    histogram = listed.histogram
    return {
        "version": listed.version.number,
        "estimator": listed.estimator.name,
        "dictionary_revision": histogram.revision.number if histogram.revision is not None else None,
        "first_day": histogram.first_day.isoformat(),
        "last_day": histogram.last_day.isoformat(),
        "n": histogram.n,
        "alpha": histogram.alpha,
        "threshold": histogram.threshold,
        "prescribed_threshold": histogram.prescribed_threshold,
        "below_threshold": histogram.below_threshold,
        "generated_at": histogram.generated_at.isoformat(),
    }


def change_entry(version: Version, change: ChangeRow) -> dict[str, Any]:
    row = change.row
    element = unpadded(version, row.element)
    return {
        "locale": change.locale,
        "element": element,
        "display": row.display,
        "name": plain_name(version, element, row.display),
        "change": str(change.change),
        **_share("", row.first),
        **_share("before_", row.second),
        "difference": row.difference,
        "difference_lower": row.lower,
        "difference_upper": row.upper,
        "p_value": change.p_value,
        "category": row.category,
    }


def _share(prefix: str, share: Share) -> dict[str, float | None]:
    return {f"{prefix}{field}": value for field, value in zip(_OF_SHARE, share, strict=True)}


def changes_table(document: dict[str, Any]) -> Table:
    """A line for each row."""
    return table(
        document,
        "entries",
        CHANGE_FIELDS,
        left_out=("other_versions", "windows"),
        instead=not_counted_columns(document["not_counted"]),
    )
