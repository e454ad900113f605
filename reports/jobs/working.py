"""Work on jobs by any number of workers: each job is planned once, each part stored once."""

import datetime
import time
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from reports.jobs.failing import Later, WorkersLost, abort, errors_counted, fail, put_off, resume
from reports.jobs.job_types import JOB_TYPES, type_of
from reports.jobs.leases import claim, heartbeat
from reports.jobs.progress import Progress, progress_of
from reports.jobs.wake_ups import enqueue
from reports.locks import Lock, advisory_lock
from reports.models.jobs import AnyJob, Job, LeasedPart

# A job that no worker has ever taken up is found by the sweep after this long: its message may be lost.
UNCLAIMED = datetime.timedelta(seconds=30)
# Workers that end in the middle of a part: upgrades and power cuts hardly meet the same one so often.
MOST_LOST = 6
# How long a worker goes on with a job before it looks for another: with a last part, less than any broker's visibility
# timeout.
SLICE_SECONDS = 10
POLL_SECONDS = 0.2


def begin(job: Job) -> None:
    """Plan a job that is not planned yet, and finish one of whose parts none is left."""
    with errors_counted(job):
        _plan(job)
    _complete(job)


def _plan(job: Job) -> None:
    with advisory_lock(Lock.PLAN, job.pk, wait=False) as acquired:
        job_type = type_of(job)
        due = job_type.jobs().due().filter(pk=job.pk, planned_at=None).first() if acquired else None
        if due is None:
            return
        if due.state == Job.State.WAITING:
            due.update_unfinished(state=Job.State.RUNNING, started_at=timezone.now())
        job_type.prepare(due)
        with transaction.atomic():
            due.parts.bulk_create(job_type.cut(due))
            job_type.model.objects.filter(pk=due.pk).update(planned_at=timezone.now())
            resume(due)


def _complete(job: Job, *, wait: bool = False) -> None:
    """Finish a job if its parts are all done, once.

    After the last part one has to wait for the lock: its holder may have looked before that part was done.
    """
    with errors_counted(job):
        due = type_of(job).jobs().due().filter(pk=job.pk)
        if not _is_complete(due.first()):
            return
        with advisory_lock(Lock.COMPLETE, job.pk, wait=wait) as acquired:
            if acquired and _is_complete(found := due.first()):
                type_of(job).finish(found)


def _is_complete(job: Any) -> bool:
    return job is not None and job.is_complete


def do(part: LeasedPart) -> None:
    """Do a part whose lease was taken, and finish its job if it was the last one."""
    job = part.job
    is_lost = part.attempts - part.errors > MOST_LOST
    try:
        with heartbeat(part):
            if not is_lost:
                type_of(job).do(part)
            elif not type_of(job).give_up(part):
                fail(job, WorkersLost())
                return
    except Later as later:
        put_off(part, later)
        return
    except Exception as error:  # noqa: BLE001 - whatever it is, the lease ends
        abort(part, error)
        return
    if resume(job):
        enqueue(job)  # the others waited as well
    _complete(job, wait=True)


def work_on(job: Job) -> None:
    """Answer a wake-up: do a part, if there is any to be had, and go on for a while with those that were never begun.

    A worker that finds more than it can do calls another, so that one message is on its way while there is work.
    """
    started = time.monotonic()
    begin(job)
    part = claim(job)
    if part is not None and job.parts.available().filter(attempts=0).exists():
        enqueue(job)
    while part is not None:
        _do_and_call(part)
        if time.monotonic() - started > SLICE_SECONDS:
            return
        part = claim(job, attempts=0)


def _do_and_call(part: LeasedPart) -> None:
    """Do a part, and call the workers that found nothing more to do, if the next step begins with it."""
    do(part)
    if part.job.parts.ready().filter(step__gt=part.step).exists():
        enqueue(part.job)


def sweep() -> None:
    """Take up what lies about: lost messages, parts of dead workers, complete jobs that were never finished.

    Stops in time for its own message not to be delivered again; the next sweep goes on.
    """
    jobs = [job for each in JOB_TYPES.values() for job in each.jobs().due().order_by("created_at")]
    until = time.monotonic() + SLICE_SECONDS
    for job in jobs:
        if time.monotonic() > until:
            break
        _begin_abandoned(job)
    # With a time of their own: a job that takes long and fails each time would keep every sweep from them.
    until = time.monotonic() + SLICE_SECONDS
    for job in jobs:
        _do_abandoned(job, until)


def take_up(job: Job) -> None:
    """Do what is left of a job whose workers are gone."""
    if due := type_of(job).jobs().due().filter(pk=job.pk).first():
        _begin_abandoned(due)
        _do_abandoned(due, float("inf"))


def _is_unclaimed(job: Job) -> bool:
    return job.created_at < timezone.now() - UNCLAIMED


def _begin_abandoned(job: Job) -> None:
    if _is_unclaimed(job) and (job.planned_at is None or job.is_complete):
        begin(job)


def _do_abandoned(job: Job, until: float) -> None:
    """Do the parts whose worker is gone, or whose message never arrived, each once."""
    parts = job.parts.available()
    if not _is_unclaimed(job):
        parts = parts.exclude(lease_expires_at=None)
    for pk in parts.order_by("step", "pk").values_list("pk", flat=True):
        if time.monotonic() > until:
            return
        part = claim(job, pk=pk)
        if part is not None:
            _do_and_call(part)


def finish_inline(job: AnyJob, report: Callable[[Progress], None] | None = None) -> AnyJob:
    """Do all parts of a job here, without a worker; waits for those that others are at."""
    while True:
        found: AnyJob = type_of(job).jobs().get(pk=job.pk)
        if report is not None:
            report(progress_of(found))
        if found.state not in Job.UNFINISHED:
            return found
        if found.planned_at is None or found.is_complete:
            begin(found)
        part = claim(found)
        if part is not None:
            do(part)
        elif not found.is_complete:
            time.sleep(POLL_SECONDS)
