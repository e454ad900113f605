"""Records of a document as rows: committed together, and tied to nothing but their version, locale and day."""

import datetime
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.db import connection
from numpy.typing import NDArray

from reports.collection.ingest.documents import Target

# Bytes of a key's digest that are looked for among the records that were mixed.
DIGEST_BYTES = 8

# The key and all records, or nothing. A second with the same key waits for the first to commit, and adds nothing.
# The rows are in the order of their random keys, so that their places tell nothing.
_INSERT = """
WITH known AS (
    SELECT FROM unnest(ARRAY[%(day)b::date - 1, %(day)b::date, %(day)b::date + 1]) AS days (day),
        unnest(ARRAY[false, true]) AS ages (settled),
        LATERAL (
            SELECT digests FROM reports_mixedkeys AS mixed
            WHERE mixed.day = days.day AND mixed.settled = ages.settled AND mixed.first <= %(digest)b
            ORDER BY mixed.first DESC LIMIT 1
        ) AS block
    WHERE position(%(digest)b IN block.digests) > 0
), fresh AS (
    INSERT INTO reports_devicekey (key_hmac, day)
    SELECT %(key_hmac)b::bytea, %(day)b::date WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT DO NOTHING RETURNING day
)
INSERT INTO reports_devicerecord (id, version_id, locale, stream, day, record)
SELECT row.id, row.version_id, row.locale, row.stream, fresh.day, row.record
FROM fresh,
    unnest(%(ids)b::uuid[], %(versions)b::bigint[], %(locales)b::text[], %(streams)b::text[], %(records)b::bytea[])
    AS row (id, version_id, locale, stream, record)
ORDER BY row.id
"""
# No statement is prepared that is not meant to be.
_NEVER_UNASKED = 2**31


@dataclass
class Rows:
    """Columns, as the database takes them in."""

    version_ids: list[int] = field(default_factory=list)
    locales: list[str] = field(default_factory=list)
    streams: list[str] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)

    def add(self, target: Target, stream: str, records: NDArray[Any]) -> None:
        data, size, count = records.tobytes(), records.itemsize, len(records)
        self.version_ids += [target.version.pk] * count
        self.locales += [target.locale] * count
        self.streams += [stream] * count
        self.records += [data[start : start + size] for start in range(0, len(data), size)]


def insert(rows: Rows, key_hmac: bytes, day: datetime.date) -> None:
    """Commit rows, unless that was done under the key before."""
    drawn = os.urandom(16 * len(rows.records))  # all of it, without the bits that mark a UUID as random
    ids = [uuid.UUID(bytes=drawn[start : start + 16]) for start in range(0, len(drawn), 16)]
    values = {
        "key_hmac": key_hmac,
        "digest": key_hmac[:DIGEST_BYTES],
        "day": day,
        "ids": ids,
        "versions": rows.version_ids,
        "locales": rows.locales,
        "streams": rows.streams,
        "records": rows.records,
    }
    with native_cursor() as cursor:
        # Planned once in a connection, and not each time, which takes as long as the rest of it.
        cursor.connection.prepare_threshold = _NEVER_UNASKED
        cursor.execute(_INSERT, values, prepare=True)


@contextmanager
def native_cursor() -> Iterator[psycopg.Cursor[Any]]:
    """Yield a cursor of the driver on Django's connection: values travel as they are, not as text in a statement."""
    with connection.cursor() as opened, connection.wrap_database_errors, psycopg.Cursor(opened.connection) as cursor:
        yield cursor
