"""Documents of single devices: bytes of write-ahead log for each, taken in, mixed and stored.

Runs inside an installation (`benchmarks.scale.__main__` makes one) and prints its rows as JSON.
"""

import json
import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggregation.encoding import sort_records
from benchmarks.measuring import Row, Site, cpu_seconds, row
from benchmarks.scale.inside import define, definition, log_position, set_up

if TYPE_CHECKING:
    from reports.models import Version

# A round is what comes in ten minutes. With fewer documents each would seem dearer: what is left is written anew.
ROUNDS = 3
DOCUMENTS = 5_000
LOCALES = ("en_US", "fr_FR", "de_DE")
# 10 GB a day for ten million documents.
TARGET_BYTES = 1_000
# Early merging is tried as well.
STORED_BYTES = 1 << 20


def steps(site: Site) -> Iterator[Row]:
    yield from site.inside("scale.device_records")


def _measure() -> Iterator[Row]:
    from django.db import connection

    from reports.collection import devices, tasks
    from reports.collection.devices import draining
    from reports.models.uploads import utc_today

    draining.STORED_BYTES = STORED_BYTES
    version = define(definition("device-records", locales=list(LOCALES), minimum_reports=1_000))
    taken_in = mixed = 0
    seconds = floor = 0.0
    for number in range(ROUNDS):
        records = _records(version, number)
        started = log_position()
        _documents_come(version, records)
        came = log_position()
        seconds += cpu_seconds(tasks.mix_device_records)
        floor += cpu_seconds(partial(sort_records, next(iter(records.values()))))
        taken_in += came - started
        mixed += log_position() - came
    started = log_position()
    devices.drain(version, utc_today())
    stored = log_position() - started
    _documents_come(version, _records(version, ROUNDS))
    # After one, a page is logged whole with its first change: at worst it comes right before rows are deleted.
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
    came = log_position()
    tasks.mix_device_records()
    at_worst = (log_position() - came) / DOCUMENTS
    documents = ROUNDS * DOCUMENTS
    each = (taken_in + mixed + stored) / documents
    yield row(
        f"mixing {documents:,} documents of devices, {each:,.0f} B of log each",
        seconds,
        None,
        f"≤ {TARGET_BYTES:,} B",
        "the same records sorted",
        floor,
        reports=documents,
    ) | {
        "wal_bytes": each,
        "wal_bytes_taken_in": taken_in / documents,
        "wal_bytes_mixed": mixed / documents,
        "wal_bytes_stored": stored / documents,
        "wal_bytes_mixed_after_a_checkpoint": at_worst,
        "wal_gigabytes_a_day_of_10_million": each / 100,
    }


def _records(version: "Version", number: int) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(number)
    fleet = version.mechanism.privatize_fleet(["😂", "👍"], rng.integers(0, 2, DOCUMENTS), rng)
    return dict(version.mechanism.split(fleet))


def _documents_come(version: "Version", records: dict[str, NDArray[Any]]) -> None:
    """Add a record for each, as when they were checked: a transaction each, none of which waits for the disk."""
    from django.db import connection

    from reports.collection.devices.device_records import Rows, insert
    from reports.collection.ingest.documents import Target
    from reports.models.uploads import utc_today

    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")
    ((stream, all_records),) = records.items()
    for place in range(DOCUMENTS):
        rows = Rows()
        rows.add(Target(version, LOCALES[place % len(LOCALES)]), stream, all_records[place : place + 1])
        insert(rows, os.urandom(32), utc_today())


if __name__ == "__main__":
    set_up()
    print(json.dumps(list(_measure())))
