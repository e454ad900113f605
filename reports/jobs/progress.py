"""Progress of jobs: how far each stage is, how long it took, how many workers are at it; from the times of parts."""

import datetime
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from reports.jobs.job_types import Share, type_of
from reports.models.jobs import Job


class Parts(NamedTuple):
    """Numbers of the parts of a step; `held` are those whose lease is taken."""

    done: int = 0
    total: int = 0
    held: int = 0
    ended: datetime.datetime | None = None


# So much has to be done until it tells how long the rest takes.
_TELLING: Final = 0.05


@dataclass(frozen=True)
class Stage:
    """One of the stages of a job, which follow each other: how many of its parts are done, and the time it took."""

    label: str
    done: int
    total: int
    is_current: bool
    is_over: bool
    # Until now if it is not over. What was lost before a retry is in the stage that it was lost in.
    took: datetime.timedelta


@dataclass(frozen=True)
class Progress:
    """Progress of a job: waiting for a worker, planning, the steps of its parts, finishing."""

    job: Job
    steps: Mapping[int, Parts]
    now: datetime.datetime
    # None where all parts count alike.
    share: Share | None = None

    @property
    def finished(self) -> bool:
        return self.job.state not in Job.UNFINISHED

    @property
    def done(self) -> int:
        return sum(parts.done for parts in self.steps.values())

    @property
    def total(self) -> int:
        return sum(parts.total for parts in self.steps.values())

    @property
    def held(self) -> int:
        return sum(parts.held for parts in self.steps.values())

    @property
    def percent(self) -> int:
        if self.job.state == Job.State.FINISHED:
            return 100
        return 100 * self.done // (self.total + 1) if self.share is None else min(99, int(100 * self.share.done))

    @property
    def remaining(self) -> datetime.timedelta | None:
        """Time that is left at the pace of the parts done since the start; None while these tell too little."""
        share, started = self.share, self.job.started_at
        if self.finished or started is None or share is None or share.latest is None or share.recent < _TELLING:
            return None
        at_latest = (share.latest - started) * ((1 - share.done) / share.recent)
        return max(at_latest - (self.now - share.latest), datetime.timedelta())

    @property
    def took(self) -> datetime.timedelta:
        """Time from the order to the end, or until now."""
        return max((self.job.finished_at or self.now) - self.job.created_at, datetime.timedelta())

    @property
    def stage(self) -> str:
        if self.finished or self.job.state == Job.State.WAITING:
            return self.job.state_in_words
        return next(stage.label for stage in self.stages if stage.is_current)

    @property
    def stages(self) -> list[Stage]:
        """Return all stages but waiting. One is current, unless the job has not begun or is finished."""
        return self._timeline[1:]

    @property
    def begun(self) -> list[Stage]:
        """Return the stages that are over, and the one that is not, which a failed job was in when it failed."""
        return [stage for stage in self._timeline if stage.is_over or stage.is_current]

    @cached_property
    def _timeline(self) -> list[Stage]:
        began, until, is_over, found = self.job.created_at, self.job.finished_at or self.now, True, []
        for label, parts, end in self._ends():
            was_over, is_over = is_over, is_over and end is not None
            took = max((end or until) - began, datetime.timedelta())
            found.append(Stage(label, parts.done, parts.total, was_over and not is_over, is_over, took))
            began = max(began, end or until)
        return found

    def _ends(self) -> Iterator[tuple[str, Parts, datetime.datetime | None]]:
        """Yield each stage and its end, if it has ended."""
        job, latest = self.job, self.job.planned_at
        has_begun = job.state != Job.State.WAITING or latest is not None
        yield _("waiting"), Parts(), (job.started_at or job.created_at) if has_begun else None
        yield str(job.PLANNING), Parts(), latest
        for step in job.steps:
            parts = self.steps[step]
            # In a step without parts there was nothing to do.
            latest = (parts.ended or latest) if parts.done == parts.total else None
            yield str(step.label), parts, latest
        yield str(job.FINISHING), Parts(), job.finished_at if job.state == Job.State.FINISHED else None


def progress_by_job(jobs: Collection[Job]) -> dict[Any, Progress]:
    """Return the progress of jobs of one model by their identifiers, in the order given, with one query."""
    if not jobs:
        return {}
    now = timezone.now()
    rows: Any = type(next(iter(jobs))).objects.filter(pk__in=[job.pk for job in jobs]).order_by()
    counted = rows.exclude(parts=None).values_list("pk", "parts__step")
    counted = counted.annotate(
        done=Count("parts__finished_at"),
        all=Count("parts"),
        held=Count("parts", filter=Q(parts__finished_at=None, parts__lease_expires_at__gt=now)),
        ended=Max("parts__finished_at"),
    )
    found = {(pk, step): Parts(*numbers) for pk, step, *numbers in counted}
    shares = type_of(next(iter(jobs))).shares(jobs)
    return {
        job.pk: Progress(
            job, {step: found.get((job.pk, step.value), Parts()) for step in job.steps}, now, shares.get(job.pk)
        )
        for job in jobs
    }


def progress_of(job: Job) -> Progress:
    return progress_by_job([job])[job.pk]
