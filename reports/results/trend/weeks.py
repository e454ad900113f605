"""Weeks of the calendar along the axis of a trend: those that are over, and one that goes on."""

import datetime
from collections.abc import Collection
from typing import Final

from reports.models.uploads import utc_today
from reports.results.trend.counted import Counted

# So long after a week one need not wait for its last days any more, if nothing came.
PATIENCE: Final = datetime.timedelta(days=8)
_DAY: Final = datetime.timedelta(days=1)
_WEEK: Final = datetime.timedelta(days=7)


def weeks(
    counted: Counted, locales: Collection[str], first: datetime.date, last: datetime.date
) -> list[tuple[datetime.date, datetime.date]]:
    """From Monday to Sunday, those that are over, and one that goes on if something is known of it.

    Weeks of the calendar, whoever asks when: windows that overlap would be published for every day on which somebody
    looks, and those with small days refused because of each other.
    """
    monday = first - first.weekday() * _DAY
    found = []
    while monday <= last:
        week = (monday, monday + 6 * _DAY)
        if is_over(counted, *week) or any(
            counted.has_reports(locale, *week) or counted.is_waiting(locale, *week) for locale in locales
        ):
            found.append(week)
        monday += _WEEK
    return found


def is_over(counted: Counted, first: datetime.date, last: datetime.date) -> bool:
    """Whether nothing more will come of a week, and so it may be shown; days are, as soon as they are counted."""
    if first == last:
        return True
    return last < utc_today() and (last + PATIENCE <= utc_today() or last <= counted.newest)
