"""Heartbeat of the workers: whether any is there to take up what is ordered."""

import datetime

from django.utils import timezone

from reports.models import Part, Run, WorkerSign
from reports.runs.leases import LEASE
from reports.runs.parts import SWEEP_SECONDS

# Whoever takes up a message goes on with parts for a while, and may have just begun the last one.
BUSY = LEASE + datetime.timedelta(seconds=SWEEP_SECONDS)


def leave_sign() -> None:
    """Note that a worker is there. Called by its tasks: what the schedule rings every few seconds, and the work."""
    sign = WorkerSign(pk=1, seen_at=timezone.now())
    WorkerSign.objects.bulk_create([sign], update_conflicts=True, unique_fields=["pk"], update_fields=["seen_at"])


def last_sign() -> datetime.datetime | None:
    """When a worker last took up anything, for the schedule or of whatever use case; now if one is at work.

    Parts and runs tell too little: `aggregate --inline`, which is no worker, holds leases and ends them just so.
    """
    seen = WorkerSign.objects.values_list("seen_at", flat=True).first()
    now = timezone.now()
    if seen is None or now - seen > BUSY:
        return seen
    held = Part.objects.filter(run__state__in=Run.UNFINISHED, finished_at=None, lease_expires_at__gt=now)
    return now if held.exists() else seen
