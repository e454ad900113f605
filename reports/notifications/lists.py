"""The histograms that a message is about, and earlier ones, which they are compared with."""

import datetime
from itertools import groupby
from typing import Final, NamedTuple

from reports.models import Histogram, Version
from reports.publication import Periods, Window, periods_of
from reports.results import histograms_of

# Of a longer backlog the newest are delivered.
MOST_DELIVERED: Final = 7
SUNDAY: Final = 7
_DAY: Final = datetime.timedelta(days=1)
_WEEK: Final = 7 * _DAY
# A week of lists to deliver, each of a week at most, and a week of lists before.
_FETCHED: Final = 3 * _WEEK


class Lists(NamedTuple):
    """Histograms of a locale, the newest first: those since the last message, and those before."""

    since: list[Histogram]
    before: list[Histogram]


def lists_of(version: Version, locale: str, delivered: datetime.date | None, up_to: datetime.date) -> Lists:
    """Return one histogram for each period, or for each day up to which words were searched."""
    after = delivered or datetime.date.min
    if version.discovery is None:
        return _of_periods(version, locale, after, up_to)
    lists = _lists_of_words(version, locale, up_to)
    since = [histogram for histogram in lists if histogram.last_day > after][:MOST_DELIVERED]
    return Lists(since, lists[len(since) :]) if since else Lists([], [])


def _of_periods(version: Version, locale: str, after: datetime.date, up_to: datetime.date) -> Lists:
    revision = version.current_dictionary()
    windows = _single_periods(periods_of(version, [locale])[locale], up_to)
    since = [window for window in windows if window.last_day > after][:MOST_DELIVERED]
    if not since or revision is None or not revision.size:
        return Lists([], [])
    oldest = since[-1]
    before = [
        window
        for window in windows[len(since) :]
        if window.last_day > oldest.last_day - _WEEK or window is windows[len(since)]
    ]
    return Lists(histograms_of(since, revision), histograms_of(before, revision))


def _single_periods(periods: Periods, up_to: datetime.date) -> list[Window]:
    """The windows of single periods, or of several of the same days, that are over, the newest first."""
    days = {(each.first_day, each.last_day) for each in periods.released if each.last_day <= up_to}
    windows = (periods.inside(*each) for each in sorted(days, key=lambda each: (each[1], each[0]), reverse=True))
    return [window for window in windows if window is not None]


def _lists_of_words(version: Version, locale: str, up_to: datetime.date) -> list[Histogram]:
    found = version.histograms.ungrouped().filter(locale=locale, last_day__lte=up_to, last_day__gt=up_to - _FETCHED)
    ordered = found.newest_first()
    # Of several windows that end on a day the longest: a list of one day would call new what is known for a week.
    return [next(lists) for _day, lists in groupby(ordered, key=lambda histogram: histogram.last_day)]
