"""Uploads that were stored before: what is kept of them, with a day and a version, and looked up for each new one.

No row names a batch. When a batch is withdrawn or moved to another day, what it is recognised by is made anew from its
raw reports: while that can happen to it, they are files of its own.
"""

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max

from aggregation.screening import LARGE_PART, Finding, judge_overlap, judge_part
from reports.collection.ingest.content import FINGERPRINT_BYTES, RECOGNISED_RECORDS, Content, Sample, content_of
from reports.locks import Lock, lock_until_commit
from reports.models import Batch, QuarantinedShard, RecordFingerprint, Shard, UploadDigest, Version
from reports.record_files import RecordFile
from reports.storage import local_path

_MODELS = (UploadDigest, RecordFingerprint)
# Errors of reading a batch if a file is gone, or is no file of records.
_LOST = (FileNotFoundError, ValueError)
# Whatever commits together has the number of its transaction, and lies side by side: after this, a whole day does.
_REWRITE = """
WITH old AS (DELETE FROM {table} WHERE version_id = %s AND day = %s RETURNING id, hmac, version_id, day)
INSERT INTO {table} (id, hmac, version_id, day) SELECT id, hmac, version_id, day FROM old ORDER BY hmac, id
"""
# A thousand fingerprints travel as one value, and are cut apart there.
_SEEN = """
SELECT hmac, day FROM reports_recordfingerprint WHERE version_id = %(version)s AND hmac = ANY(
    ARRAY(SELECT substr(%(marks)s, start, %(length)s) FROM generate_series(1, length(%(marks)s), %(length)s) AS start)
)
"""
_KEEP = """
INSERT INTO {table} (id, hmac, version_id, day)
SELECT gen_random_uuid(), row.hmac, row.version_id, row.day
FROM unnest(%s::bytea[], %s::bigint[], %s::date[]) AS row (hmac, version_id, day)
"""


class Before(NamedTuple):
    """Records of a version, or a large part of them, are stored already: most of them count on that day."""

    version: Version
    finding: Finding
    day: datetime.date


def stored_on(content: Content) -> datetime.date | None:
    """Return the day that these same records count on, if all of them are stored."""
    days = _known(content) if content.digests else {}
    return max(days.values()) if days and len(days) == len(content.digests) else None


def _known(content: Content) -> dict[Version, datetime.date]:
    """Return the versions of which the same records are stored, each with the newest day that they count on."""
    found = UploadDigest.objects.filter(hmac__in=content.digests.values()).values_list("hmac").annotate(Max("day"))
    days = {bytes(digest): day for digest, day in found}
    return {version: days[digest] for version, digest in content.digests.items() if digest in days}


def lock(content: Content) -> None:
    """Let no other transaction store the same records until this one ends."""
    lock_until_commit(Lock.UPLOADS, {int.from_bytes(digest[:4], "big") for digest in content.digests.values()})


def _rows(batch: Batch) -> list[Shard | QuarantinedShard]:
    return [*batch.shards.select_related("version"), *batch.quarantined_shards.select_related("version")]


def stored_before(content: Content) -> list[Before]:
    """Find parts of an upload that are stored already, wholly or largely, but not all of it.

    Their p-values are not adjusted for other tests.
    """
    large = {version for version in content.digests if content.records[version] >= RECOGNISED_RECORDS}
    # The whole is not stored (`stored_on`), so that a part is less than it.
    known = _known(content) if large and len(content.digests) > 1 else {}
    found = [
        Before(version, judge_part(version.mechanism, content.records[version], version.upload_digests.count()), day)
        for version, day in known.items()
        if version in large
    ]
    for version, sample in content.samples.items():
        if overlap := _overlap(version, sample, content.records[version]):
            found.append(overlap)
    return found


def _overlap(version: Version, sample: Sample, records: int) -> Before | None:
    with connection.cursor() as cursor:
        values: dict[str, Any] = {
            "version": version.pk,
            "marks": b"".join(sample.compared),
            "length": FINGERPRINT_BYTES,
        }
        cursor.execute(_SEEN, values)
        found = [(bytes(mark), day) for mark, day in cursor.fetchall()]
    seen = len({mark for mark, _day in found})
    if seen < LARGE_PART:
        return None
    days = Counter(day for _mark, day in set(found))
    finding = judge_overlap(version.mechanism, records, seen, version.record_fingerprints.count())
    return Before(version, finding, max(days, key=lambda day: (days[day], day)))


def remember(content: Content, days: Mapping[int, datetime.date]) -> None:
    """Keep what an upload is recognised by, with the day that each version counts on."""
    marks = [(mark, version.pk) for version, sample in content.samples.items() for mark in sorted(sample.kept)]
    _keep(UploadDigest, [(digest, version.pk) for version, digest in content.digests.items()], days)
    _keep(RecordFingerprint, marks, days)


def _keep(
    model: type[UploadDigest | RecordFingerprint], found: Sequence[tuple[bytes, int]], days: Mapping[int, datetime.date]
) -> None:
    if found:
        values: list[Any] = [
            [mark for mark, _pk in found],
            [pk for _mark, pk in found],
            [days[pk] for _mark, pk in found],
        ]
        with connection.cursor() as cursor:
            cursor.execute(_KEEP.format(table=model._meta.db_table), values)


def forget(batch: Batch) -> None:
    """Let what a batch has be sent again, unless another has it, too. Call before any of its rows and files go.

    If a file is lost or damaged, there is no telling which rows are the batch's, and `forget_days_of` does it. Raises
    `StorageUnavailable`.
    """
    try:
        content, days = _stored(batch)
    except _LOST:
        forget_days_of(batch)
        return
    for version, digest in content.digests.items():
        sample = content.samples[version].kept if version in content.samples else []
        for model, marks in zip(_MODELS, ([digest], sample), strict=True):
            same = model._default_manager.filter(version=version, day=days[version.pk], hmac__in=marks)
            one_each = same.order_by("hmac").distinct("hmac").values("pk")
            model._default_manager.filter(pk__in=one_each).delete()


def remember_batch(batch: Batch) -> None:
    """Keep what a batch is recognised by after it was forgotten, with what it has now, and on its days now.

    Nothing if a file is lost or damaged. Raises `StorageUnavailable`.
    """
    with suppress(*_LOST):
        remember(*_stored(batch))


def _stored(batch: Batch) -> tuple[Content, dict[int, datetime.date]]:
    """Return the content that recognises a batch, and the days of its versions."""
    rows = _rows(batch)
    days = {row.version_id: row.day if isinstance(row, Shard) else batch.day for row in rows}
    try:
        return _content(rows), days
    except FileNotFoundError:
        # Another process may have pruned the copy since it was found; a file that is gone is missed again.
        return _content(rows), days


def _content(rows: Iterable[Shard | QuarantinedShard]) -> Content:
    return content_of(RecordFile(row.version, local_path(row.file_name), row.slices()) for row in rows)


def forget_days_of(batch: Batch) -> None:
    """Forget, unread, all that counts on the days of a batch's versions: other batches' uploads, too."""
    for row in _rows(batch):
        forget_days(row.version, day=row.day if isinstance(row, Shard) else batch.day)


def rewrite(version: Version, day: datetime.date) -> None:
    """Write the rows of a day anew, in the order of their digests, so that nothing tells which came together."""
    with connection.cursor() as cursor:
        for model in _MODELS:
            cursor.execute(_REWRITE.format(table=model._meta.db_table), [version.pk, day])


def forget_days(version: Version, **days: datetime.date) -> None:
    """Forget, unread, all that counts on the days that a condition on `day` chooses."""
    for model in _MODELS:
        model._default_manager.filter(version=version, **days).delete()
