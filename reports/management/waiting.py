"""Waiting for jobs that workers do, on the command line."""

import datetime
import time
from collections.abc import Callable
from typing import cast

from django.core.management.base import CommandError, OutputWrapper

from reports.jobs import Progress, finish_inline, progress_of, take_up
from reports.models.jobs import AnyJob, Job

POLL_SECONDS = 0.2
# A worker that runs answers within a second or two; a message lost with the broker is swept up after thirty.
PATIENCE_SECONDS = 45


def finished(job: AnyJob, stderr: OutputWrapper, *, inline: bool) -> AnyJob:
    """Return a job when it has ended: done here, or by workers. Raises `CommandError` if none takes it up."""
    report = reporter(stderr)
    if inline:
        return finish_inline(job, report)
    started = time.monotonic()
    while True:
        found = cast(AnyJob, type(job)._default_manager.get(pk=job.pk))
        report(progress_of(found))
        if found.state not in Job.UNFINISHED:
            return found
        if found.state == Job.State.WAITING and time.monotonic() - started > PATIENCE_SECONDS:
            raise CommandError("No worker has taken this up. Start one, or call the command again with --inline.")
        take_up(found)
        time.sleep(POLL_SECONDS)


def reporter(stderr: OutputWrapper) -> Callable[[Progress], None]:
    """Return what writes how far a job is: where a person looks on a percentage, and each time that it has to wait."""
    next_try: datetime.datetime | None = None

    def report(progress: Progress) -> None:
        nonlocal next_try
        waits_until = progress.job.waits_until
        if waits_until not in (None, next_try):
            reason = progress.job.failure_in_words
            stderr.write(f"{reason} It tries again automatically at {waits_until:%H:%M:%S} UTC.")
        next_try = waits_until
        if stderr.isatty():
            stderr.write(f"\r{progress.percent:3} %", ending="\n" if progress.finished else "")
            stderr.flush()

    return report
