"""The ends of jobs: finished, or cancelled, and what becomes of the results of their parts."""

from collections.abc import Collection
from typing import Any

from django.utils import timezone

from reports.jobs.job_types import type_of
from reports.models.jobs import Job
from reports.pending_files import delete_after_commit


def hold(job: Job) -> Any:
    """Lock an unfinished job's row until the transaction ends, and return it anew; None if it has ended."""
    return type_of(job).jobs().unfinished().filter(pk=job.pk).select_for_update(of=("self",)).first()


def end(job: Job) -> None:
    """Finish a job whose row is held. Of its parts nothing is kept but that they are done."""
    delete_after_commit(job.parts.exclude(file_name="").values_list("file_name", flat=True))
    # Facts of results that may not be published must not outlive them.
    job.parts.update(file_name="", facts={})
    now = timezone.now()
    job.update_unfinished(
        state=Job.State.FINISHED,
        finished_at=now,
        started_at=job.started_at or now,
        failure="",
        failing_since=None,
        not_before=None,
    )


def drop_parts(jobs: Collection[Job]) -> None:
    """Drop what jobs, whose rows are held, have done of their parts, and let a retry plan anew."""
    for job in jobs:
        # Locked, so that no worker hands in one more.
        names = job.parts.order_by("pk").select_for_update().values_list("file_name", flat=True)
        delete_after_commit(name for name in names if name)
        job.parts.all().delete()
        type(job).objects.filter(pk=job.pk).update(planned_at=None)


def cancel(jobs: Collection[Job], reason: str, *, keep_parts: bool = False) -> list[Job]:
    """Fail jobs and drop what they have done, unless their parts are to be kept; return those that were unfinished.

    Rows are held unless parts are kept. Of these, workers hand in those that they are at, and a retry does the others.
    """
    if not keep_parts:
        drop_parts(jobs)
    ended = {"failure": reason, "finished_at": timezone.now(), "failing_since": None, "not_before": None}
    return [job for job in jobs if job.update_unfinished(state=Job.State.FAILED, **ended)]
