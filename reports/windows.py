"""Windows of days."""

import datetime

from django.db.models import Q

# A word that is rare on a day is found over several. Longer windows mix what was new with what no longer is.
DISCOVERY_DAYS = 7


def first_of_window(last: datetime.date) -> datetime.date:
    """The first day of the window in which words are looked for if nobody asks for another."""
    return last - datetime.timedelta(days=DISCOVERY_DAYS - 1)


def in_window(first: datetime.date | None, last: datetime.date | None) -> Q:
    """Rows whose `day` lies in the window; an end that is not given is open."""
    window = Q()
    if first is not None:
        window &= Q(day__gte=first)
    if last is not None:
        window &= Q(day__lte=last)
    return window
