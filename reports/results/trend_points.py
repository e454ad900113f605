"""What the window of each day says of an element, and no more than that."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from aggregation.accuracy import upper_bound_below_threshold
from reports.models import DictionaryEntry, Histogram, HistogramEntry, Version
from reports.results.trend_elements import Element
from reports.results.trend_windows import Slot, SlotState

CONFIDENCE = 0.95


class PointState(StrEnum):
    """What a window says of an element. Where there is no window, its point has the state of the slot."""

    ABOVE = "above-threshold"
    BELOW = "below-threshold"
    # The dictionary that was counted did not have it.
    NOT_COUNTED = "not-in-dictionary"
    # Of words: not in the list. Either it is below T, or its fragments did not stand out.
    NOT_FOUND = "not-found"


class Numbers(NamedTuple):
    """Of an element above its threshold, in reports; named as the columns that are read."""

    estimate: float
    standard_error: float
    lower: float
    upper: float
    adjusted_lower: float
    adjusted_upper: float
    rank: int


@dataclass(frozen=True)
class Point:
    """An element in a window."""

    state: PointState | SlotState
    numbers: Numbers | None = None
    # How many reports say what is below the threshold, at most.
    at_most: float | None = None


@dataclass(frozen=True)
class Series:
    """An element of a locale along the axis: a point for each slot."""

    element: Element
    locale: str
    slots: tuple[Slot, ...]
    points: tuple[Point, ...]


def series_of(version: Version, elements: Sequence[Element], slots: Mapping[str, Sequence[Slot]]) -> tuple[Series, ...]:
    """Every element in every locale; two queries, however many windows there are."""
    histograms = [slot.histogram for each in slots.values() for slot in each if slot.histogram is not None]
    wanted = [element.element for element in elements]
    numbers, counted, bounds = _numbers(histograms, wanted), _counted(histograms, wanted), _Bounds(version)
    axes = {locale: tuple(each) for locale, each in slots.items()}
    return tuple(
        Series(
            element,
            locale,
            each,
            tuple(_point(version, element.element, slot, numbers, counted, bounds) for slot in each),
        )
        for element in elements
        for locale, each in axes.items()
    )


def _numbers(histograms: Iterable[Histogram], elements: Collection[str]) -> dict[tuple[int, str], Numbers]:
    entries = HistogramEntry.objects.filter(element__in=elements, histogram__in=[each.pk for each in histograms])
    rows = entries.order_by().values_list("histogram_id", "element", *Numbers._fields)
    return {(histogram, element): Numbers(*numbers) for histogram, element, *numbers in rows}


def _counted(histograms: Iterable[Histogram], elements: Collection[str]) -> set[tuple[int, str]]:
    """Which of the dictionaries have which of the elements."""
    revisions = {each.revision_id for each in histograms if each.revision_id is not None}
    entries = DictionaryEntry.objects.filter(revision__in=revisions, element__in=elements)
    return set(entries.order_by().values_list("revision_id", "element"))


def _point(
    version: Version,
    element: str,
    slot: Slot,
    numbers: Mapping[tuple[int, str], Numbers],
    counted: Collection[tuple[int, str]],
    bounds: "_Bounds",
) -> Point:
    histogram = slot.histogram
    if histogram is None:
        return Point(slot.state)
    found = numbers.get((histogram.pk, element))
    if found is not None:
        return Point(PointState.ABOVE, found)
    if version.discovery is not None:
        return Point(PointState.NOT_FOUND)
    if (histogram.revision_id, element) not in counted:
        return Point(PointState.NOT_COUNTED)
    return Point(PointState.BELOW, at_most=bounds.of(histogram))


class _Bounds:
    """What an element below the threshold is at most, which is searched for: once for each window."""

    def __init__(self, version: Version) -> None:
        self._mechanism = version.mechanism
        self._known: dict[int, float] = {}

    def of(self, histogram: Histogram) -> float:
        """In reports, with 95 % confidence."""
        if histogram.pk not in self._known:
            self._known[histogram.pk] = self._search(histogram)
        return self._known[histogram.pk]

    def _search(self, histogram: Histogram) -> float:
        if histogram.threshold is None:
            raise ValueError("Groups have thresholds of their own.")
        # What was published long ago does not know its F2. It is largest where all reports say the same.
        f2 = histogram.f2 if histogram.f2 is not None else float(histogram.n) ** 2
        return upper_bound_below_threshold(self._mechanism, histogram.threshold, histogram.n, f2, CONFIDENCE)
