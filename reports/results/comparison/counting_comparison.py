"""Comparing versions that count a dictionary: two windows, added up from the support counts of their periods."""

import numpy as np
from numpy.typing import NDArray

from aggregation import estimation
from aggregation.estimation import Estimator, compare, plug_in_f2
from reports.models import DictionaryRevision, Histogram, Version
from reports.publication import NotCounted, Periods, Window, WindowCounts, not_counted_in, periods_of
from reports.results.availability import State
from reports.results.comparison.comparison_rows import Compared, Counts, as_rows
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.sides import DAY, LONGEST, Side, Sides, dated, days_before
from reports.results.counted import asked_window, left_out
from reports.results.estimating import estimated_counts
from reports.results.histograms import histogram_of
from reports.results.query import HistogramQuery

_WEEK = 7


class CountingSides(Sides):
    def __init__(self, version: Version, locales: tuple[str, str]) -> None:
        super().__init__(version, locales)
        self.periods = periods_of(version, set(locales))
        self.revision = version.current_dictionary()

    @staticmethod
    def check(query: ComparisonQuery) -> None:
        """Allow any window."""

    def find(self, locale: str, query: HistogramQuery) -> Side:
        periods = self.periods[locale]
        window = asked_window(periods, query)
        if window is None or self.revision is None or not self.revision.size:
            return Side(locale, query)
        histogram = histogram_of(window, self.revision)
        return Side(locale, query, State.SHOWN, histogram, window, tuple(left_out(periods, window, query)))

    def before(self, histogram: Histogram) -> Side:
        periods, days = self.periods[histogram.locale], days_before(histogram)
        if periods.inside(*days) is None:
            newest = periods.newest(days[1])
            days = days if newest is None else (newest.first_day, newest.last_day)
        return self.find(histogram.locale, dated(*days))

    def newest_of_one(self) -> tuple[Side, Side]:
        """Find the newest week and the week before, if periods span all of them, or else the newest period."""
        periods = self.periods[self.locales[0]]
        weeks = _whole_weeks(periods)
        if weeks is not None:
            return self.both(*weeks)
        newest = periods.newest()
        query = HistogramQuery() if newest is None else dated(newest.first_day, newest.last_day)
        known = self.find(self.locales[0], query)
        return known, (known if known.histogram is None else self.before(known.histogram))

    def newest_of_both(self) -> HistogramQuery | None:
        """Find the newest four weeks of which both have periods, or as much as begins and ends alike in both."""
        spans = [each.span for each in self.periods.values() if each.span is not None]
        if len(spans) < len(self.periods):
            return None
        last = min(span[1] for span in spans)
        first = max(last - (LONGEST - 1) * DAY, *(span[0] for span in spans))
        asked = first, last
        while True:
            windows = [each.inside(first, last) for each in self.periods.values()]
            known = [window for window in windows if window is not None]
            if len(known) < len(windows):
                return dated(*asked) if asked[0] <= asked[1] else None
            ends = max(window.first_day for window in known), min(window.last_day for window in known)
            if ends == (first, last):
                return dated(first, last)
            first, last = ends

    def compare(self, first: Side, second: Side, fdr: float) -> Compared | None:
        if self.revision is None or first.window is None or second.window is None:
            return None
        return _compare(self.version, self.revision, first.window, second.window, fdr)

    def not_counted(self, first: Side, second: Side) -> tuple[NotCounted, ...]:
        windows = [side.window for side in (first, second) if side.window is not None]
        if self.revision is None or all(window.revisions <= {self.revision.pk} for window in windows):
            return ()
        found: dict[str, NotCounted] = {}
        for window in windows:
            for each in not_counted_in(window, self.periods[window.locale], self.revision):
                other = found.get(each.element, each)
                since = None if each.since is None or other.since is None else max(each.since, other.since)
                found[each.element] = each._replace(since=since)
        return tuple(found.values())


def _whole_weeks(periods: Periods) -> tuple[HistogramQuery, HistogramQuery] | None:
    if periods.span is None:
        return None
    last = periods.span[1]
    weeks = (last - (_WEEK - 1) * DAY, last), (last - (2 * _WEEK - 1) * DAY, last - _WEEK * DAY)
    if any((window := periods.inside(*days)) is None or window.left_out(*days) for days in weeks):
        return None
    return dated(*weeks[0]), dated(*weeks[1])


def _compare(version: Version, revision: DictionaryRevision, first: Window, second: Window, fdr: float) -> Compared:
    """Compare what is counted in all of both, and above T on one side at least."""
    both = _in_both(first, second)
    windows = [first, second] if both is None else [first, second, both]
    estimator, counted = estimated_counts(windows, revision)
    positions = np.intersect1d(counted[0].positions, counted[1].positions, assume_unique=True)
    left, right = (_side(version, estimator, each, positions) for each in counted[:2])
    shared = None if both is None else estimation.Side(_at(counted[2], positions), counted[2].n)
    alpha = version.use_case.false_positive_rate
    differences = compare(estimator, left, right, alpha=alpha, fdr=fdr, shared=shared)
    listed = dict.fromkeys(np.flatnonzero(differences.listed).tolist())
    place_of = {int(positions[place]): place for place in listed}
    entries = revision.entries.filter(position__in=place_of).order_by("position")
    texts = entries.values_list("position", "element", "display", "category")
    named = ((place_of[position], element, display, category) for position, element, display, category in texts)
    return as_rows(differences, named, overlapping=shared is not None)


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
