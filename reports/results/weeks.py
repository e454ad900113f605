"""Weeks of the calendar, which are published when they are over: windows that do not move from one day to the next."""

import datetime
from collections.abc import Collection
from typing import Final

from django.db.models import Max, Min

from reports.models import ReadOut, Version
from reports.models.uploads import utc_today
from reports.results.known import Window

_DAY: Final = datetime.timedelta(days=1)
_WEEK: Final = datetime.timedelta(days=7)


def weeks_over(version: Version, locales: Collection[str], first: datetime.date, last: datetime.date) -> list[Window]:
    """The weeks, Monday to Sunday, with some of these days, in which a locale was counted from beginning to end.

    Each as the window from the first to the last of its days with counts, as which it is published.
    """
    read = ReadOut.objects.filter(version=version, locale__in=locales).order_by()
    spans = read.values("locale").annotate(oldest=Min("day"), newest=Max("day"))
    monday, sunday = first - first.weekday() * _DAY, last + (7 - last.isoweekday()) * _DAY
    days: dict[str, set[datetime.date]] = {}
    within = read.filter(day__range=(monday, sunday))
    for locale, day in within.values_list("locale", "day").distinct():
        days.setdefault(locale, set()).add(day)
    yesterday = utc_today() - _DAY
    found = []
    for locale, oldest, newest in spans.values_list("locale", "oldest", "newest"):
        begin = monday if monday >= oldest else oldest + (7 - oldest.weekday()) % 7 * _DAY
        while begin + 6 * _DAY <= min(newest, sunday, yesterday):
            counted = [day for day in sorted(days.get(locale, ())) if begin <= day < begin + _WEEK]
            if counted:
                found.append((locale, counted[0], counted[-1]))
            begin += _WEEK
    return found
