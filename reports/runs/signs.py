"""Signs of life of workers: whether anybody would take up what is ordered."""

import datetime

from django.db.models import Max, Q
from django.utils import timezone

from reports.models import Part, Run, WorkerSign

# Of workers whose work leaves traces: so many of the newest runs are looked at.
NEWEST = 20


def leave_sign() -> None:
    """Note that a worker is there. Called by what the schedule rings every few seconds."""
    sign = WorkerSign(pk=1, seen_at=timezone.now())
    WorkerSign.objects.bulk_create([sign], update_conflicts=True, unique_fields=["pk"], update_fields=["seen_at"])


def last_sign() -> datetime.datetime | None:
    """When a worker last did anything: for the schedule, or for whatever use case; now if one is at work."""
    now = timezone.now()
    parts = Part.objects.filter(run__state__in=Run.UNFINISHED).aggregate(
        finished=Max("finished_at"), held=Max("lease_expires_at", filter=Q(finished_at=None))
    )
    latest = Run.objects.order_by("-created_at").values_list("finished_at", flat=True)[:NEWEST]
    signs = [parts["finished"], *latest, *WorkerSign.objects.values_list("seen_at", flat=True)]
    if parts["held"] is not None and parts["held"] > now:
        signs.append(now)
    return max((sign for sign in signs if sign is not None), default=None)
