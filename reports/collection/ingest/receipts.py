"""Receipts for accepted uploads, as data and in words."""

import datetime
import uuid
from dataclasses import dataclass, field

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.collection.ingest.problems import Problem
from reports.models import Batch


@dataclass(frozen=True)
class Receipt:
    """Outcome of an upload."""

    # None where records are recognised: after their day is sealed, their batch could be found only if it still waits in
    # quarantine, and naming it would tell that it does.
    batch: uuid.UUID | None
    # The day on which it counts, in quarantine the one on which it would; the latest, if its parts count on several.
    day: datetime.date
    # The day that was asked for; the day on which it came, if none was.
    requested_day: datetime.date
    duplicate: bool
    accepted: int
    rejected: dict[str, int]
    problems: list[Problem] = field(default_factory=list)
    # Whether it is for several use cases.
    several: bool = False

    @classmethod
    def of_duplicate(cls, first: Batch, requested_day: datetime.date) -> "Receipt":
        return cls(first.pk, first.day, requested_day, True, first.accepted, first.rejected)

    def in_words(self) -> str:
        """Describe where the outcome differs from what the sender may expect; empty if it does not."""
        if self.duplicate:
            # Not that they count on it: the first may wait in quarantine, of which not every sender is told.
            words = _("These reports are stored already, for %(day)s, so nothing was added.")
            return words % {"day": date_format(self.day)}
        if self.day != self.requested_day:
            return _closed_in_words(self.requested_day, self.day, several=self.several)
        return ""


def _closed_in_words(requested: datetime.date, counted: datetime.date, *, several: bool) -> str:
    """Say that a day is closed; of an upload for several use cases, perhaps not for all of these."""
    words = _("%(requested)s is closed, so the reports count on %(day)s.")
    if several:
        words = _("%(requested)s is closed for at least some of the reports; these count on %(day)s.")
    return words % {"requested": date_format(requested), "day": date_format(counted)}


def refused_as_closed(requested: datetime.date, possible: datetime.date, *, several: bool) -> str:
    """Say that an upload is refused because its day is closed, and on which day it would count otherwise."""
    words = _("%(requested)s is closed, so the reports would count on %(day)s. Refused, as asked.")
    if several:
        words = _(
            "%(requested)s is closed for at least some of the reports; these would count on %(day)s. Refused, as asked."
        )
    return words % {"requested": date_format(requested), "day": date_format(possible)}
