"""Days still to come while the demo is being filled, for pages to say."""

from collections.abc import Iterable

from django.conf import settings

from reports.demo.fleets import ALL, Fleet
from reports.demo.loads import days_not_counted
from reports.locks import Lock, is_held
from reports.models import UseCase

DEFINING, FILLING = 0, 1
"""Keys of `Lock.DEMO`: deeds that no two processes do at the same time."""


def days_to_come(use_case: UseCase) -> int:
    """Count the days of a use case that are being simulated, or are not counted yet; 0 if no demo is being filled."""
    return _days(fleet for fleet in ALL if fleet.slug == use_case.slug)


def all_days_to_come() -> int:
    """Count them over all use cases of the demo, also those that are not defined yet."""
    return _days(ALL)


def _days(fleets: Iterable[Fleet]) -> int:
    # Nothing is asked of the database elsewhere than in the demo.
    if not settings.LDPSITE_DEMO or not is_held(Lock.DEMO, FILLING):
        return 0
    return sum(map(days_not_counted, fleets))
