"""Watching a run, and finishing it in this process."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from reports.models import Run
from reports.runs.parts import UNCLAIMED, begin, complete, stale_parts, work_on

POLL_SECONDS = 0.2


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
            if not begin(run_id):
                time.sleep(POLL_SECONDS)  # somebody else may be planning it
            continue
        waiting = list(run.parts.filter(finished_at=None, lease_expires_at=None).values_list("pk", flat=True))
        if waiting:
            work_on(waiting[0])
        elif not run.parts.filter(finished_at=None).exists():
            complete(run_id, wait=True)
        else:
            take_up_expired(run_id)
            time.sleep(POLL_SECONDS)


def take_up_expired(run_id: uuid.UUID) -> None:
    """Do what is left of a run whose workers are gone."""
    run = Run.objects.get(pk=run_id)
    if run.state in Run.UNFINISHED and (run.planned_at is None or not run.parts.filter(finished_at=None).exists()):
        if run.created_at < timezone.now() - UNCLAIMED:
            begin(run_id)
    for part_id in stale_parts(run_id):
        work_on(part_id)
