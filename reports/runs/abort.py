"""Runs that end without a result: what their parts have found is dropped."""

from django.db.models import QuerySet

from reports.jobs import cancel, drop_parts
from reports.models import Run, Shard


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
