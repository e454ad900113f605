"""Draining: waiting records become a batch, or are dropped when they have waited too long."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import psycopg
from django.db import connection, transaction
from numpy.typing import NDArray

from reports.collection.devices.device_records import native_cursor
from reports.collection.devices.waiting_records import enough_days, first_carried
from reports.collection.ingest.collector import CollectedShard
from reports.collection.ingest.content import Content
from reports.collection.ingest.documents import Target
from reports.collection.ingest.sorting import Sorter
from reports.collection.ingest.store import commit_batch
from reports.locks import Lock, advisory_lock
from reports.models import Batch, DeviceKey, Version
from reports.models.uploads import utc_today
from reports.storage import new_name, reserved, spool_folder

# Of locale and stream.
_Place: TypeAlias = tuple[str, str]

# Handed to the sorter together.
BLOCK = 8192

# One statement sees all records of a document, or none.
_TAKE = """
DELETE FROM reports_devicerecord WHERE version_id = %s AND day BETWEEN %s AND %s AND locale = ANY(%s)
RETURNING locale, stream, record
"""
_DROP = """
WITH gone AS (
    DELETE FROM reports_devicerecord WHERE version_id = %(version)s AND day <= %(day)s RETURNING locale, stream
)
INSERT INTO reports_droppedreports (version_id, locale, day, reports)
SELECT %(version)s, locale, %(today)s, count(*) FROM gone WHERE stream = ANY(%(streams)s) GROUP BY locale
ON CONFLICT (version_id, locale, day) DO UPDATE SET reports = reports_droppedreports.reports + EXCLUDED.reports
"""


def drain(version: Version, day: datetime.date) -> Batch | None:
    """Make an ordinary batch of a day out of what waits, in those locales that have enough; None if there is none.

    Rows go and the batch comes in one transaction. Memory does not grow with the rows.
    """
    with advisory_lock(Lock.WAITING, 0):
        locales = enough_days(version, day, day).get(day)
        if not locales:
            return None
        names = [new_name("shards") for _ in range(len(locales) * len(version.mechanism.streams))]
        with reserved(names), spool_folder() as folder, transaction.atomic():
            shards = _taken(version, day, locales, folder)
            accepted = sum(shard.size for shard in shards if shard.stream in version.mechanism.report_streams)
            # Had no worker been down, it would have been made when the day was over: it is kept no longer for that.
            since = day + datetime.timedelta(days=1)
            batch = Batch(accepted=accepted, rejected={})
            # No device sends what another has sent, so that nothing is kept to recognise it by.
            return commit_batch(shards, names, day, batch, Content(), held_since=since)


def _taken(version: Version, day: datetime.date, locales: Sequence[str], folder: Path) -> list[CollectedShard]:
    sorter: Sorter[_Place] = Sorter(folder)
    for place, records in _blocks(version, day, locales):
        sorter.add(place, records)
    targets = {locale: Target(version, locale) for locale in locales}
    return [
        CollectedShard(targets[locale], stream, sorted_file.size, sorted_file.path)
        for (locale, stream), sorted_file in sorter.finish()
    ]


def _blocks(version: Version, day: datetime.date, locales: Sequence[str]) -> Iterator[tuple[_Place, NDArray[Any]]]:
    """Yield the records as the database deletes them."""
    held: dict[_Place, list[bytes]] = defaultdict(list)
    # Several at a time if the library under the driver can do that.
    size = BLOCK if psycopg.capabilities.has_stream_chunked() else 1
    values = [version.pk, first_carried(version, day), day, list(locales)]
    with native_cursor() as cursor:
        for locale, stream, record in cursor.stream(_TAKE, values, binary=True, size=size):
            block = held[locale, stream]
            block.append(record)
            if len(block) == BLOCK:
                yield (locale, stream), _array(version, stream, held.pop((locale, stream)))
    for (locale, stream), block in held.items():
        yield (locale, stream), _array(version, stream, block)


def _array(version: Version, stream: str, block: list[bytes]) -> NDArray[Any]:
    return np.frombuffer(b"".join(block), version.mechanism.record_dtype(stream))


def drop_overdue(version: Version, day: datetime.date) -> None:
    """Drop what the day after could not count any more, and count it. Call when what the day can count was drained."""
    a_day = datetime.timedelta(days=1)
    overdue = first_carried(version, day + a_day) - a_day
    values: dict[str, Any] = {"version": version.pk, "day": overdue, "today": utc_today()}
    with advisory_lock(Lock.WAITING, 0), connection.cursor() as cursor:
        cursor.execute(_DROP, values | {"streams": list(version.mechanism.report_streams)})


def forget_old_keys(today: datetime.date) -> None:
    """Forget keys of days before yesterday: a device whose clock is slow sends again when its day is over here."""
    yesterday = today - datetime.timedelta(days=1)
    with advisory_lock(Lock.WAITING, 0):
        DeviceKey.objects.filter(day__lt=yesterday).delete()
