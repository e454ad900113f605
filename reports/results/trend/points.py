"""Points of a trend: what the window of each day says of an element, and no more than that."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

import numpy as np
from django.db import connection

from aggregation.estimation import Estimator, upper_bound_below_threshold
from reports.models import DictionaryEntry, Histogram, Version
from reports.models.entries import NUMBERS_AT, read_numbers
from reports.publication import Days
from reports.results.estimating import window_estimator
from reports.results.provenance import CONFIDENCE
from reports.results.trend.elements import Element
from reports.results.trend.trend_windows import Published, Slot, SlotState
from reports.statements import array_text


class PointState(StrEnum):
    """State of an element in a window. Where there is no window, its point has the state of the slot."""

    ABOVE = "above-threshold"
    BELOW = "below-threshold"
    # Some of the window is counted by a dictionary that did not have it: neither a number nor zero.
    NOT_COUNTED = "not-counted"
    # For words: not in the list. Either it is below T, or its fragments did not stand out.
    NOT_FOUND = "not-found"


class Numbers(NamedTuple):
    """Numbers of an element above its threshold, in reports; named as columns of entries are."""

    estimate: float
    standard_error: float
    lower: float
    upper: float
    adjusted_lower: float
    adjusted_upper: float
    rank: int


class Point(NamedTuple):
    """An element in a window."""

    state: PointState | SlotState
    numbers: Numbers | None = None
    # How many reports say what is below the threshold, at most.
    at_most: float | None = None


_ENTRIES = """
SELECT "histogram_id", "wanted"."element", "place", {numbers}
FROM "reports_histogramentries" CROSS JOIN unnest(%(elements)s::text[]) AS "wanted"("element")
CROSS JOIN LATERAL (SELECT array_position("elements", "wanted"."element") AS "place" OFFSET 0) AS "found"
WHERE "histogram_id" = ANY(%(histograms)s::bigint[]) AND "place" IS NOT NULL
"""
_STATEMENT = _ENTRIES.format(numbers=NUMBERS_AT)


@dataclass(frozen=True)
class Series:
    """An element of a locale along the axis: a point for each slot."""

    element: Element
    locale: str
    slots: tuple[Slot, ...]
    points: tuple[Point, ...]

    @property
    def by_version(self) -> list["Series"]:
        """The series of each version that shows something, all along the axis, the newest version last."""
        if len({slot.version.id for slot in self.slots if slot.histogram is not None}) < 2:
            return [self]
        shown = zip(self.slots, self.points, strict=True)
        parts: dict[Version, dict[Days, tuple[Slot, Point]]] = {}
        for slot, point in shown:
            if slot.histogram is not None:
                parts.setdefault(slot.version, {})[slot.first, slot.last] = slot, point
        places = dict.fromkeys((slot.first, slot.last) for slot in self.slots)
        found = []
        for version, own in sorted(parts.items(), key=lambda part: part[0].number):
            nothing = {place: (Slot(*place, SlotState.NOT_YET, version), Point(SlotState.NOT_YET)) for place in places}
            slots, points = zip(*(nothing | own).values(), strict=True)
            found.append(Series(self.element, self.locale, slots, points))
        return found

    @property
    def is_counted_throughout(self) -> bool:
        return all(point.state != PointState.NOT_COUNTED for point in self.points)

    @property
    def since(self) -> datetime.date | None:
        """The first day from which on each of these windows counts it; None if the last one does not."""
        found = None
        for slot, point in zip(self.slots, self.points, strict=True):
            if point.state == PointState.NOT_COUNTED:
                found = None
            elif slot.histogram is not None and found is None:
                found = slot.first
        return found


def series_of(elements: Sequence[Element], slots: Mapping[str, Sequence[Slot]]) -> tuple[Series, ...]:
    """Every element in every locale; two queries, however many windows there are."""
    axes = {locale: tuple(each) for locale, each in slots.items()}
    histograms = [slot.histogram for each in axes.values() for slot in each if slot.histogram is not None]
    wanted = [element.element for element in elements]
    numbers, counted = _numbers(histograms, wanted), _counted(histograms, wanted)
    below = {
        name: {each.pk for each in histograms if each.revisions and each.revisions <= counted[name]}
        - numbers[name].keys()
        for name in wanted
    }
    lacking: dict[int, tuple[Version, list[Published]]] = {}
    bounded = set[int]().union(*below.values())
    for slot in chain.from_iterable(axes.values()):
        if slot.histogram is not None and slot.histogram.pk in bounded:
            lacking.setdefault(slot.version.id, (slot.version, []))[1].append(slot.histogram)
    bounds: dict[int, float] = {}
    for version, own in lacking.values():
        for estimator, same in by_estimator(version, own).items():
            bounds |= bounds_below(estimator, same)
    return tuple(
        Series(element, locale, each, _points(each, numbers[name], {key: bounds[key] for key in below[name]}))
        for element, name in zip(elements, wanted, strict=True)
        for locale, each in axes.items()
    )


def _points(slots: Iterable[Slot], numbers: Mapping[int, Numbers], bounds: Mapping[int, float]) -> tuple[Point, ...]:
    """Return the points of an element by what is known of it in the windows with these keys."""
    found = []
    for slot in slots:
        histogram = slot.histogram
        if histogram is None:
            point = Point(slot.state)
        elif (own := numbers.get(histogram.pk)) is not None:
            point = Point(PointState.ABOVE, own)
        elif (at_most := bounds.get(histogram.pk)) is not None:
            point = Point(PointState.BELOW, at_most=at_most)
        else:
            point = Point(PointState.NOT_COUNTED if histogram.revisions else PointState.NOT_FOUND)
        found.append(point)
    return tuple(found)


def _numbers(histograms: Collection[Published], elements: Collection[str]) -> dict[str, dict[int, Numbers]]:
    """Return the numbers of elements, by the window."""
    found: dict[str, dict[int, Numbers]] = {element: {} for element in elements}
    if not histograms:
        return found
    with connection.cursor() as cursor:
        keys = array_text(each.pk for each in histograms)
        cursor.execute(_STATEMENT, {"elements": list(elements), "histograms": keys})
        rows = cursor.fetchall()
    numbers = read_numbers(b"".join(row[3] for row in rows)).tolist()
    for (key, element, place, _written), own in zip(rows, numbers, strict=True):
        found[element][key] = Numbers._make((*own, place))
    return found


def _counted(histograms: Iterable[Published], elements: Collection[str]) -> dict[str, set[int]]:
    """Return which of the dictionaries that windows are counted by have each of the elements."""
    found: dict[str, set[int]] = {element: set() for element in elements}
    revisions = frozenset[int]().union(*{each.revisions for each in histograms})
    entries = DictionaryEntry.objects.filter(revision__in=revisions, element__in=elements)
    for revision, element in entries.order_by().values_list("revision_id", "element"):
        found[element].add(revision)
    return found


def by_estimator(version: Version, histograms: Iterable[Published]) -> dict[Estimator, list[Published]]:
    """Return the windows that each estimator is used in."""
    revision = version.current_dictionary() if version.use_case.dictionary_complete else None
    same: dict[frozenset[int], list[Published]] = {}
    for each in histograms:
        same.setdefault(each.revisions, []).append(each)
    found: dict[Estimator, list[Published]] = {}
    for revisions, own in same.items():
        found.setdefault(window_estimator(version, revisions, revision if revisions else None), []).extend(own)
    return found


def bounds_below(estimator: Estimator, histograms: Sequence[Published | Histogram]) -> dict[int, float]:
    """Bound what is below the threshold in each of these windows, in reports, with 95 % confidence."""
    if any(each.threshold is None for each in histograms):
        raise ValueError("Groups have thresholds of their own.")
    threshold, n, f2 = (np.array([getattr(each, name) for each in histograms]) for name in ("threshold", "n", "f2"))
    found = upper_bound_below_threshold(estimator, threshold, n, f2, CONFIDENCE)
    return dict(zip((each.pk for each in histograms), found.tolist(), strict=True))
