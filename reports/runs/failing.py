"""What becomes of a run after an error: what passes by itself is waited for, what does not fails it in the end."""

import datetime
import logging
import secrets
import uuid

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from reports.models import Run, failures
from reports.runs.discovery_plan import NoAlphabet
from reports.storage import StorageUnavailable, error_name

logger = logging.getLogger(__name__)

# While a storage or a database is away, a run is tried again after about as long as that has lasted, from a quarter of
# a minute to half an hour.
SHORTEST_DELAY = datetime.timedelta(seconds=15)
LONGEST_DELAY = datetime.timedelta(minutes=30)
# Longer or shorter by up to a quarter: runs that met the same outage shall not all come back at once.
JITTER = 0.25
# After a day without any progress the run fails, and is shown to those who see to it.
PATIENCE = datetime.timedelta(hours=24)
# After a failed run another is ordered by itself, later with each that fails, so that none are ordered in a circle.
FIRST_PAUSE = datetime.timedelta(hours=1)
LONGEST_PAUSE = datetime.timedelta(hours=24)


class WorkersLost(Exception):
    """Every worker that took the part up was gone before it was done."""


def passes_by_itself(error: Exception) -> bool:
    """Whether the storage or the database was away, and neither the part nor the run is at fault."""
    if isinstance(error, FileNotFoundError | FileExistsError):
        return False
    return isinstance(error, StorageUnavailable | OSError | OperationalError | InterfaceError)


def postpone(run_id: uuid.UUID, error: Exception) -> None:
    """Let an unfinished run wait for what passes by itself; fail it if that has lasted for too long."""
    now = timezone.now()
    with transaction.atomic():
        run = Run.objects.filter(pk=run_id, state__in=Run.UNFINISHED).select_for_update().first()
        if run is None or (run.not_before is not None and run.not_before > now):
            return  # another part met the same outage
        since = run.failing_since or now
        if now - since > PATIENCE:
            logger.error("Run %s has waited for too long", run_id, exc_info=error)
            fail(run_id, error)
            return
        delay = min(max(now - since, SHORTEST_DELAY), LONGEST_DELAY)
        jitter = secrets.SystemRandom().uniform(1 - JITTER, 1 + JITTER)
        run.failing_since, run.not_before, run.failure = since, now + delay * jitter, _awaited(error)
        run.save(update_fields=["failing_since", "not_before", "failure"])
    logger.warning("Run %s waits until %s. %s", run_id, run.not_before.isoformat(timespec="seconds"), run.failure)


def resume(run: Run) -> bool:
    """Note that what a run, as it was when this began, was waiting for is back; returns whether it was waiting."""
    if run.failing_since is None:
        return False
    waiting = Run.objects.filter(pk=run.pk, state__in=Run.UNFINISHED)
    return bool(waiting.update(failing_since=None, not_before=None, failure=""))


def fail(run_id: uuid.UUID, error: Exception) -> bool:
    """Return whether it fails now: it may have ended before, because its reports were deleted."""
    now = timezone.now()
    run = Run.objects.filter(pk=run_id, state__in=Run.UNFINISHED)
    return bool(
        run.update(
            state=Run.State.FAILED,
            failure=_in_words(error),
            finished_at=now,
            failing_since=None,
            not_before=now + _pause(run_id),
        )
    )


def _pause(run_id: uuid.UUID) -> datetime.timedelta:
    """Return how long no run of the version is ordered by itself: twice as long for each that failed in a row."""
    runs = Run.objects.filter(version__runs=run_id)
    failed = runs.filter(state=Run.State.FAILED)
    if finished := runs.filter(state=Run.State.FINISHED).first():
        failed = failed.filter(created_at__gt=finished.created_at)
    pause: datetime.timedelta = FIRST_PAUSE * 2 ** min(failed.count(), 10)
    return min(pause, LONGEST_PAUSE)


def _awaited(error: Exception) -> str:
    if isinstance(error, OperationalError | InterfaceError):
        return failures.DATABASE_AWAITED
    return failures.STORAGE_AWAITED % {"error": error_name(error)}


def _in_words(error: Exception) -> str:
    if isinstance(error, NoAlphabet):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return failures.FILE_MISSING
    if isinstance(error, MemoryError | WorkersLost):
        return failures.WORKERS_LOST
    if isinstance(error, StorageUnavailable | OSError):
        return failures.STORAGE_BROKEN % {"error": error_name(error)}
    return failures.UNEXPECTED % {"error": type(error).__name__}
