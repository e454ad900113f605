"""Portions: records of devices, mixed, so that not even PostgreSQL's own columns tell which came together, or when.

Records that came since the last time join those of their day and locale that are not many yet: they are written anew as
a whole, sorted. Many are a portion, which stays as it is. So each is written a few times, however long it waits.
"""

import datetime
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
from django.db import transaction
from numpy.typing import NDArray

from reports.collection.devices.device_records import native_cursor
from reports.collection.ingest.sorting import Sorter
from reports.models import Version
from reports.record_files import Sorted
from reports.storage import spool_folder

# So many reports of a day and locale have so many others in common with which transaction wrote them that it tells
# nothing of one; if they are also more than some devices send.
MANY = 500
MANY_DEVICES = 10

# Handed to the sorter together, and the most that a row of a portion holds.
BLOCK_BYTES = 1 << 20

# One statement sees all records of a document, or none.
_TAKE_RECORDS = "DELETE FROM reports_devicerecord WHERE version_id = %s RETURNING day, locale, stream, record"
_TAKE_INCOMPLETE = """
DELETE FROM reports_mixedrecords WHERE version_id = %s AND portion IS NULL RETURNING day, locale, stream, records
"""
_WRITE = """
COPY reports_mixedrecords (id, version_id, day, locale, stream, size, records, portion) FROM STDIN (FORMAT BINARY)
"""
_TYPES = ("uuid", "int8", "date", "text", "text", "int8", "bytea", "uuid")


class RecordGroup(NamedTuple):
    """Day, locale and stream of records that need not be told apart."""

    day: datetime.date
    locale: str
    stream: str


def mix_records(version: Version) -> None:
    """Move the records that came to portions, in one transaction. Call while no other takes records of devices."""
    with spool_folder() as folder, transaction.atomic():
        sorter = sorted_records(version, folder, (_TAKE_RECORDS, [version.pk]))
        if sorter.is_empty:
            return
        for group, records in _blocks(version, _TAKE_INCOMPLETE, [version.pk]):
            sorter.add(group, records)
        # In an order in which no sender had a part.
        _write(version, list(sorter.finish()))


def sorted_records(version: Version, folder: Path, *statements: tuple[str, Sequence[Any]]) -> Sorter[RecordGroup]:
    """Sort what statements take; memory does not grow with it."""
    sorter: Sorter[RecordGroup] = Sorter(folder)
    for sql, values in statements:
        for group, records in _blocks(version, sql, values):
            sorter.add(group, records)
    return sorter


def _blocks(version: Version, sql: str, values: Sequence[Any]) -> Iterator[tuple[RecordGroup, NDArray[Any]]]:
    """Yield records as the database deletes them."""
    held: dict[RecordGroup, list[bytes]] = defaultdict(list)
    sizes: dict[RecordGroup, int] = defaultdict(int)
    # Several at a time if the library under the driver can do that.
    size = 64 if psycopg.capabilities.has_stream_chunked() else 1
    with native_cursor() as cursor:
        for *columns, records in cursor.stream(sql, values, binary=True, size=size):
            group = RecordGroup(*columns)
            held[group].append(records)
            sizes[group] += len(records)
            if sizes[group] >= BLOCK_BYTES:
                yield group, _array(version, group, held.pop(group))
                del sizes[group]
    for group, block in held.items():
        yield group, _array(version, group, block)


def _array(version: Version, group: RecordGroup, block: Iterable[bytes]) -> NDArray[Any]:
    return np.frombuffer(b"".join(block), version.mechanism.record_dtype(group.stream))


def _write(version: Version, files: Sequence[tuple[RecordGroup, Sorted]]) -> None:
    reports: dict[tuple[datetime.date, str], int] = defaultdict(int)
    for group, file in files:
        if group.stream in version.mechanism.report_streams:
            reports[group[:2]] += file.size
    many = max(MANY, MANY_DEVICES * version.use_case.reports_per_day)
    portions = {of: uuid.uuid4() for of, number in reports.items() if number >= many}
    with native_cursor() as cursor, cursor.copy(_WRITE) as copy:
        copy.set_types(_TYPES)
        for group, file in files:
            step = max(1, BLOCK_BYTES // file.dtype.itemsize)
            for records in file.chunks:
                for start in range(0, len(records), step):
                    block = records[start : start + step]
                    row = uuid.uuid4(), version.pk, *group, len(block), block.tobytes(), portions.get(group[:2])
                    copy.write_row(row)
