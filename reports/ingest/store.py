"""Committing a batch: files first, then all rows in one transaction."""

import datetime
from collections.abc import Sequence

from django.db import transaction

from reports.ingest.collector import CollectedShard
from reports.ingest.days import collection_day
from reports.ingest.keys import Claim
from reports.locks import Lock, lock_until_commit
from reports.models import Batch, Shard
from reports.models.uploads import utc_today
from reports.storage import announce, discard, new_name, own, store


class DuplicateUpload(Exception):
    """Somebody else stored the same bytes first, or something under the same key."""


def find_duplicate(fingerprint: bytes | None) -> Batch | None:
    if fingerprint is None:
        return None
    return Batch.objects.filter(content_hmac=fingerprint).first()


def store_batch(
    shards: Sequence[CollectedShard],
    day: datetime.date,
    accepted: int,
    rejected: dict[str, int],
    fingerprint: bytes | None,
    claim: Claim | None = None,
) -> Batch:
    """Move the shards into the storage and commit the batch. Raises `DuplicateUpload`; leaves nothing half done."""
    names = [new_name("shards") for _ in shards]
    announce(names)
    try:
        batch = Batch(accepted=accepted, rejected=rejected, content_hmac=fingerprint)
        return _commit(shards, names, day, batch, claim)
    except BaseException:
        discard(names)
        raise


@transaction.atomic
def _commit(
    shards: Sequence[CollectedShard], names: Sequence[str], day: datetime.date, batch: Batch, claim: Claim | None
) -> Batch:
    # Until the commit no day of these versions can be sealed; other uploads go on.
    ids = {shard.target.version.pk for shard in shards}
    lock_until_commit(Lock.DAYS, ids, shared=True)
    today = utc_today()
    days = {version_id: collection_day(version_id, day, today) for version_id in ids}
    batch.day = max(days.values())  # the latest, should the versions differ
    batch.use_case_ids = sorted({shard.target.version.use_case_id for shard in shards})
    _insert(batch, claim)  # before a file is moved, so that a duplicate may be stored yet if the first is withdrawn
    rows = []
    for shard, name in zip(shards, names, strict=True):
        version = shard.target.version
        store(shard.path, name, days[version.pk])
        rows.append(
            Shard(
                version=version,
                locale=shard.target.locale,
                day=days[version.pk],
                stream=shard.stream,
                batch=batch,
                size=shard.size,
                file_name=name,
            )
        )
    Shard.objects.bulk_create(rows)
    own(names)
    return batch


def _insert(batch: Batch, claim: Claim | None) -> None:
    """Raise `DuplicateUpload` instead of a database error, which the server's log would keep, with its time."""
    Batch.objects.bulk_create([batch], ignore_conflicts=True)  # waits for whoever is storing the same bytes
    if not Batch.objects.filter(pk=batch.pk).exists():
        raise DuplicateUpload
    if claim is not None and not claim.keep(batch):
        raise DuplicateUpload
