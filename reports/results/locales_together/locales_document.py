"""All locales at once, as a document and as a table: a row for each element and locale, with where it comes from."""

from typing import Any, Final

from reports.models import Version
from reports.results.changes import Newest
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.results.histogram_document import not_counted_columns, not_counted_entry
from reports.results.locales_together.cells import Cell, OfElement
from reports.results.locales_together.locales_view import LocalesView
from reports.results.names import plain_name, unpadded
from reports.results.provenance import provenance
from reports.results.tables import Table, table

_OF_SHARE: Final = ("share", "share_lower", "share_upper", "share_at_most")
CELL_FIELDS: Final = (
    "locale",
    "element",
    "display",
    "name",
    "state",
    "rank",
    *_OF_SHARE,
    "others_share",
    "difference",
    "difference_lower",
    "difference_upper",
    "p_value",
    "standing",
    "category",
)


def locales_document(view: LocalesView) -> dict[str, Any] | None:
    """Return the elements to show in all locales, ready to be written as JSON; None if nothing is published."""
    version = view.version
    if version is None or view.days is None or not view.shown:
        return None
    return {
        **provenance(version),
        "first_day": view.days[0].isoformat(),
        "last_day": view.days[1].isoformat(),
        "top": view.top,
        "false_discovery_rate": FALSE_DISCOVERY_RATE,
        "tested": view.tested,
        "standing_out": view.standing_out,
        "listed": view.listed,
        "locales": [_locale(newest) for newest in view.locales],
        "not_counted": [
            {"locale": newest.locale, **not_counted_entry(version, each)}
            for newest in view.shown
            for each in newest.not_counted
        ],
        "entries": [_entry(version, element, cell) for element in view.rows for cell in element.cells],
    }


def _locale(newest: Newest) -> dict[str, Any]:
    """A locale with its window; without one, nothing of it is published."""
    if newest.listed is None:
        return {"locale": newest.locale, "n": None}
    histogram = newest.listed.histogram
    return {
        "locale": newest.locale,
        "n": histogram.n,
        "first_day": histogram.first_day.isoformat(),
        "last_day": histogram.last_day.isoformat(),
        "estimator": newest.listed.estimator.name,
        "dictionary_revision": histogram.revision.number if histogram.revision is not None else None,
        "alpha": histogram.alpha,
        "threshold": histogram.threshold,
        "prescribed_threshold": histogram.prescribed_threshold,
        "below_threshold": histogram.below_threshold,
        "generated_at": histogram.generated_at.isoformat(),
    }


def _entry(version: Version, of_element: OfElement, cell: Cell) -> dict[str, Any]:
    element = unpadded(version, of_element.element)
    return {
        "locale": cell.locale,
        "element": element,
        "display": of_element.entry.display,
        "name": plain_name(version, element, of_element.entry.display),
        "state": str(cell.state),
        "rank": cell.rank,
        **dict(zip(_OF_SHARE, cell.share, strict=True)),
        "others_share": cell.others,
        "difference": cell.difference,
        "difference_lower": cell.lower,
        "difference_upper": cell.upper,
        "p_value": cell.p_value,
        "standing": str(cell.standing),
        "category": of_element.entry.category,
    }


def locales_table(document: dict[str, Any]) -> Table:
    """A line for each element and locale."""
    return table(
        document, "entries", CELL_FIELDS, left_out=("locales",), instead=not_counted_columns(document["not_counted"])
    )
