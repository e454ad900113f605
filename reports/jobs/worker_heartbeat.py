"""Heartbeat of the workers: when one last lived that can take up what is ordered."""

import datetime

from django.utils import timezone

from reports.jobs.job_types import JOB_TYPES
from reports.jobs.leases import LEASE
from reports.jobs.working import SLICE_SECONDS
from reports.models.jobs import WorkerHeartbeat

# A worker that takes up a message goes on with parts for a while, and may have just begun the last one.
BUSY = LEASE + datetime.timedelta(seconds=SLICE_SECONDS)


def record_heartbeat() -> None:
    """Record that a worker lives. Called by its tasks: the schedule's, which come every few seconds, and the work."""
    heartbeat = WorkerHeartbeat(pk=1, seen_at=timezone.now())
    WorkerHeartbeat.objects.bulk_create(
        [heartbeat], update_conflicts=True, unique_fields=["pk"], update_fields=["seen_at"]
    )


def last_heartbeat() -> datetime.datetime | None:
    """Return when a worker last took anything up, for the schedule or for a job; now if one is at work.

    Parts and jobs tell too little: `aggregate --inline`, which is no worker, holds leases and ends them likewise.
    """
    seen = WorkerHeartbeat.objects.values_list("seen_at", flat=True).first()
    now = timezone.now()
    if seen is None or now - seen > BUSY:
        return seen
    held = {"parts__finished_at": None, "parts__lease_expires_at__gt": now}
    at_work = any(each.model.objects.unfinished().filter(**held).exists() for each in JOB_TYPES.values())
    return now if at_work else seen
