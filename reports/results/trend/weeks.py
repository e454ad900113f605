"""Weeks of the calendar along the axis of a trend: those that are over, and one that goes on."""

import datetime
from collections.abc import Collection
from typing import Final, TypeAlias

from django.db.models import Max

from reports.models import Version
from reports.models.uploads import utc_today
from reports.publication import Periods
from reports.results.warming import calendar_weeks

# So long after a week one need not wait for its last days any more, if nothing came.
PATIENCE: Final = datetime.timedelta(days=8)

Week: TypeAlias = tuple[datetime.date, datetime.date]


def weeks(
    version: Version, periods: Collection[Periods], first: datetime.date, last: datetime.date
) -> list[tuple[Week, bool]]:
    """From Monday to Sunday, with whether each is over: all that are, and one that goes on if a period lies in it.

    Weeks of the calendar, whoever asks when. Of one locale a week is over as soon as any has a period up to its end:
    all pages have to agree.
    """
    today = utc_today()
    shown = version.periods.shown(version.use_case.minimum_reports)
    newest = shown.aggregate(newest=Max("last_day"))["newest"] or datetime.date.min
    found = []
    for monday, sunday in calendar_weeks(first, last):
        is_over = sunday < today and (sunday + PATIENCE <= today or sunday <= newest)
        if is_over or any(each.inside(monday, sunday) is not None for each in periods):
            found.append(((monday, sunday), is_over))
    return found
