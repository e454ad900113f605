"""Watching a run, and finishing it in this process."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from reports.models import Run
from reports.runs.parts import begin, complete, stale_parts, work_on


@dataclass(frozen=True)
class Progress:
    """How far a run is: sealing its days, reading out parts, publishing."""

    state: str
    planned: bool
    done: int
    total: int
    failure: str = ""

    @property
    def stage(self) -> str:
        if self.finished or self.state == Run.State.WAITING:
            return str(Run.State(self.state).label)
        if not self.planned:
            return _("sealing days")
        return _("reading out") if self.done < self.total else _("publishing")

    @property
    def finished(self) -> bool:
        return self.state not in Run.UNFINISHED

    @property
    def percent(self) -> int:
        if self.state == Run.State.FINISHED:
            return 100
        return 100 * self.done // (self.total + 1)


def progress_of(run: Run) -> Progress:
    total = run.parts.count()
    return Progress(
        run.state, run.planned_at is not None, total - run.parts.filter(finished_at=None).count(), total, run.failure
    )


def finish_inline(run_id: uuid.UUID, report: Callable[[Progress], None]) -> Run:
    """Do all parts of a run here, without a worker; waits for those that somebody else is at."""
    while True:
        run = Run.objects.get(pk=run_id)
        report(progress_of(run))
        if run.state not in Run.UNFINISHED:
            return run
        if run.planned_at is None:
            begin(run_id)
            continue
        waiting = list(run.parts.filter(finished_at=None, lease_expires_at=None).values_list("pk", flat=True))
        if waiting:
            work_on(waiting[0])
        elif not run.parts.filter(finished_at=None).exists():
            complete(run_id)
        else:
            take_up_expired(run_id)
            time.sleep(0.2)


def take_up_expired(run_id: uuid.UUID) -> None:
    """Do the parts of a run whose workers are gone."""
    for part_id in stale_parts(run_id):
        work_on(part_id)
