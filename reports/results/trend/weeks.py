"""Weeks of the calendar: those that are over, which are published, and along the axis of a trend one that goes on."""

import datetime
from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

from django.db.models import Min

from reports.models import ReadOut, Version
from reports.results.known import Window
from reports.results.trend.counted import Counted, days_between

# So long after a week one need not wait for its last days any more, if nothing came.
PATIENCE: Final = datetime.timedelta(days=8)
_DAY: Final = datetime.timedelta(days=1)
_WEEK: Final = datetime.timedelta(days=7)

Week: TypeAlias = tuple[datetime.date, datetime.date]


def weeks(counted: Counted, locales: Collection[str], first: datetime.date, last: datetime.date) -> list[Week]:
    """From Monday to Sunday, those that are over, and one that goes on if something is known of it.

    Weeks of the calendar, whoever asks when: windows that overlap would be published for every day on which somebody
    looks, and those with small days refused because of each other.
    """
    return [
        week
        for week in _calendar(first, last)
        if is_over(counted, *week)
        or any(counted.has_reports(locale, *week) or counted.is_waiting(locale, *week) for locale in locales)
    ]


def weeks_over(version: Version, locales: Collection[str], first: datetime.date, last: datetime.date) -> list[Window]:
    """The weeks with some of these days that are over, of locales that were counted since before they began.

    Each as the window from the first to the last of its days with counts, as which it is published. Pages may show
    all of them, by the same rules.
    """
    spans = ReadOut.objects.filter(version=version, locale__in=locales).order_by().values("locale")
    oldest = dict(spans.annotate(oldest=Min("day")).values_list("locale", "oldest"))
    calendar = list(_calendar(first, last))
    counted = Counted(version, list(oldest), days_between(calendar[0][0], calendar[-1][1]))
    over = [week for week in calendar if is_over(counted, *week)]
    return [
        (locale, *counted.within(locale, *week))
        for locale in oldest
        for week in over
        if oldest[locale] <= week[0] and counted.has_reports(locale, *week) and not counted.is_waiting(locale, *week)
    ]


def _calendar(first: datetime.date, last: datetime.date) -> Iterator[Week]:
    """All weeks with some of these days."""
    monday = first - first.weekday() * _DAY
    while monday <= last:
        yield monday, monday + 6 * _DAY
        monday += _WEEK


def is_over(counted: Counted, first: datetime.date, last: datetime.date) -> bool:
    """Whether a week may be shown, if nothing of it waits; days are, as soon as they are counted.

    Of one locale as soon as any is counted to its end: whoever publishes, and all pages, have to agree.
    """
    if first == last:
        return True
    return last < counted.today and (last + PATIENCE <= counted.today or last <= counted.newest)
