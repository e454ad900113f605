"""Decisions about a batch: release it from quarantine, or withdraw it for good."""

from django.contrib.auth.models import User
from django.db import transaction

from reports.collection.ingest import recognition
from reports.collection.ingest.store import collection_days
from reports.locks import Lock, lock_until_commit
from reports.models import Batch, QuarantinedShard, Shard
from reports.models.uploads import utc_today
from reports.pending_files import delete_after_commit


class NotQuarantined(Exception):
    """The batch does not wait in quarantine, or not any more."""


class TooLate(NotQuarantined):
    """The batch was not decided about in time: its reports will be deleted."""


class NotWithdrawable(Exception):
    """The batch can no longer be taken out, because what it held is merged with the rest of its day."""


def waited_too_long(batch: Batch) -> bool:
    """Tell whether the time to decide about a batch is over."""
    return batch.quarantined_shards.filter(QuarantinedShard.undecided(utc_today())).exists()


@transaction.atomic
def release(batch: Batch, person: User) -> Batch:
    """Let a suspicious batch be counted like any other: on its day, or today if that is sealed by now.

    From then on it is kept as if it had come on that day; so it must not have waited for too long. Raises
    `NotQuarantined`, or `TooLate`. Returns the batch as it is then.
    """
    batch = _locked(batch)
    today = utc_today()
    if batch.state != Batch.State.QUARANTINED:
        raise NotQuarantined
    if waited_too_long(batch):
        raise TooLate
    held = list(batch.quarantined_shards.values("version_id", "locale", "stream", "size", "index", "file_name"))
    days = collection_days({row["version_id"] for row in held}, batch.day, today)
    moves = any(day != batch.day for day in days.values())
    if moves:
        recognition.forget(batch)
    Shard.objects.bulk_create(Shard(**row, batch=batch, day=days[row["version_id"]]) for row in held)
    batch.quarantined_shards.all().delete()
    batch.day = max(days.values(), default=batch.day)
    batch.state = Batch.State.OPEN
    batch.released_by, batch.released_on = person, today
    batch.save(update_fields=["day", "state", "released_by", "released_on"])
    if moves:
        recognition.remember_batch(batch)
    return batch


@transaction.atomic
def withdraw(batch: Batch, person: User | None = None) -> None:
    """Delete the reports of a batch that waits in quarantine, or whose day is open. Raises `NotWithdrawable`.

    Who decided is kept for batches that are or were in quarantine; the evidence stays as well.
    """
    batch = _locked(batch)
    if batch.state not in {Batch.State.OPEN, Batch.State.QUARANTINED}:
        raise NotWithdrawable
    names = [*batch.shards.values_list("file_name", flat=True)]
    names += batch.quarantined_shards.values_list("file_name", flat=True)
    recognition.forget(batch)
    batch.shards.all().delete()
    batch.quarantined_shards.all().delete()
    mark_withdrawn(batch, person)
    delete_after_commit(names)


def mark_withdrawn(batch: Batch, person: User | None) -> None:
    """Withdraw a batch that has no reports left; who did is kept of those that are or were in quarantine."""
    if batch.state == Batch.State.QUARANTINED or batch.released_on is not None:
        batch.withdrawn_by, batch.withdrawn_on = person, utc_today()
    batch.state = Batch.State.WITHDRAWN
    batch.save(update_fields=["state", "withdrawn_by", "withdrawn_on"])
    batch.idempotency_keys.all().delete()


def _locked(batch: Batch) -> Batch:
    """Lock a batch until the transaction ends, and return it as it is now; its days are not sealed meanwhile."""
    # In this order, so that one of the two sees them even if they are let out in between.
    held = list(batch.quarantined_shards.values_list("version_id", flat=True))
    versions = {*held, *batch.shards.values_list("version_id", flat=True)}
    lock_until_commit(Lock.DAYS, versions, shared=True)
    return Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk)
