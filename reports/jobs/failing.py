"""Jobs after an error: a transient one is waited out, any other fails the job when it has come three times."""

import datetime
import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from reports.clock import database_time
from reports.jobs.job_types import type_of
from reports.jobs.wake_ups import enqueue
from reports.models import failures
from reports.models.jobs import Job, LeasedPart
from reports.storage import StorageUnavailable, error_name

logger = logging.getLogger(__name__)

# Errors of a part, or of planning and finishing a job. Transient errors do not count.
MOST_ERRORS = 3
# While a storage or a database is away, a job is tried again after about as long as that has lasted, from a quarter of
# a minute to half an hour.
SHORTEST_DELAY = datetime.timedelta(seconds=15)
LONGEST_DELAY = datetime.timedelta(minutes=30)
# Longer or shorter by up to a quarter: jobs that met the same outage shall not all come back at once.
JITTER = 0.25
# After a day without any progress the job fails, and is shown to those who see to it.
PATIENCE = datetime.timedelta(hours=24)


class WorkersLost(Exception):
    """The part was lost with every worker that took it up."""


class PermanentFailure(Exception):
    """Trying again will not help: the job fails at once, with the message as its reason."""


class Later(Exception):
    """Raised when the part's input is yet to come, as messages of devices are: it is done again after a delay.

    Parameters
    ----------
    words : str
        What the job waits for, in English, as a reason of failure is kept.
    delay : timedelta
    """

    def __init__(self, words: str, delay: datetime.timedelta) -> None:
        super().__init__(words)
        self.delay = delay


def is_transient(error: Exception) -> bool:
    """Tell whether the storage or the database was away, and neither the part nor the job is at fault."""
    if isinstance(error, FileNotFoundError | FileExistsError):
        return False
    return isinstance(error, StorageUnavailable | OSError | OperationalError | InterfaceError)


def abort(part: LeasedPart, error: Exception) -> None:
    """End the lease of a part that could not be done; its job waits, or fails with the part's third error."""
    connection.close_if_unusable_or_obsolete()
    job = part.job
    if is_transient(error):
        part.update_unfinished(lease_expires_at=None, attempts=Greatest(F("attempts") - 1, 0))
        postpone(job, error)
    elif type(part).objects.filter(pk=part.pk).exists():
        logger.error("A part of %s %s failed", job._meta.model_name, job.pk, exc_info=error)
        part.update_unfinished(lease_expires_at=None, errors=F("errors") + 1)
        if part.errors + 1 >= MOST_ERRORS:
            fail(job, error)
    else:
        logger.info("A part of %s %s was dropped meanwhile", job._meta.model_name, job.pk)


def put_off(part: LeasedPart, later: Later) -> None:
    """End the lease of a part that is to be done again, and let its job wait until then. It is no error."""
    part.update_unfinished(lease_expires_at=None, attempts=Greatest(F("attempts") - 1, 0))
    part.job.update_unfinished(failure=str(later), failing_since=None, not_before=database_time() + later.delay)


@contextmanager
def errors_counted(job: Job) -> Iterator[None]:
    """Let planning or finishing a job fail: it waits after a transient error, and fails with the third other one."""
    try:
        yield
    except Exception as error:
        connection.close_if_unusable_or_obsolete()
        if is_transient(error):
            postpone(job, error)
        # It may have ended meanwhile, because what it needs was deleted.
        elif job.update_unfinished(errors=F("errors") + 1):
            logger.exception("%s %s could not be planned or finished", job._meta.model_name, job.pk)
            if isinstance(error, PermanentFailure) or type(job).objects.get(pk=job.pk).errors >= MOST_ERRORS:
                fail(job, error)


def postpone(job: Job, error: Exception) -> None:
    """Let an unfinished job wait after a transient error; fail it if such errors have gone on for too long."""
    now = database_time()
    with transaction.atomic():
        due = type(job).objects.due().filter(pk=job.pk).select_for_update().first()
        if due is None:
            return  # or another part met the same outage
        since = due.failing_since or now
        if now - since > PATIENCE:
            logger.error("%s %s has waited for too long", job._meta.model_name, job.pk, exc_info=error)
            fail(job, error)
            return
        delay = min(max(now - since, SHORTEST_DELAY), LONGEST_DELAY)
        until = now + delay * secrets.SystemRandom().uniform(1 - JITTER, 1 + JITTER)
        awaited = _awaited(error)
        due.update_unfinished(failing_since=since, not_before=until, failure=awaited)
    logger.warning(
        "%s %s waits until %s. %s", job._meta.model_name, job.pk, until.isoformat(timespec="seconds"), awaited
    )


def resume(job: Job) -> bool:
    """Note that what a job, as it was when this began, was waiting for is back; returns whether it was waiting."""
    waited = job.failing_since is not None
    return waited and job.update_unfinished(failing_since=None, not_before=None, failure="")


def fail(job: Job, error: Exception) -> None:
    """Fail a job, unless it has ended."""
    now = database_time()
    job.update_unfinished(
        state=Job.State.FAILED,
        failure=_in_words(error),
        finished_at=now,
        failing_since=None,
        not_before=now + type_of(job).pause(job),
    )


def retry(job: Job) -> None:
    """Give a failed job another chance, and try one that waits now; what is done stays done."""
    with transaction.atomic():
        row = type(job).objects.filter(pk=job.pk)
        if row.filter(state=Job.State.FAILED).update(
            state=Job.State.WAITING, failure="", finished_at=None, errors=0, not_before=None
        ):
            job.parts.unfinished().update(attempts=0, errors=0, lease_expires_at=None)
        elif not row.unfinished().exclude(not_before=None).update(not_before=None):
            return
        transaction.on_commit(lambda: enqueue(job))


def _awaited(error: Exception) -> str:
    if isinstance(error, OperationalError | InterfaceError):
        return failures.DATABASE_AWAITED
    return failures.STORAGE_AWAITED % {"error": error_name(error)}


def _in_words(error: Exception) -> str:
    if isinstance(error, PermanentFailure):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return failures.FILE_MISSING
    if isinstance(error, MemoryError | WorkersLost):
        return failures.WORKERS_LOST
    if isinstance(error, StorageUnavailable | OSError):
        return failures.STORAGE_BROKEN % {"error": error_name(error)}
    return failures.UNEXPECTED % {"error": type(error).__name__}
