"""A trend as JSON and CSV: one line for each window and element, unrounded, with where it comes from."""

from collections.abc import Iterator
from typing import Any

from reports.models import Annotation, Version
from reports.results.document import spreadsheet_lines
from reports.results.trend import TrendView
from reports.results.trend_elements import Element
from reports.results.trend_points import CONFIDENCE, Point, PointState
from reports.results.trend_windows import Slot, SlotState

# In the order of the columns.
POINT_FIELDS = (
    "first_day",
    "last_day",
    "element",
    "display",
    "state",
    "estimate",
    "standard_error",
    "lower",
    "upper",
    "adjusted_lower",
    "adjusted_upper",
    "rank",
    "at_most",
    "threshold",
    "n",
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


def provenance(version: Version) -> dict[str, Any]:
    """What all points have in common."""
    return {
        "use_case": version.use_case.slug,
        "version": version.number,
        "algorithm": version.algorithm,
        "parameters": version.mechanism.wire_parameters(),
        # Of the bounds of what is below a threshold, and of intervals, each by itself.
        "confidence": CONFIDENCE,
    }


def written(element: Element, slot: Slot, point: Point) -> dict[str, Any]:
    """A point with its window, in reports. What is below its threshold has no number but the most that it can be."""
    histogram = slot.histogram
    numbers = point.numbers._asdict() if point.numbers is not None else dict.fromkeys(_NUMBERS)
    return {
        "first_day": (histogram.first_day if histogram is not None else slot.first).isoformat(),
        "last_day": (histogram.last_day if histogram is not None else slot.last).isoformat(),
        "element": element.text,
        "display": element.display,
        "state": str(point.state),
        **numbers,
        "at_most": point.at_most,
        "threshold": histogram.threshold if histogram is not None else None,
        "n": histogram.n if histogram is not None else None,
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


def trend_lines(document: dict[str, Any]) -> Iterator[str]:
    """The points of a document as CSV. Annotations are about days, not about points, and are not in it."""
    of_all = ("use_case", "version", "step", "algorithm")
    # What each point says itself is not repeated.
    columns = ("locale", *POINT_FIELDS)
    repeated = {name: document[name] for name in of_all} | document["parameters"]
    points = ({"locale": document.get("locale"), **point} for point in document["points"])
    lines = ([*(point[name] for name in columns), *repeated.values()] for point in points)
    return spreadsheet_lines([*columns, *repeated], lines)
