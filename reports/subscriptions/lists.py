"""The published lists that somebody is told of, and those before, which they are compared with."""

import datetime
from itertools import groupby
from typing import Final, NamedTuple

from django.db.models import F

from reports.models import Histogram, Version
from reports.results import publish_windows

# Of a longer backlog the newest days are told.
MOST_DAYS: Final = 7
SUNDAY: Final = 7
_DAY: Final = datetime.timedelta(days=1)
_WEEK: Final = 7 * _DAY
# A week of lists to tell of, each of a week at most, and a week of lists before.
_FETCHED: Final = 3 * _WEEK


class Lists(NamedTuple):
    """Of a locale, the newest first: those since somebody was last told, and those before."""

    since: list[Histogram]
    before: list[Histogram]


def lists_of(version: Version, locale: str, told: datetime.date | None, up_to: datetime.date) -> Lists:
    """One for each day: of the day by itself, or of the words up to it. Of weeks, where days have too few reports."""
    published = version.histograms.filter(locale=locale, grouping="", replaced=False, last_day__lte=up_to)
    found = published.filter(last_day__gt=up_to - _FETCHED)
    if version.discovery is None:
        found = found.filter(first_day=F("last_day"))
    ordered = found.order_by("-last_day", "first_day")
    # Of several windows that end on a day the longest: a list of one day would call new what is known for a week.
    lists = [next(lists) for _day, lists in groupby(ordered, key=lambda histogram: histogram.last_day)]
    after = told or datetime.date.min
    since = [histogram for histogram in lists if histogram.last_day > after][:MOST_DAYS]
    if since:
        return Lists(since, lists[len(since) :])
    if version.discovery is None and published.exists():
        return _weeks(version, locale, after, up_to)
    return Lists([], [])


def _weeks(version: Version, locale: str, after: datetime.date, up_to: datetime.date) -> Lists:
    """The last whole week and the one before, of the calendar: published now, if nobody has asked for them yet.

    They do not move from day to day, and so rule out no windows but those that cross them.
    """
    sunday = up_to - up_to.isoweekday() % SUNDAY * _DAY
    if sunday <= after:
        return Lists([], [])
    weeks = publish_windows(version, [(locale, end - _WEEK + _DAY, end) for end in (sunday, sunday - _WEEK)])
    last, before = ([] if week is None else [week] for week in weeks)
    return Lists(last, before)
