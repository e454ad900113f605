"""Which windows are compared if nobody says, and what is shown of those that somebody asks for."""

import datetime
from dataclasses import replace
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from reports.models import Histogram, Version
from reports.models.histograms import HistogramQuerySet
from reports.publication import Days, Periods, Window, periods_of
from reports.results.comparison.query import ComparisonQuery
from reports.results.counted import asked_window, left_out
from reports.results.discovered import discovered_histogram
from reports.results.histograms import histogram_of
from reports.results.query import HistogramQuery

_DAY = datetime.timedelta(days=1)
# The longest window that is taken if nobody asks for one: more is mostly of long ago, and takes longer to add up.
_LONGEST = 28
_WEEK = 7
# So many lists that end on the same day are looked at.
_LOOKED_AT = 50


class Found(NamedTuple):
    """A window that is asked for or assumed, and what is shown of it, if it has periods or is searched for words."""

    query: HistogramQuery
    histogram: Histogram | None = None
    # Of a dictionary; and the days asked for that are in none of its periods.
    window: Window | None = None
    left_out: tuple[Days, ...] = ()


def find_windows(version: Version, locales: tuple[str, str], query: ComparisonQuery) -> tuple[Found, Found]:
    """Those of both sides, in these locales."""
    find = _Finder(version, locales)
    asked = [side.has_window for side in (query.first, query.second)]
    if all(asked):
        if locales[0] == locales[1] and query.second.days is not None and query.second.last is None:
            return find.length_before(query.first, query.second)
        return find.both(query.first, query.second)
    if any(asked):
        return find.beside(query, given=asked.index(True))
    return find.newest()


def window_of(first: datetime.date | None, last: datetime.date | None) -> HistogramQuery:
    return HistogramQuery(first=first, last=last)


class _Finder:
    """Finds what is shown of windows of two locales."""

    def __init__(self, version: Version, locales: tuple[str, str]) -> None:
        self.version, self.locales = version, locales
        self.is_of_one = locales[0] == locales[1]
        self.discovers = version.discovery is not None
        # Of a dictionary.
        self.periods = {} if self.discovers else periods_of(version, set(locales))
        self.revision = None if self.discovers else version.current_dictionary()

    def find(self, locale: str, query: HistogramQuery) -> Found:
        if self.discovers:
            return Found(query, discovered_histogram(self.version, locale, query))
        periods = self.periods[locale]
        window = asked_window(periods, query)
        if window is None or self.revision is None or not self.revision.size:
            return Found(query)
        return Found(query, histogram_of(window, self.revision), window, tuple(left_out(periods, window, query)))

    def both(self, first: HistogramQuery, second: HistogramQuery) -> tuple[Found, Found]:
        return self.find(self.locales[0], first), self.find(self.locales[1], second)

    def length_before(self, first: HistogramQuery, second: HistogramQuery) -> tuple[Found, Found]:
        """Of one locale, as many days as are asked for on the second side, up to where the first begins.

        Both up to the newest day would be the same reports twice, or some of them.
        """
        found = self.find(self.locales[0], first)
        last = second.last if found.histogram is None else found.histogram.first_day - _DAY
        return found, self.find(self.locales[1], replace(second, last=last))

    def beside(self, query: ComparisonQuery, given: int) -> tuple[Found, Found]:
        """One window is asked for: the other locale has the same days, and the same locale those before."""
        asked = query.second if given else query.first
        known = self.find(self.locales[given], asked)
        histogram = known.histogram
        if not self.is_of_one:
            window = asked if histogram is None else window_of(histogram.first_day, histogram.last_day)
            other = self.find(self.locales[1 - given], window)
        else:
            other = known if histogram is None else self.before(histogram)
        return (other, known) if given else (known, other)

    def before(self, histogram: Histogram) -> Found:
        """As many days before a window, or else what ends last before it: a period, or a list of words."""
        locale = histogram.locale
        if self.discovers:
            earlier = earlier_list(self.version, histogram)
            if earlier is not None:
                return Found(window_of(earlier.first_day, earlier.last_day), earlier)
            return self.find(locale, window_of(*days_before(histogram)))
        days = days_before(histogram)
        if self.periods[locale].inside(*days) is None:
            newest = self.periods[locale].newest(days[1])
            days = days if newest is None else (newest.first_day, newest.last_day)
        return self.find(locale, window_of(*days))

    def newest(self) -> tuple[Found, Found]:
        if not self.is_of_one:
            window = (self._newest_lists() if self.discovers else self._newest_days()) or HistogramQuery()
            return self.both(window, window)
        weeks = None if self.discovers else _whole_weeks(self.periods[self.locales[0]])
        if weeks is not None:
            return self.both(*weeks)
        query = HistogramQuery() if self.discovers else _newest_period(self.periods[self.locales[0]])
        known = self.find(self.locales[0], query)
        return known, (known if known.histogram is None else self.before(known.histogram))

    def _newest_lists(self) -> HistogramQuery | None:
        """The newest days of which both locales have a list; of several the longest, up to four weeks."""
        first, second = (_lists(self.version, locale) for locale in self.locales)
        same = second.filter(first_day=OuterRef("first_day"), last_day=OuterRef("last_day"))
        found = first.filter(Exists(same)).newest_first()
        windows = list(found.values_list("first_day", "last_day")[:_LOOKED_AT])
        newest = [first for first, last in windows if last == windows[0][1]]
        if not newest:
            return None
        last = windows[0][1]
        recent = [first for first in newest if (last - first).days < _LONGEST]
        return window_of(min(recent) if recent else max(newest), last)

    def _newest_days(self) -> HistogramQuery | None:
        """The newest four weeks of which both locales have periods, or as much as begins and ends alike in both."""
        spans = [each.span for each in self.periods.values() if each.span is not None]
        if len(spans) < len(self.periods):
            return None
        last = min(span[1] for span in spans)
        first = max(last - (_LONGEST - 1) * _DAY, *(span[0] for span in spans))
        asked = first, last
        while True:
            windows = [each.inside(first, last) for each in self.periods.values()]
            known = [window for window in windows if window is not None]
            if len(known) < len(windows):
                return window_of(*asked) if asked[0] <= asked[1] else None
            ends = max(window.first_day for window in known), min(window.last_day for window in known)
            if ends == (first, last):
                return window_of(first, last)
            first, last = ends


def _whole_weeks(periods: Periods) -> tuple[HistogramQuery, HistogramQuery] | None:
    """The newest seven days and those before, if periods span all of them."""
    if periods.span is None:
        return None
    last = periods.span[1]
    weeks = (last - (_WEEK - 1) * _DAY, last), (last - (2 * _WEEK - 1) * _DAY, last - _WEEK * _DAY)
    if any((window := periods.inside(*days)) is None or window.left_out(*days) for days in weeks):
        return None
    return window_of(*weeks[0]), window_of(*weeks[1])


def _newest_period(periods: Periods) -> HistogramQuery:
    newest = periods.newest()
    return HistogramQuery() if newest is None else window_of(newest.first_day, newest.last_day)


def days_before(histogram: Histogram) -> tuple[datetime.date, datetime.date]:
    """First and last of as many days before its own."""
    first, last = histogram.first_day, histogram.last_day
    return first - (last - first) - _DAY, first - _DAY


def earlier_list(version: Version, histogram: Histogram) -> Histogram | None:
    """The newest that has no day in common, or else the newest before it."""
    found = _lists(version, histogram.locale).select_related("discovery").order_by("-last_day", "-first_day")
    apart = found.filter(last_day__lt=histogram.first_day)
    return apart.first() or found.filter(last_day__lt=histogram.last_day).first()


def _lists(version: Version, locale: str) -> HistogramQuerySet:
    return version.histograms.ungrouped().filter(locale=locale)
