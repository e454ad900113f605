"""Uploads that were stored before: what is kept of them, with a day and a version, and looked up for each new one.

No row names a batch. When a batch is withdrawn or moved to another day, what it is recognised by is made anew from its
raw reports: while that can happen to it, they are files of its own.
"""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from aggregation.screening import LARGE_PART, Finding, judge_overlap, judge_part
from reports.collection.ingest.content import FINGERPRINT_BYTES, RECOGNISED_RECORDS, Content, content_of
from reports.locks import Lock, Wanted
from reports.models import Batch, QuarantinedShard, RecordFingerprint, Shard, UploadDigest, Version
from reports.record_files import RecordFile
from reports.statements import Statement, execute_together
from reports.storage import local_path

_MODELS = (UploadDigest, RecordFingerprint)
# Errors of reading a batch if a file is gone, or is no file of records.
_LOST = (FileNotFoundError, ValueError)
# Whatever commits together has the number of its transaction, and lies side by side: after this, a whole day does.
_REWRITE = """
WITH old AS (DELETE FROM {table} WHERE version_id = %s AND day = %s RETURNING id, hmac, version_id, day)
INSERT INTO {table} (id, hmac, version_id, day) SELECT id, hmac, version_id, day FROM old ORDER BY hmac, id
"""
_DIGESTS = """
SELECT NULL::bigint, hmac, max(day) FROM reports_uploaddigest WHERE hmac = ANY(%s) GROUP BY hmac
"""
# A thousand fingerprints travel as one value, and are cut apart there.
_MARKS = """
SELECT version_id, hmac, day FROM reports_recordfingerprint WHERE version_id = %s AND hmac = ANY(
    ARRAY(
        SELECT substr(marks, start, %s)
        FROM (SELECT %s::bytea AS marks) AS given, generate_series(1, %s, %s) AS start
    )
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


@dataclass(frozen=True)
class Known:
    """Parts of an upload that are stored already."""

    # Versions of which the same records are stored, each with the newest day that they count on.
    days: Mapping[Version, datetime.date] = field(default_factory=dict)
    # Fingerprints of its samples, each with a day that a record with it counts on.
    marks: Mapping[Version, Sequence[tuple[bytes, datetime.date]]] = field(default_factory=dict)
    # The day that all records count on, if all are stored.
    stored_on: datetime.date | None = None


def look_up(content: Content) -> Known:
    """Look up an upload's digests and samples, in one statement."""
    if not content.digests:
        return Known()
    parts: list[tuple[str, list[Any]]] = [(_DIGESTS, [list(content.digests.values())])]
    for version, sample in content.samples.items():
        marks = b"".join(sample.compared)
        parts.append((_MARKS, [version.pk, FINGERPRINT_BYTES, marks, len(marks), FINGERPRINT_BYTES]))
    newest: dict[bytes, datetime.date] = {}
    seen: dict[int, list[tuple[bytes, datetime.date]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            "UNION ALL".join(sql for sql, _values in parts), [each for _sql, values in parts for each in values]
        )
        for pk, mark, day in cursor.fetchall():
            if pk is None:
                newest[bytes(mark)] = day
            else:
                seen[pk].append((bytes(mark), day))
    days = {version: newest[digest] for version, digest in content.digests.items() if digest in newest}
    return Known(
        days,
        {version: seen[version.pk] for version in content.samples},
        max(days.values()) if len(days) == len(content.digests) else None,
    )


def stored_on(content: Content) -> datetime.date | None:
    """Return the day that all records of an upload count on, if all are stored."""
    return look_up(Content(content.digests)).stored_on


def locks(content: Content) -> Wanted:
    """Return the locks that let no other transaction store the same records."""
    return Wanted(Lock.UPLOADS, {int.from_bytes(digest[:4], "big") for digest in content.digests.values()})


def _rows(batch: Batch) -> list[Shard | QuarantinedShard]:
    return [*batch.shards.select_related("version"), *batch.quarantined_shards.select_related("version")]


def stored_before(content: Content, known: Known) -> list[Before]:
    """Judge parts of an upload that are stored already, wholly or largely, but not all of it.

    Their p-values are not adjusted for other tests.
    """
    found = [
        Before(version, judge_part(version.mechanism, content.records[version], version.upload_digests.count()), day)
        for version, day in known.days.items()
        # The whole is not stored, so that a part is less than it.
        if content.records[version] >= RECOGNISED_RECORDS
    ]
    for version, marks in known.marks.items():
        if overlap := _overlap(version, marks, content.records[version]):
            found.append(overlap)
    return found


def _overlap(version: Version, marks: Sequence[tuple[bytes, datetime.date]], records: int) -> Before | None:
    seen = len({mark for mark, _day in marks})
    if seen < LARGE_PART:
        return None
    days = Counter(day for _mark, day in set(marks))
    finding = judge_overlap(version.mechanism, records, seen, version.record_fingerprints.count())
    return Before(version, finding, max(days, key=lambda day: (days[day], day)))


def kept(content: Content, days: Mapping[int, datetime.date]) -> list[Statement]:
    """Return statements that keep what an upload is recognised by, with the day that each version counts on."""
    marks = [(mark, version.pk) for version, sample in content.samples.items() for mark in sorted(sample.kept)]
    digests = [(digest, version.pk) for version, digest in content.digests.items()]
    return [
        Statement(
            _KEEP.format(table=model._meta.db_table),
            [[mark for mark, _pk in found], [pk for _mark, pk in found], [days[pk] for _mark, pk in found]],
        )
        for model, found in zip(_MODELS, (digests, marks), strict=True)
        if found
    ]


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
        if statements := kept(*_stored(batch)):
            execute_together(statements)


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
