"""Watching a run, and finishing it in this process."""

import datetime
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from reports.kinds import kind_of
from reports.models import Part, Run
from reports.runs.parts import ORDER, UNCLAIMED, begin, complete, stale_parts, work_on
from reports.runs.ready import ready

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Stage:
    """One of the stages of a run, which follow each other: how many of its parts are done."""

    label: str
    done: int = 0
    total: int = 0
    is_current: bool = False
    is_over: bool = False


@dataclass(frozen=True)
class Progress:
    """How far a run is: sealing its days, the steps of its parts, publishing."""

    state: str
    planned: bool
    # By step: parts that are done, and all of them.
    steps: Mapping[int, tuple[int, int]]
    failure: str = ""
    # Of a run that waits for what it needs: when it is tried again.
    waits_until: datetime.datetime | None = None

    @property
    def done(self) -> int:
        return sum(done for done, _total in self.steps.values())

    @property
    def total(self) -> int:
        return sum(total for _done, total in self.steps.values())

    @property
    def stage(self) -> str:
        if self.finished or self.state == Run.State.WAITING:
            return str(Run.State(self.state).label)
        return next(stage.label for stage in self.stages if stage.is_current)

    @property
    def stages(self) -> list[Stage]:
        """All of them, in their order. One is current, unless the run has not begun or is finished."""
        steps = [Stage(str(Part.Step(step).label), *self.steps[step]) for step in sorted(self.steps)]
        found = [Stage(_("sealing days")), *steps, Stage(_("publishing"))]
        if self.state == Run.State.FINISHED:
            current = len(found)
        elif self.planned:
            to_do = (place for place, step in enumerate(steps, 1) if step.done < step.total)
            current = next(to_do, len(steps) + 1)
        else:
            current = -1 if self.state == Run.State.WAITING else 0
        return [
            replace(stage, is_current=place == current, is_over=place < current) for place, stage in enumerate(found)
        ]

    @property
    def finished(self) -> bool:
        return self.state not in Run.UNFINISHED

    @property
    def percent(self) -> int:
        if self.state == Run.State.FINISHED:
            return 100
        return 100 * self.done // (self.total + 1)


# The steps of a run that finds words. Before it is planned it has no parts that would tell.
DISCOVERY = (Part.Step.SKETCH, Part.Step.FRAGMENTS, Part.Step.WORDS)


def progress_of(run: Run) -> Progress:
    found = run.parts.order_by().values("step").annotate(done=Count("finished_at"), total=Count("pk"))
    steps = {step: (done, total) for step, done, total in found.values_list("step", "done", "total")}
    return progress_by_steps(run, steps)


def progress_by_steps(run: Run, found: Mapping[int, tuple[int, int]]) -> Progress:
    """The same, given how many parts of each step are done, and how many there are."""
    own = (Part.Step.READ_OUT,) if kind_of(run.version).has_dictionary else DISCOVERY
    steps: dict[int, tuple[int, int]] = {step.value: (0, 0) for step in own}
    return Progress(run.state, run.planned_at is not None, {**steps, **found}, run.failure_in_words, run.waits_until)


def finish_inline(run_id: uuid.UUID, report: Callable[[Progress], None]) -> Run:
    """Do all parts of a run here, without a worker; waits for those that somebody else is at."""
    while True:
        run = Run.objects.select_related("version").get(pk=run_id)
        report(progress_of(run))
        if run.state not in Run.UNFINISHED:
            return run
        if run.waits_until is not None:
            time.sleep(POLL_SECONDS)
        elif run.planned_at is None:
            if not begin(run_id):
                time.sleep(POLL_SECONDS)  # somebody else may be planning it
        elif waiting := run.parts.filter(ready(), lease_expires_at=None).order_by(*ORDER).first():
            work_on(waiting.pk)
        elif not run.parts.filter(finished_at=None).exists():
            complete(run_id, wait=True)
        else:
            take_up_expired(run_id)
            time.sleep(POLL_SECONDS)


def take_up_expired(run_id: uuid.UUID) -> None:
    """Do what is left of a run whose workers are gone."""
    run = Run.objects.select_related("version").get(pk=run_id)
    if run.state in Run.UNFINISHED and (run.planned_at is None or not run.parts.filter(finished_at=None).exists()):
        if run.created_at < timezone.now() - UNCLAIMED:
            begin(run_id)
    for part_id in stale_parts(run_id):
        work_on(part_id)
