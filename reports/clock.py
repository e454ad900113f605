"""Clocks: the database's, which all hosts share, and a check of one's own before anything is deleted for its age.

A clock set forward would delete everything.
"""

import datetime
from dataclasses import dataclass

from django.db import connection, transaction

from reports.models import KnownDay
from reports.models.uploads import utc_today

BELIEVED_DAYS = 3
"""A clock may be so far ahead of the last day known: a long weekend without a worker."""

DOUBTED_DAYS = 7
"""A clock that goes on for so long after it jumped is believed: the site was off, and has its promise to keep."""


@dataclass(eq=False)
class ClockDoubt(Exception):
    """The clock is ahead of the last day known by more than it may be."""

    today: datetime.date
    known: datetime.date
    # The first day that it said.
    since: datetime.date

    @property
    def believed_from(self) -> datetime.date:
        """The day from which on it is believed, though no person has said so."""
        return self.since + datetime.timedelta(days=DOUBTED_DAYS)

    def __str__(self) -> str:
        return (
            f"The clock says {self.today}, but the last day known here is {self.known}, so nothing is deleted for its"
            " age. If the clock is wrong, set it. If it is right (the site was off): manage.py expire --trust-clock."
            f" Without either, it is believed from {self.believed_from} on."
        )


def database_time() -> datetime.datetime:
    """Return the time by the database's clock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        (time,) = cursor.fetchone()
    found: datetime.datetime = time
    return found


def clock_doubt() -> ClockDoubt | None:
    """Say why nothing would be deleted for its age now; None if the clock is believed."""
    return _doubt(KnownDay.objects.first(), utc_today())


def follow_clock(*, trust: bool = False) -> None:
    """Note that today is known, or raise ClockDoubt unless the clock is to be trusted whatever it says."""
    with transaction.atomic():
        known, today = KnownDay.objects.select_for_update().first(), utc_today()
        doubt = None if trust else _doubt(known, today)
        if doubt is None:
            KnownDay.objects.update_or_create(pk=1, defaults={"day": today, "doubted_since": None})
        else:
            KnownDay.objects.update(doubted_since=doubt.since)
    if doubt is not None:
        raise doubt


def _doubt(known: KnownDay | None, today: datetime.date) -> ClockDoubt | None:
    if known is None or today <= known.day + datetime.timedelta(days=BELIEVED_DAYS):
        return None
    # A clock that was set back meanwhile begins anew.
    doubt = ClockDoubt(today, known.day, min(known.doubted_since or today, today))
    return doubt if today < doubt.believed_from else None
