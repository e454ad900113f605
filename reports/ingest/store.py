"""Committing a batch: files first, then all rows in one transaction."""

import datetime
from collections.abc import Sequence

from django.db import IntegrityError, transaction

from reports.ingest.collector import CollectedShard
from reports.ingest.days import collection_day
from reports.models import Batch, Shard, Version
from reports.storage import announce, discard, new_name, own, store


class DuplicateUpload(Exception):
    """Somebody else stored the same bytes first."""

    def __init__(self, first: Batch) -> None:
        super().__init__(str(first.pk))
        self.first = first


def find_duplicate(fingerprint: bytes | None) -> Batch | None:
    if fingerprint is None:
        return None
    return Batch.objects.filter(content_hmac=fingerprint).first()


def store_batch(
    shards: Sequence[CollectedShard],
    day: datetime.date,
    today: datetime.date,
    accepted: int,
    rejected: dict[str, int],
    fingerprint: bytes | None,
) -> Batch:
    """Move the shards into the storage and commit the batch. Raises `DuplicateUpload`; leaves nothing half done."""
    names = [new_name("shards") for _ in shards]
    announce(names)
    try:
        return _commit(shards, names, day, today, accepted, rejected, fingerprint)
    except BaseException as error:
        discard(names)
        if isinstance(error, IntegrityError):
            first = find_duplicate(fingerprint)
            if first is not None:
                raise DuplicateUpload(first) from None
        raise


@transaction.atomic
def _commit(
    shards: Sequence[CollectedShard],
    names: Sequence[str],
    day: datetime.date,
    today: datetime.date,
    accepted: int,
    rejected: dict[str, int],
    fingerprint: bytes | None,
) -> Batch:
    # The lock keeps a day from being sealed between the question and the commit. In one order, so that two uploads
    # do not wait for each other.
    ids = sorted({shard.target.version.pk for shard in shards})
    list(Version.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk", flat=True))
    days = {version_id: collection_day(version_id, day, today) for version_id in ids}
    # The latest of them, should the versions differ.
    batch = Batch.objects.create(day=max(days.values()), accepted=accepted, rejected=rejected, content_hmac=fingerprint)
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
