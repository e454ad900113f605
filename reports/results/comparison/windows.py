"""Which windows are compared if nobody says, and the published histograms of those that somebody asks for."""

import datetime
from dataclasses import replace
from typing import TypeAlias

from django.db.models import Exists, F, OuterRef, QuerySet

from reports.models import Histogram, Version
from reports.results.comparison.query import ComparisonQuery
from reports.results.counted import counted_span, histogram_within
from reports.results.discovered import discovered_histogram
from reports.results.query import HistogramQuery

_DAY = datetime.timedelta(days=1)
# The longest window that is taken if nobody asks for one: more is mostly of long ago, and takes longer to add up.
_LONGEST = 28
_WEEK = 7
# So many published windows that end on the same day are looked at.
_LOOKED_AT = 50

# A window that is asked for or assumed, and its histogram, if it is published or may be.
Found: TypeAlias = tuple[HistogramQuery, Histogram | None]


def find_windows(version: Version, locales: tuple[str, str], query: ComparisonQuery) -> tuple[Found, Found]:
    """Those of both sides, in these locales."""
    asked = [side.has_window for side in (query.first, query.second)]
    if all(asked):
        if locales[0] == locales[1] and query.second.days is not None and query.second.last is None:
            return _length_before(version, locales[0], query.first, query.second)
        return _both(version, locales, query.first, query.second)
    if any(asked):
        return _beside(version, locales, query, given=asked.index(True))
    return _newest(version, locales)


def window_of(first: datetime.date | None, last: datetime.date | None) -> HistogramQuery:
    return HistogramQuery(first=first, last=last)


def _histogram(version: Version, locale: str, window: HistogramQuery) -> Histogram | None:
    if version.discovery is not None:
        return discovered_histogram(version, locale, window)
    # Of what days there are is asked only where the window does not say.
    span = None if window.first is not None and window.last is not None else counted_span(version, locale)
    return histogram_within(span, version, locale, window)


def _both(
    version: Version, locales: tuple[str, str], first: HistogramQuery, second: HistogramQuery
) -> tuple[Found, Found]:
    return (
        (first, _histogram(version, locales[0], first)),
        (second, _histogram(version, locales[1], second)),
    )


def _length_before(version: Version, locale: str, first: HistogramQuery, second: HistogramQuery) -> tuple[Found, Found]:
    """Of one locale, as many days as are asked for on the second side, up to where the first begins.

    Both up to the newest day would be the same reports twice, or some of them.
    """
    histogram = _histogram(version, locale, first)
    if histogram is None:
        return _both(version, (locale, locale), first, second)
    before = replace(second, last=histogram.first_day - _DAY)
    return (first, histogram), (before, _histogram(version, locale, before))


def _beside(version: Version, locales: tuple[str, str], query: ComparisonQuery, given: int) -> tuple[Found, Found]:
    """One window is asked for: the other locale is taken over the same days, or the same locale over those before."""
    asked = query.second if given else query.first
    histogram = _histogram(version, locales[given], asked)
    known = (asked, histogram)
    if locales[0] != locales[1]:
        window = asked if histogram is None else window_of(histogram.first_day, histogram.last_day)
        other = (window, _histogram(version, locales[1 - given], window))
    elif histogram is None:
        return known, known
    else:
        other = _before(version, histogram)
    return (other, known) if given else (known, other)


def _before(version: Version, histogram: Histogram) -> Found:
    """As many days before a window, or the newest list of words that ends before it."""
    if version.discovery is not None:
        earlier = earlier_list(version, histogram)
        if earlier is not None:
            return window_of(earlier.first_day, earlier.last_day), earlier
    window = window_of(*days_before(histogram))
    return window, _histogram(version, histogram.locale, window)


def days_before(histogram: Histogram) -> tuple[datetime.date, datetime.date]:
    """First and last of as many days before its own."""
    first, last = histogram.first_day, histogram.last_day
    return first - (last - first) - _DAY, first - _DAY


def earlier_list(version: Version, histogram: Histogram) -> Histogram | None:
    """The newest that has no day in common, or else the newest before it."""
    found = _published(version, histogram.locale).select_related("discovery").order_by("-last_day", "-first_day")
    apart = found.filter(last_day__lt=histogram.first_day)
    return apart.first() or found.filter(last_day__lt=histogram.last_day).first()


def _newest(version: Version, locales: tuple[str, str]) -> tuple[Found, Found]:
    if locales[0] != locales[1]:
        window = _newest_of_both(version, locales) or HistogramQuery()
        return _both(version, locales, window, window)
    if version.discovery is not None:
        newest = _histogram(version, locales[0], HistogramQuery())
        known = (HistogramQuery(), newest)
        return known, (known if newest is None else _before(version, newest))
    return _newest_of_one(version, locales)


def _newest_of_both(version: Version, locales: tuple[str, str]) -> HistogramQuery | None:
    """The newest window that is published of both locales; of several the longest, up to four weeks."""
    same = _published(version, locales[1]).filter(first_day=OuterRef("first_day"), last_day=OuterRef("last_day"))
    found = _published(version, locales[0]).filter(Exists(same)).order_by("-last_day", "first_day")
    windows = list(found.values_list("first_day", "last_day")[:_LOOKED_AT])
    newest = [first for first, last in windows if last == windows[0][1]]
    if not newest:
        return None
    last = windows[0][1]
    recent = [first for first in newest if (last - first).days < _LONGEST]
    return window_of(min(recent) if recent else max(newest), last)


def _newest_of_one(version: Version, locales: tuple[str, str]) -> tuple[Found, Found]:
    """The newest seven days and those before; or the newest two days; or, of days that are too few, two whole weeks.

    Windows that nobody asked for are published only where that rules out no others: every day of them is published by
    itself, or they are weeks of the calendar, which do not move from one day to the next.
    """
    locale = locales[0]
    span = counted_span(version, locale)
    if span is None:
        return _both(version, locales, HistogramQuery(), HistogramQuery())
    published = _published(version, locale).filter(first_day=F("last_day")).order_by("-last_day")
    days = list(published.values_list("last_day", flat=True)[: 2 * _WEEK])
    if len(days) == 2 * _WEEK and (days[0] - days[-1]).days == 2 * _WEEK - 1:
        return _both(version, locales, window_of(days[_WEEK - 1], days[0]), window_of(days[-1], days[_WEEK]))
    if len(days) > 1:
        return _both(version, locales, window_of(days[0], days[0]), window_of(days[1], days[1]))
    sunday = span.last - (span.last.isoweekday() % _WEEK) * _DAY
    weeks = [window_of(end - (_WEEK - 1) * _DAY, end) for end in (sunday, sunday - _WEEK * _DAY)]
    if span.first <= sunday - _WEEK * _DAY:
        return _both(version, locales, weeks[0], weeks[1])
    return _both(version, locales, window_of(span.last, span.last), window_of(span.last - _DAY, span.last - _DAY))


def _published(version: Version, locale: str) -> QuerySet[Histogram]:
    return version.histograms.filter(locale=locale, grouping="", replaced=False)
