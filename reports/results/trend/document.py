"""A trend as a document, and as a table: a line for each window and element, unrounded, with where it comes from."""

from typing import Any

from reports.models import Annotation
from reports.results.provenance import provenance
from reports.results.tables import Table, table
from reports.results.trend.elements import Element
from reports.results.trend.points import Point, PointState
from reports.results.trend.view import TrendView
from reports.results.trend.windows import Slot, SlotState

# In the order of the columns.
POINT_FIELDS = (
    "first_day",
    "last_day",
    "element",
    "display",
    "name",
    "state",
    "estimate",
    "standard_error",
    "lower",
    "upper",
    "adjusted_lower",
    "adjusted_upper",
    "rank",
    # In reports, like the estimate.
    "at_most",
    # Of all reports of the window: the estimate, its adjusted interval, and the above.
    "share",
    "share_lower",
    "share_upper",
    "share_at_most",
    "threshold",
    "alpha",
    "n",
    # Of a week of the calendar, the days without reports, and those whose reports are not counted.
    "missing_days",
    "dictionary_revision",
    "generated_at",
)
POINT_STATES = (*PointState, *(state for state in SlotState if state != SlotState.SHOWN))
# Missing where nothing is above the threshold.
_NUMBERS = ("estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper", "rank")


def trend_document(view: TrendView) -> dict[str, Any] | None:
    """What is shown; None if no window is published."""
    if view.version is None or view.first is None or view.last is None or view.is_empty:
        return None
    return {
        **provenance(view.version),
        "locale": view.locale,
        "step": view.step,
        "first_day": view.first.isoformat(),
        "last_day": view.last.isoformat(),
        "points": [
            written(series.element, slot, point)
            for place, slot in enumerate(view.slots)
            for series in view.series
            for point in (series.points[place],)
        ],
        "annotations": [_annotation(each) for each in view.annotations],
    }


def written(element: Element, slot: Slot, point: Point) -> dict[str, Any]:
    """A point with its window, in reports. What is below its threshold has no number but the most that it can be."""
    histogram = slot.histogram
    numbers = point.numbers._asdict() if point.numbers is not None else dict.fromkeys(_NUMBERS)
    amounts = {
        "share": numbers["estimate"],
        "share_lower": numbers["adjusted_lower"],
        "share_upper": numbers["adjusted_upper"],
        "share_at_most": point.at_most,
    }
    n = histogram.n if histogram is not None else None
    return {
        # Of a week all of it, whichever of its days have reports.
        "first_day": slot.first.isoformat(),
        "last_day": slot.last.isoformat(),
        "element": element.text,
        "display": element.display,
        "name": element.title,
        "state": str(point.state),
        **numbers,
        "at_most": point.at_most,
        **{field: None if reports is None or n is None else reports / n for field, reports in amounts.items()},
        "threshold": histogram.threshold if histogram is not None else None,
        "alpha": histogram.alpha if histogram is not None else None,
        "n": n,
        "missing_days": slot.missing + slot.uncounted if histogram is not None else None,
        "dictionary_revision": histogram.revision if histogram is not None else None,
        "generated_at": histogram.generated_at.isoformat() if histogram is not None else None,
    }


def _annotation(annotation: Annotation) -> dict[str, Any]:
    """Who wrote it stays here."""
    return {
        "day": annotation.day.isoformat(),
        "text": annotation.text,
        "of_every_use_case": annotation.use_case_id is None,
    }


def points_table(document: dict[str, Any], *, of_locales: bool = False) -> Table:
    """A line for each point of a trend, or of an element in several locales, where each says its own.

    Annotations are about days, not about points, and the newest windows of an element are further points.
    """
    fields = ("locale", *POINT_FIELDS) if of_locales else POINT_FIELDS
    return table(document, "points", fields, left_out=("first_day", "last_day", "annotations", "newest"))
