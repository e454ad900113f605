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
    by_version: dict[int, tuple[Version, list[Published]]] = {}
    for slot in chain.from_iterable(slots.values()):
        if slot.histogram is not None:
            by_version.setdefault(slot.version.id, (slot.version, []))[1].append(slot.histogram)
    histograms = list(chain.from_iterable(own for _version, own in by_version.values()))
    wanted = [element.element for element in elements]
    said = _Said(_numbers(histograms, wanted), _counted(histograms, wanted))
    bounds: dict[int, float] = {}
    for version, own in by_version.values():
        below = [each for each in own if any(said.is_below(each, name) for name in wanted)]
        bounds |= bounds_below(below, published_estimators(version, below))
    axes = {locale: tuple(each) for locale, each in slots.items()}
    return tuple(
        Series(element, locale, each, tuple(said.point(element.element, slot, bounds) for slot in each))
        for element in elements
        for locale, each in axes.items()
    )


def _numbers(histograms: Collection[Published], elements: Collection[str]) -> dict[tuple[int, str], Numbers]:
    if not histograms:
        return {}
    with connection.cursor() as cursor:
        keys = array_text(each.pk for each in histograms)
        cursor.execute(_STATEMENT, {"elements": list(elements), "histograms": keys})
        rows = cursor.fetchall()
    numbers = read_numbers(b"".join(row[3] for row in rows)).tolist()
    return {
        (key, element): Numbers._make((*own, place))
        for (key, element, place, _written), own in zip(rows, numbers, strict=True)
    }


def _counted(histograms: Iterable[Published], elements: Collection[str]) -> set[tuple[int, str]]:
    """Return which of the dictionaries that windows are counted by have which of the elements."""
    revisions = {revision for each in histograms for revision in each.revisions}
    entries = DictionaryEntry.objects.filter(revision__in=revisions, element__in=elements)
    return set(entries.order_by().values_list("revision_id", "element"))


@dataclass(frozen=True)
class _Said:
    """Facts about some elements in some windows."""

    numbers: Mapping[tuple[int, str], Numbers]
    counted: Collection[tuple[int, str]]

    def is_below(self, histogram: Published, element: str) -> bool:
        revisions = histogram.revisions
        is_counted = bool(revisions) and all((revision, element) in self.counted for revision in revisions)
        return is_counted and (histogram.pk, element) not in self.numbers

    def point(self, element: str, slot: Slot, bounds: Mapping[int, float]) -> Point:
        histogram = slot.histogram
        if histogram is None:
            return Point(slot.state)
        numbers = self.numbers.get((histogram.pk, element))
        if numbers is not None:
            return Point(PointState.ABOVE, numbers)
        if self.is_below(histogram, element):
            return Point(PointState.BELOW, at_most=bounds[histogram.pk])
        return Point(PointState.NOT_COUNTED if histogram.revisions else PointState.NOT_FOUND)


def published_estimators(version: Version, histograms: Sequence[Published]) -> list[Estimator]:
    """Return the estimator of each window."""
    revision = version.current_dictionary() if version.use_case.dictionary_complete else None
    return [window_estimator(version, each.revisions, revision if each.revisions else None) for each in histograms]


def bounds_below(histograms: Sequence[Published | Histogram], estimators: Sequence[Estimator]) -> dict[int, float]:
    """Bound what is below the threshold in each of these windows, in reports, with 95 % confidence."""
    if any(each.threshold is None for each in histograms):
        raise ValueError("Groups have thresholds of their own.")
    bounds: dict[int, float] = {}
    for estimator in dict.fromkeys(estimators):
        own = [each for each, used in zip(histograms, estimators, strict=True) if used == estimator]
        threshold, n, f2 = (np.array([getattr(each, name) for each in own]) for name in ("threshold", "n", "f2"))
        found = upper_bound_below_threshold(estimator, threshold, n, f2, CONFIDENCE)
        bounds |= zip((each.pk for each in own), found.tolist(), strict=True)
    return bounds
