"""Days that are closed: what is sent for them counts on the current day instead."""

import datetime
from collections.abc import Iterable

from django.db.models import Q

from reports.models import Sealing, UseCase, Version
from reports.models.uploads import utc_today


def closed_days(use_cases: Iterable[UseCase]) -> dict[UseCase, list[datetime.date]]:
    """Return the closed days for which reports could still be sent, of use cases that have any; in order."""
    today = utc_today()
    running = [each for each in use_cases if each.state == UseCase.State.RUNNING]
    kept = Q(pk__in=[])  # nothing, of none
    for use_case in running:
        kept |= Q(version__use_case=use_case, day__gte=use_case.first_day_kept(today))
    taking_in = [Version.State.ACTIVE, Version.State.SUPERSEDED]
    sealed = Sealing.objects.filter(kept, version__state__in=taking_in, day__lt=today).order_by("day")
    days: dict[int, list[datetime.date]] = {}
    for pk, day in sealed.values_list("version__use_case", "day").distinct():
        days.setdefault(pk, []).append(day)
    return {use_case: days[use_case.pk] for use_case in running if use_case.pk in days}
