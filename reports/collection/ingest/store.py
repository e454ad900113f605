"""Committing a batch: files first, then all rows in one transaction."""

import datetime
from collections.abc import Sequence

from django.db import transaction

from reports.collection.ingest import recognition
from reports.collection.ingest.collector import CollectedShard
from reports.collection.ingest.content import Content
from reports.collection.ingest.idempotency_keys import Claim
from reports.collection.ingest.problems import Refusal, UploadRefused
from reports.collection.ingest.receipts import refused_as_closed
from reports.collection.ingest.screening import hold, suspicions
from reports.locks import Lock, lock_until_commit
from reports.models import Batch, Sealing, Shard
from reports.models.uploads import utc_today
from reports.storage import commit, new_name, reserved, store


class DuplicateUpload(Exception):
    """Another upload stored the same records first, or something under the same key."""


def store_batch(
    shards: Sequence[CollectedShard],
    day: datetime.date,
    batch: Batch,
    content: Content,
    claim: Claim | None = None,
    *,
    no_other_day: bool = False,
) -> Batch:
    """Move the shards into the storage and commit the batch. Raises `DuplicateUpload`; leaves nothing half done."""
    names = [new_name("shards") for _ in shards]
    with reserved(names):
        return commit_batch(shards, names, day, batch, content, claim, no_other_day=no_other_day)


def collection_day(version_id: int, day: datetime.date, today: datetime.date) -> datetime.date:
    """Return the day that reports for `day` are counted on: today, if that day is past and sealed already, else itself.

    Call with the version's days locked, and with the today of that moment: an upload may take until after midnight.
    """
    closed = day < today and Sealing.objects.filter(version_id=version_id, day=day).exists()
    return today if closed else day


@transaction.atomic
def commit_batch(
    shards: Sequence[CollectedShard],
    names: Sequence[str],
    day: datetime.date,
    batch: Batch,
    content: Content,
    claim: Claim | None = None,
    held_since: datetime.date | None = None,
    *,
    no_other_day: bool = False,
) -> Batch:
    """Move the shards into the storage, under the first of the reserved names, and write all rows.

    A suspicious batch goes into quarantine, whichever door it came through. Its days there begin today, unless they
    should have begun before. With `no_other_day` a closed day is refused, by `UploadRefused`.
    """
    recognition.lock(content)
    if recognition.stored_on(content):
        raise DuplicateUpload
    findings = suspicions(shards, content)
    if findings:
        batch.state = Batch.State.QUARANTINED
    # Until the commit no day of these versions can be sealed; other uploads go on.
    ids = {shard.target.version.pk for shard in shards}
    lock_until_commit(Lock.DAYS, ids, shared=True)
    today = utc_today()
    days = {version_id: collection_day(version_id, day, today) for version_id in ids}
    batch.day = max(days.values())  # the latest, should the versions differ
    if no_other_day and batch.day != day:
        raise UploadRefused(Refusal.WRONG_DAY, refused_as_closed(day, batch.day, several=len(days) > 1))
    batch.use_case_ids = sorted({shard.target.version.use_case_id for shard in shards})
    batch.save(force_insert=True)
    if claim is not None and not claim.keep(batch):
        raise DuplicateUpload
    recognition.remember(content, dict.fromkeys(days, batch.day) if findings else days)
    stored = list(zip(shards, names, strict=False))
    for shard, name in stored:
        store(shard.path, name, days[shard.target.version.pk])
    if findings:
        hold(batch, stored, findings, min(held_since or today, today))
    else:
        Shard.objects.bulk_create(
            Shard(**shard.columns(name), batch=batch, day=days[shard.target.version.pk]) for shard, name in stored
        )
    commit(names)
    return batch
