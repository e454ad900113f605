"""How long runs took, stage by stage, and who works on them: from the times of their parts."""

import datetime
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from reports.models import Part, Run
from reports.runs.progress import Progress, progress_by_steps


@dataclass(frozen=True)
class TimedStage:
    """A stage that has begun: how long it took, or has taken so far."""

    label: str
    took: datetime.timedelta
    is_over: bool


@dataclass(frozen=True)
class Timed:
    """How far a run is, and how long that took. What was lost before a retry is in the stage that it was lost in."""

    run: Run
    progress: Progress
    stages: list[TimedStage]
    # Of the parts that are to be done: those that somebody holds the lease of.
    held: int
    # From the order to the end, or until now.
    took: datetime.timedelta


class _Step(NamedTuple):
    """What the parts of a step tell."""

    run: uuid.UUID
    step: int
    done: int
    total: int
    ended: datetime.datetime | None
    held: int


def timed(runs: Collection[Run]) -> dict[uuid.UUID, Timed]:
    """By identifier, in the order given; one query for all of them, if their versions are loaded."""
    now = timezone.now()
    parts = Part.objects.filter(run__in=runs).order_by("run", "step").values("run", "step")
    rows = parts.annotate(
        done=Count("finished_at"),
        total=Count("pk"),
        ended=Max("finished_at"),
        held=Count("pk", filter=Q(finished_at=None, lease_expires_at__gt=now)),
    )
    steps = [_Step(*row) for row in rows.values_list("run", "step", "done", "total", "ended", "held")]
    found = {run: list(those) for run, those in groupby(steps, key=lambda step: step.run)}
    return {run.pk: _timed(run, found.get(run.pk, []), now) for run in runs}


def _timed(run: Run, steps: Sequence[_Step], now: datetime.datetime) -> Timed:
    progress = progress_by_steps(run, {step.step: (step.done, step.total) for step in steps})
    until = run.finished_at or now
    return Timed(
        run=run,
        progress=progress,
        stages=list(_stages(run, progress, {step.step: step.ended for step in steps}, until)),
        held=sum(step.held for step in steps),
        took=max(until - run.created_at, datetime.timedelta()),
    )


def _stages(
    run: Run, progress: Progress, ended: dict[int, datetime.datetime | None], until: datetime.datetime
) -> Iterator[TimedStage]:
    """Those that are over, and the one that is not, which a failed run was in when it failed."""
    began = run.created_at
    for label, end in _ends(run, progress, ended):
        yield TimedStage(label, max((end or until) - began, datetime.timedelta()), is_over=end is not None)
        if end is None:
            return
        began = max(began, end)


def _ends(
    run: Run, progress: Progress, ended: dict[int, datetime.datetime | None]
) -> Iterator[tuple[str, datetime.datetime | None]]:
    """Each stage and its end, if it has ended."""
    yield _("waiting"), run.started_at
    yield _("sealing days"), run.planned_at
    latest = run.planned_at
    for step, (done, total) in sorted(progress.steps.items()):
        # Of a step without parts there was nothing to do.
        latest = (ended.get(step) or latest) if done == total else None
        yield str(Part.Step(step).label), latest
    yield _("publishing"), run.finished_at if run.state == Run.State.FINISHED else None
