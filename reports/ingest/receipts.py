"""What senders are told about uploads that were not refused, as data and in words."""

import datetime
import uuid
from dataclasses import dataclass, field

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.ingest.problems import Problem
from reports.models import Batch


@dataclass(frozen=True)
class Receipt:
    """What became of an upload."""

    # None of a duplicate whose first batch is sealed: what recognises its records names no batch.
    batch: uuid.UUID | None
    # The day on which it counts; in quarantine the one on which it would.
    day: datetime.date
    duplicate: bool
    accepted: int
    rejected: dict[str, int]
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of_duplicate(cls, first: Batch) -> "Receipt":
        return cls(first.pk, first.day, True, first.accepted, first.rejected)

    def in_words(self) -> str:
        """What is not as the sender may think; empty if all is."""
        if self.duplicate:
            words = _("These reports are stored already and count on %(day)s, so nothing was added.")
            return words % {"day": date_format(self.day)}
        return ""
