"""The definitions that documents of devices are judged by, read every few seconds and not for every document."""

import datetime
import threading
import time
from functools import lru_cache
from typing import NamedTuple

from reports.collection.ingest.documents import Resolver
from reports.models import UseCase
from reports.models.uploads import utc_today

# So long a process may go on taking in what has just been paused, or refusing what has just been defined.
KEPT_SECONDS = 5


class Budget(NamedTuple):
    """A device's daily limit for a use case, or for a budget group as a whole; equal for use cases that share it."""

    group: int | None
    use_case: int | None
    daily_limit: int
    # The group's name, or the slug: both are in the device configuration.
    name: str


class Definitions:
    """Definitions in force on a day."""

    def __init__(self, today: datetime.date) -> None:
        self.today = today
        self.budgets = {
            use_case.pk: Budget(use_case.budget_group_id, None, use_case.reports_per_day, use_case.budget_group.name)
            if use_case.budget_group
            else Budget(None, use_case.pk, use_case.reports_per_day, use_case.slug)
            for use_case in UseCase.objects.filter(simulation_of=None).select_related("budget_group")
        }
        # Only those with a budget: another may have been defined in this moment.
        self.resolver = Resolver(UseCase.objects.filter(pk__in=list(self.budgets)), today)


_lock = threading.Lock()


def definitions_in_force() -> Definitions:
    """Return the definitions of this moment, or of the last few seconds; never those of yesterday."""
    with _lock:  # of several that find them old, one reads and the others wait
        return read_definitions(utc_today(), time.monotonic() // KEPT_SECONDS)


@lru_cache(maxsize=1)
def read_definitions(today: datetime.date, turn: float) -> Definitions:
    return Definitions(today)
