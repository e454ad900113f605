"""A trend as a document, and as a table: a line for each window and element, unrounded, with where it comes from."""

import datetime
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from reports.models import Annotation
from reports.results.histogram_document import not_counted_columns
from reports.results.provenance import OF_VERSION, other_versions, provenance
from reports.results.tables import Table, table
from reports.results.trend.elements import Element
from reports.results.trend.points import Numbers, Point, PointState, Series
from reports.results.trend.trend_view import TrendView
from reports.results.trend.trend_windows import Slot, SlotState

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
    # In shares of all reports of the window: the estimate, its adjusted interval, and the above.
    "share",
    "share_lower",
    "share_upper",
    "share_at_most",
    "threshold",
    "prescribed_threshold",
    "alpha",
    "n",
    # Days of a week of the calendar that are in none of its periods.
    "missing_days",
    # That counted the window; where it shows nothing, that is looked at.
    "version",
    "dictionary_revision",
    "generated_at",
)
POINT_STATES = (*PointState, *(state for state in SlotState if state != SlotState.SHOWN))
# Where nothing is above the threshold.
_NO_NUMBERS = (None,) * len(Numbers._fields)


def trend_document(view: TrendView) -> dict[str, Any] | None:
    """Return what is shown; None if no window is published."""
    if view.version is None or view.first is None or view.last is None or view.is_empty:
        return None
    return {
        **provenance(view.version),
        "other_versions": other_versions(view.version, (slot.version for slot in view.slots)),
        "locale": view.locale,
        "step": view.step,
        "first_day": view.first.isoformat(),
        "last_day": view.last.isoformat(),
        "points": [
            point_document(series.element, slot, point)
            for place, slot in enumerate(view.slots)
            for series in view.series
            for point in (series.points[place],)
        ],
        "not_counted": not_counted_elements(view.series),
        "annotations": [_annotation(each) for each in view.annotations],
    }


def not_counted_elements(series: Iterable[Series]) -> list[dict[str, str | None]]:
    """The elements that some of the windows do not count, with the day from which on all of them do."""
    return [
        {
            "locale": each.locale,
            "element": each.element.text,
            "display": each.element.display,
            "since": None if each.since is None else each.since.isoformat(),
        }
        for each in series
        if not each.is_counted_throughout
    ]


def point_document(element: Element, slot: Slot, point: Point) -> dict[str, Any]:
    """A point with its window, in reports. What is below its threshold has no number but the most that it can be."""
    histogram, numbers, at_most = slot.histogram, point.numbers, point.at_most
    # A week is whole here, whichever of its days have reports.
    days = slot.first.isoformat(), slot.last.isoformat()
    what = (*days, element.text, element.display, element.title, point.state.value)
    if histogram is None:
        nothing = dict.fromkeys(POINT_FIELDS) | {"version": slot.version.number}
        return nothing | dict(zip(POINT_FIELDS, what, strict=False))
    n = histogram.n
    shares = (None, None, None) if numbers is None else _shares(numbers, n)
    of_window = (
        histogram.threshold,
        histogram.prescribed_threshold,
        histogram.alpha,
        n,
        slot.missing if slot.left_out else 0,
        slot.version.number,
        histogram.revision,
        _generated(histogram.generated),
    )
    values = (*what, *(numbers or _NO_NUMBERS), at_most, *shares, None if at_most is None else at_most / n, *of_window)
    return dict(zip(POINT_FIELDS, values, strict=True))


def _shares(numbers: Numbers, n: int) -> tuple[float, float, float]:
    return numbers.estimate / n, numbers.adjusted_lower / n, numbers.adjusted_upper / n


# Each of several elements says this of a window.
@lru_cache(maxsize=8192)
def _generated(text: str) -> str:
    return datetime.datetime.fromisoformat(text).isoformat()


def _annotation(annotation: Annotation) -> dict[str, Any]:
    """Describe an annotation; who wrote it stays here."""
    return {
        "day": annotation.day.isoformat(),
        "text": annotation.text,
        "of_every_use_case": annotation.use_case_id is None,
    }


def points_table(document: dict[str, Any], *, of_locales: bool = False) -> Table:
    """A line for each point of a trend, or of an element in several locales, where each says its own.

    Each says by which mechanism it was counted. Annotations are about days, not about points, and the newest windows of
    an element are further points.
    """
    versions = [document, *document["other_versions"]]
    parameters = dict.fromkeys(name for each in versions for name in each["parameters"])
    mechanisms = {
        each["version"]: {"algorithm": each["algorithm"], **parameters, **each["parameters"]} for each in versions
    }
    lines = {**document, "points": [point | mechanisms[point["version"]] for point in document["points"]]}
    fields = (*(("locale",) if of_locales else ()), *POINT_FIELDS, "algorithm", *parameters)
    left_out = ("first_day", "last_day", "annotations", "newest", "other_versions", *OF_VERSION)
    # The newest windows of an element say it themselves.
    instead = not_counted_columns(document["not_counted"]) if "not_counted" in document else {}
    return table(lines, "points", fields, left_out=left_out, instead=instead)
