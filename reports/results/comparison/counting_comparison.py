"""Comparing versions that count a dictionary: two windows, added up from the support counts of their periods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation import estimation
from aggregation.estimation import Estimator, compare, plug_in_f2
from reports.models import DictionaryRevision, Histogram, Version
from reports.publication import (
    NotCounted,
    Periods,
    Window,
    WindowCounts,
    counted_by_all,
    not_counted_in,
    periods_of,
    positions_in,
)
from reports.results.availability import State
from reports.results.comparison.comparison_rows import Compared, Counts, as_rows
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.sides import DAY, LONGEST, Side, Sides, dated, days_before
from reports.results.counted import asked_days, asked_window, left_out
from reports.results.counted_elsewhere import counted_by_none, counted_by_others
from reports.results.estimating import estimated_counts
from reports.results.histograms import histograms_of
from reports.results.listed import listed_histograms
from reports.results.query import HistogramQuery

_WEEK = 7


class CountingSides(Sides):
    def __init__(self, version: Version, others: Sequence[Version], locales: tuple[str, str]) -> None:
        super().__init__(version, others, locales)
        self._loaded: dict[Version, _Counted] = {}

    def _counted(self) -> Iterator["_Counted"]:
        """Yield what the version has counted, and then what others have, as far as they are asked for."""
        for version in self.alike:
            if version not in self._loaded:
                periods = periods_of(version, set(self.locales))
                self._loaded[version] = _Counted(version, periods, version.current_dictionary())
            yield self._loaded[version]

    @staticmethod
    def check(query: ComparisonQuery) -> None:
        """Allow any window."""

    def find(self, locale: str, query: HistogramQuery) -> Side:
        for counted in self._counted():
            periods, revision = counted.periods[locale], counted.revision
            window = asked_window(periods, query)
            if window is not None and revision is not None and revision.size:
                (histogram,), missing = histograms_of([(window, revision)]), left_out(periods, window, query)
                rest = [other for other in self.others if other != counted.version] if missing else []
                elsewhere = counted_by_others(rest, locale, *asked_days(periods, query))
                of_none = counted_by_none(missing, elsewhere)
                return Side(locale, query, counted.version, State.SHOWN, histogram, window, of_none, elsewhere)
        return self.nothing(locale, query, State.NOT_YET)

    def before(self, histogram: Histogram) -> Side:
        locale, days = histogram.locale, days_before(histogram)
        if all(counted.periods[locale].inside(*days) is None for counted in self._counted()):
            found = (counted.periods[locale].newest(days[1]) for counted in self._counted())
            newest = next((each for each in found if each is not None), None)
            days = days if newest is None else (newest.first_day, newest.last_day)
        return self.find(locale, dated(*days))

    def newest_of_one(self) -> tuple[Side, Side]:
        """Find the newest week and the week before, if periods span all of them, or else the newest period."""
        shown = (counted.periods[self.locales[0]] for counted in self._counted())
        periods = next((each for each in shown if each), None)
        weeks = None if periods is None else _whole_weeks(periods)
        if weeks is not None:
            return self.both(*weeks)
        newest = None if periods is None else periods.newest()
        query = HistogramQuery() if newest is None else dated(newest.first_day, newest.last_day)
        known = self.find(self.locales[0], query)
        return known, (known if known.histogram is None else self.before(known.histogram))

    def newest_of_both(self) -> HistogramQuery | None:
        """Find the newest four weeks of which both have periods, or as much as begins and ends alike in both."""
        periods = next(self._counted()).periods
        spans = [each.span for each in periods.values() if each.span is not None]
        if len(spans) < len(periods):
            return None
        last = min(span[1] for span in spans)
        first = max(last - (LONGEST - 1) * DAY, *(span[0] for span in spans))
        asked = first, last
        while True:
            windows = [each.inside(first, last) for each in periods.values()]
            known = [window for window in windows if window is not None]
            if len(known) < len(windows):
                return dated(*asked) if asked[0] <= asked[1] else None
            ends = max(window.first_day for window in known), min(window.last_day for window in known)
            if ends == (first, last):
                return dated(first, last)
            first, last = ends

    def compare(self, first: Side, second: Side, fdr: float) -> Compared | None:
        here, there = self._half(first), self._half(second)
        if here is None or there is None:
            return None
        return _compare_histograms(here, there, fdr) if _list_the_same(here, there) else _compare(here, there, fdr)

    def _half(self, side: Side) -> "_Half | None":
        revision = self._loaded[side.version].revision
        if revision is None or side.window is None or side.histogram is None:
            return None
        return _Half(side.version, side.window, revision, side.histogram)

    def not_counted(self, first: Side, second: Side) -> tuple[NotCounted, ...]:
        own = self._loaded[self.version]
        sides = [(side.window, side.version) for side in (first, second) if side.window is not None]
        if own.revision is None or all(window.revisions <= {own.revision.pk} for window, _version in sides):
            return ()
        found: dict[str, NotCounted] = {}
        for window, version in sides:
            begins = own.periods[window.locale].span
            for each in not_counted_in(window, self._loaded[version].periods[window.locale], own.revision):
                # Elements that another version lacks are counted from the first day of this one on.
                days = [each.since if version == self.version else begins and begins[0]]
                if each.element in found:
                    days.append(found[each.element].since)
                known = [day for day in days if day is not None]
                found[each.element] = each._replace(since=max(known) if len(known) == len(days) else None)
        return tuple(found.values())


class _Counted(NamedTuple):
    """Periods that a version has released of the locales that are compared, and its dictionary."""

    version: Version
    periods: Mapping[str, Periods]
    revision: DictionaryRevision | None


class _Half(NamedTuple):
    """One side of a comparison, with the dictionary of its version."""

    version: Version
    window: Window
    revision: DictionaryRevision
    histogram: Histogram


def _whole_weeks(periods: Periods) -> tuple[HistogramQuery, HistogramQuery] | None:
    if periods.span is None:
        return None
    last = periods.span[1]
    weeks = (last - (_WEEK - 1) * DAY, last), (last - (2 * _WEEK - 1) * DAY, last - _WEEK * DAY)
    if any((window := periods.inside(*days)) is None or window.left_out(*days) for days in weeks):
        return None
    return dated(*weeks[0]), dated(*weeks[1])


def _list_the_same(first: _Half, second: _Half) -> bool:
    """Tell whether both histograms are of all elements of one dictionary, and of other reports."""
    if first.version != second.version or _in_both(first.window, second.window) is not None:
        return False
    return bool(counted_by_all(first.window.revisions | second.window.revisions, first.revision).all())


def _compare_histograms(first: _Half, second: _Half, fdr: float) -> Compared:
    """Compare as `_compare` does, by what two histograms list: nothing is added up, or solved for, again."""
    windows = [(each.window, each.revision) for each in (first, second)]
    here, there = listed_histograms(windows, [first.histogram, second.histogram])
    entries = first.revision.entries.filter(element__in={*here.entries.elements, *there.entries.elements})
    texts = list(entries.order_by("position").values_list("element", "display", "category"))
    sides = (each.side([element for element, *_texts in texts]) for each in (here, there))
    alpha = first.histogram.alpha
    differences = compare(here.estimator, *sides, alpha=alpha, fdr=fdr, size=first.revision.size)
    return as_rows(differences, ((place, *text) for place, text in enumerate(texts)), overlapping=False)


def _compare(first: _Half, second: _Half, fdr: float) -> Compared:
    """Compare what is counted in all of both, and above T on one side at least."""
    both = _in_both(first.window, second.window)
    if first.version == second.version:
        windows = [first.window, second.window] if both is None else [first.window, second.window, both]
        estimator, counted = estimated_counts(windows, first.revision)
        positions = np.intersect1d(counted[0].positions, counted[1].positions, assume_unique=True)
        left, right = (_side(first.version, estimator, each, positions) for each in counted[:2])
    else:
        estimator, counted = estimated_counts([first.window], first.revision)
        other, of_other = estimated_counts([second.window], second.revision)
        positions, theirs = _in_common(counted[0], first.revision, of_other[0], second.revision)
        left = _side(first.version, estimator, counted[0], positions)
        # Reports and hash functions of another version are others: the two errors are independent.
        right = replace(_side(second.version, other, of_other[0], theirs), estimator=other)
    shared = None if both is None else estimation.Side(_at(counted[2], positions), counted[2].n)
    alpha = first.version.use_case.false_positive_rate
    differences = compare(estimator, left, right, alpha=alpha, fdr=fdr, shared=shared)
    listed = dict.fromkeys(np.flatnonzero(differences.listed).tolist())
    place_of = {int(positions[place]): place for place in listed}
    entries = first.revision.entries.filter(position__in=place_of).order_by("position")
    texts = entries.values_list("position", "element", "display", "category")
    named = ((place_of[position], element, display, category) for position, element, display, category in texts)
    return as_rows(differences, named, overlapping=shared is not None)


def _in_common(
    first: WindowCounts, revision: DictionaryRevision, second: WindowCounts, other: DictionaryRevision
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions, in each of two dictionaries, of the elements that both sides count."""
    theirs = positions_in(other.pk, revision)[first.positions]
    counted = np.isin(theirs, second.positions)
    return first.positions[counted], theirs[counted]


def _in_both(first: Window, second: Window) -> Window | None:
    """Return the periods that two windows have in common."""
    if first.locale != second.locale:
        return None
    keys = {period.pk for period in second.periods}
    periods = tuple(period for period in first.periods if period.pk in keys)
    reach = (max(first.reach[0], second.reach[0]), min(first.reach[1], second.reach[1]))
    return Window(first.version, first.locale, periods, reach) if periods else None


def _at(counted: WindowCounts, positions: NDArray[np.int64]) -> Counts:
    """Return the counts of some of the elements that are counted, by their positions in the revision."""
    return counted.counts[np.searchsorted(counted.positions, positions)]


def _side(
    version: Version, estimator: Estimator, counted: WindowCounts, positions: NDArray[np.int64]
) -> estimation.Side:
    """Return a side as its histogram has it, if only some of its elements are compared."""
    prescribed = version.use_case.prescribed_threshold
    size = len(counted.positions)
    if len(positions) == size:
        return estimation.Side(counted.counts, counted.n, prescribed_threshold=prescribed)
    f2 = plug_in_f2(estimator, estimator.estimate(counted.counts, counted.n), counted.n)
    return estimation.Side(_at(counted, positions), counted.n, f2=f2, size=size, prescribed_threshold=prescribed)
