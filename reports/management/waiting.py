"""Waiting for jobs that workers do, on the command line."""

import time
from collections.abc import Callable
from typing import cast

from django.core.management.base import CommandError, OutputWrapper

from reports.jobs import Progress, finish_inline, progress_of, take_up
from reports.models.jobs import AnyJob, Job

POLL_SECONDS = 0.2
# A worker that runs answers within a second or two; a message lost with the broker is swept up after thirty.
PATIENCE_SECONDS = 45


def finished(job: AnyJob, report: Callable[[Progress], None], *, inline: bool, no_worker: str) -> AnyJob:
    """Return a job when it has ended: done here, or by workers. Raises `CommandError` if none takes it up."""
    if inline:
        return finish_inline(job, report)
    started = time.monotonic()
    while True:
        found = cast(AnyJob, type(job)._default_manager.get(pk=job.pk))
        report(progress_of(found))
        if found.state not in Job.UNFINISHED:
            return found
        if found.state == Job.State.WAITING and time.monotonic() - started > PATIENCE_SECONDS:
            raise CommandError(no_worker)
        take_up(found)
        time.sleep(POLL_SECONDS)


def show_percent(progress: Progress, stderr: OutputWrapper) -> None:
    """Write how far a job is over what was written before, where a person looks on."""
    if stderr.isatty():
        stderr.write(f"\r{progress.percent:3} %", ending="\n" if progress.finished else "")
        stderr.flush()
