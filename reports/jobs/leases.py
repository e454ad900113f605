"""Leases of parts: a worker that holds one renews it for as long as its process lives."""

import datetime
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from reports.clock import database_time
from reports.jobs.job_types import type_of
from reports.models.jobs import Job, LeasedPart

logger = logging.getLogger(__name__)

# Renewed every third of it. Short enough that a killed worker's parts do not wait long.
LEASE = datetime.timedelta(seconds=60)


def claim(job: Job, **which: Any) -> Any:
    """Take the lease of the first of these parts of a job that may be had. None if there is none, or the job waits."""
    due = type_of(job).jobs().due().filter(pk=job.pk).first()
    if due is None:
        return None
    now = database_time()
    with transaction.atomic():
        # Locked before it is looked at: of two that come at once, one finds it locked or leased.
        parts = due.parts.available().filter(**which).order_by("step", "errors", "pk")
        part = parts.select_for_update(of=("self",), skip_locked=True).first()
        if part is None:
            return None
        part.lease_expires_at = now + LEASE
        part.attempts += 1
        part.save(update_fields=["lease_expires_at", "attempts"])
    if due.state == Job.State.WAITING:
        due.update_unfinished(state=Job.State.RUNNING, started_at=now)
    return part


def hand_in(part: LeasedPart, *, file_name: str = "", facts: dict[str, Any] | None = None) -> bool:
    """Note that a part is done, and its result; returns False, and notes nothing, if it was done before or is gone."""
    return part.update_unfinished(
        file_name=file_name, facts=part.facts | (facts or {}), finished_at=timezone.now(), lease_expires_at=None
    )


@contextmanager
def heartbeat(part: LeasedPart) -> Iterator[None]:
    """Renew the lease of a part from another thread while the block runs."""
    until = timezone.now() + type_of(part.job).longest
    done = threading.Event()
    thread = threading.Thread(target=_renew, args=(part, part.lease_expires_at, until, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(
    part: LeasedPart, expires: datetime.datetime | None, until: datetime.datetime, done: threading.Event
) -> None:
    try:
        while not done.wait(LEASE.total_seconds() / 3) and timezone.now() < until:
            # Not a lease that expired meanwhile and was taken over.
            mine = type(part).objects.filter(pk=part.pk, finished_at=None, lease_expires_at=expires)
            try:
                renewed = database_time() + LEASE
                if not mine.update(lease_expires_at=renewed):
                    return
                expires = renewed
            except DatabaseError as error:
                logger.warning("The lease of a part could not be renewed (%s)", type(error).__name__)
                connection.close()
    finally:
        connection.close()
