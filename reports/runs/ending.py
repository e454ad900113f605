"""Ends of runs: finished, aborted, or forgotten because a later one has done it all."""

from enum import Enum
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from reports.jobs import cancel, drop_parts, end
from reports.models import Histogram, Part, Period, Run, Shard, UseCase
from reports.notifications import enqueue_deliveries
from reports.product_lists import enqueue_proposals


class Outcome(Enum):
    """Outcome of a run: some are ordered when there is nothing new, and then say so."""

    COUNTED = "reports were read that had not been"
    PUBLISHED = "nothing was read, but something is shown that was not"
    NOTHING = "all is as it was"


def outcome_of(run: Run) -> Outcome:
    """Classify a finished run. What another run of the version releases at the same moment is attributed to it."""
    if run.parts.filter(step__in=(Part.Step.READ_OUT, Part.Step.SKETCH)).exists():
        return Outcome.COUNTED
    during = (run.planned_at, run.finished_at)
    periods = Period.objects.filter(version=run.version_id, closed_at__range=during)
    lists = Histogram.objects.filter(version=run.version_id, revision=None, generated_at__range=during)
    return Outcome.PUBLISHED if periods.exists() or lists.exists() else Outcome.NOTHING


def finish_run(run: Run) -> None:
    """Finish a published run, whose row is held, tell subscribers, and propose lists for products."""
    end(run)
    forget_failed_before(run)
    UseCase.renew_generation(run.version.use_case_id)
    for enqueue in (enqueue_deliveries, enqueue_proposals):
        transaction.on_commit(partial(enqueue, run.version.use_case_id), robust=True)


def forget_failed_before(run: Run) -> None:
    """Drop what older runs of the version handed in that failed: this one does it all, and it was never published.

    A retry of one plans anew. Call in a transaction.
    """
    older = Run.objects.filter(version=run.version, state=Run.State.FAILED, created_at__lt=run.created_at)
    # Locked, so that none is retried meanwhile.
    drop_parts(older.exclude(planned_at=None).order_by("pk").select_for_update())


def abort_runs_of(shards: QuerySet[Shard], reason: str) -> list[Run]:
    """Fail the unfinished runs that pin some of these shards, which the transaction is about to delete.

    Runs that failed before lose their parts too, which name the shards by their place. Returns those that fail now.
    """
    pinned = Run.shards.through._default_manager.filter(shard__in=shards)
    runs = Run.objects.filter(pk__in=pinned.values("run")).order_by("pk").select_for_update()
    # The unfinished ones first, as publishing locks them.
    unfinished = list(runs.unfinished())
    drop_parts(runs.filter(state=Run.State.FAILED))
    # Without those that have counted them, and released the counts, while their rows were waited for.
    still = set(pinned.values_list("run", flat=True))
    unfinished = [run for run in unfinished if run.pk in still]
    cancel(unfinished, reason)
    return unfinished
