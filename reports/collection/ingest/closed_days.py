"""Days that are closed: what is sent for them counts on the current day instead."""

import datetime
from collections.abc import Iterable

from reports.models import Sealing, UseCase, Version
from reports.models.uploads import utc_today


def closed_days(use_cases: Iterable[UseCase]) -> dict[UseCase, list[datetime.date]]:
    """Return the closed days for which reports could still be sent, of use cases that have any; in order."""
    today = utc_today()
    taking_in = Version.objects.filter(state__in=[Version.State.ACTIVE, Version.State.SUPERSEDED])
    found: dict[UseCase, list[datetime.date]] = {}
    for use_case in use_cases:
        if use_case.state == UseCase.State.RUNNING:
            sealed = Sealing.objects.filter(
                version__in=taking_in.filter(use_case=use_case), day__gte=use_case.first_day_kept(today), day__lt=today
            )
            if days := sorted(set(sealed.values_list("day", flat=True))):
                found[use_case] = days
    return found
