"""Heartbeat of the workers: when one last lived that can take up what is ordered."""

import datetime

from django.utils import timezone

from reports.models import Part, Run, WorkerHeartbeat
from reports.runs.leases import LEASE
from reports.runs.parts import SWEEP_SECONDS

# Whoever takes up a message goes on with parts for a while, and may have just begun the last one.
BUSY = LEASE + datetime.timedelta(seconds=SWEEP_SECONDS)


def record_heartbeat() -> None:
    """Record that a worker lives. Called by its tasks: the schedule's, which come every few seconds, and the work."""
    heartbeat = WorkerHeartbeat(pk=1, seen_at=timezone.now())
    WorkerHeartbeat.objects.bulk_create(
        [heartbeat], update_conflicts=True, unique_fields=["pk"], update_fields=["seen_at"]
    )


def last_heartbeat() -> datetime.datetime | None:
    """Return when a worker last took anything up, for the schedule or for a run; now if one is at work.

    Parts and runs tell too little: `aggregate --inline`, which is no worker, holds leases and ends them likewise.
    """
    seen = WorkerHeartbeat.objects.values_list("seen_at", flat=True).first()
    now = timezone.now()
    if seen is None or now - seen > BUSY:
        return seen
    held = Part.objects.filter(run__state__in=Run.UNFINISHED, finished_at=None, lease_expires_at__gt=now)
    return now if held.exists() else seen
