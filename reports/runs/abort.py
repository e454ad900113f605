"""Runs that end without a result: what their parts have found is dropped."""

import uuid
from collections.abc import Collection

from django.db.models import QuerySet
from django.utils import timezone

from reports.models import Part, Run, Shard
from reports.storage import delete_after_commit


def forget_parts(runs: Collection[uuid.UUID]) -> None:
    """Drop what failed runs handed in, and let a retry plan anew. The caller holds their rows."""
    parts = Part.objects.filter(run__in=runs)
    # Locked, so that no worker hands in one more.
    delete_after_commit(
        name for name in parts.order_by("pk").select_for_update().values_list("file_name", flat=True) if name
    )
    parts.delete()
    Run.objects.filter(pk__in=runs).update(planned_at=None)


def forget_failed_before(run: Run) -> None:
    """Drop what older runs of the version handed in that failed: this one does it all, and it was never published.

    A retry of one plans anew. Call in a transaction.
    """
    older = Run.objects.filter(version=run.version, state=Run.State.FAILED, created_at__lt=run.created_at)
    # Locked, so that none is retried meanwhile.
    forget_parts(list(older.order_by("pk").select_for_update().values_list("pk", flat=True)))


def abort_runs_of(shards: QuerySet[Shard], reason: str) -> list[Run]:
    """Fail the unfinished runs that pin some of these shards, which the transaction is about to delete.

    Runs that failed before lose their parts too, which name the shards by their place. Returns those that fail now.
    """
    pinned = Run.shards.through._default_manager.filter(shard__in=shards)
    runs = Run.objects.filter(pk__in=pinned.values("run")).order_by("pk").select_for_update()
    # The unfinished ones first, as publishing locks them.
    unfinished = list(runs.filter(state__in=Run.UNFINISHED))
    failed = list(runs.filter(state=Run.State.FAILED))
    # Without those that have counted them, and released the counts, while their rows were waited for.
    still = set(pinned.values_list("run", flat=True))
    unfinished = [run for run in unfinished if run.pk in still]
    forget_parts([run.pk for run in [*unfinished, *failed]])
    Run.objects.filter(pk__in=[run.pk for run in unfinished]).update(
        state=Run.State.FAILED, failure=reason, finished_at=timezone.now(), failing_since=None, not_before=None
    )
    return unfinished
