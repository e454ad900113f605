"""Documents of single devices: bytes of write-ahead log for each, taken in, mixed and stored.

Runs inside an installation (`benchmarks.scale.__main__` makes one) and prints its rows as JSON.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import django
import numpy as np

from benchmarks.measuring import Row, Site

if TYPE_CHECKING:
    from reports.models import Version

# A round is what comes in ten minutes. With fewer documents each would seem dearer: what is left is written anew.
ROUNDS = 3
DOCUMENTS = 5_000
LOCALES = ("en_US", "fr_FR", "de_DE")
# 10 GB a day for ten million documents.
TARGET_BYTES = 1_000
# What goes out early is tried as well.
STORED_BYTES = 1 << 20
SEED = "0f" * 16


def steps(site: Site) -> Iterator[Row]:
    _seconds, _peak, printed = site.measured("-m", "benchmarks.scale.device_records")
    yield from json.loads(printed)


def _measure() -> Iterator[Row]:
    from reports.collection import devices, tasks
    from reports.collection.devices import draining
    from reports.definitions import apply_definitions, check_definitions
    from reports.models import Version
    from reports.models.uploads import utc_today

    draining.STORED_BYTES = STORED_BYTES
    apply_definitions(check_definitions([_definition()], Path()))
    version = Version.objects.get(use_case__slug="device-records")
    taken_in = mixed = 0
    seconds, documents = 0.0, ROUNDS * DOCUMENTS
    for number in range(ROUNDS):
        started = _position()
        _documents_come(version, number)
        came = _position()
        began = time.process_time()
        tasks.mix_device_records()
        seconds += time.process_time() - began
        taken_in += came - started
        mixed += _position() - came
    started = _position()
    devices.drain(version, utc_today())
    stored = _position() - started
    for name, size in (("taken in", taken_in), ("mixed", mixed), ("stored when the day is over", stored)):
        yield _row(name, size / documents)
    total = (taken_in + mixed + stored) / documents
    yield _row("from arrival to object", total) | {
        "target": f"≤ {TARGET_BYTES:,} B",
        "gigabytes_for_10_million": total / 100,
        "mixing_microseconds": 1e6 * seconds / documents,
    }


def _row(name: str, size: float) -> Row:
    return {"step": f"write-ahead log of a device's document of a record of 132 bytes, {name}", "bytes": round(size)}


def _definition() -> dict[str, object]:
    return {
        "slug": "device-records",
        "title": "Device records",
        "owner_group": "owners",
        "algorithm": "CountMeanSketch",
        "normalization": "emoji",
        "locales": list(LOCALES),
        "minimum_reports": 1_000,
        "parameters": {"epsilon": 4, "k": 1024, "m": 1024, "seed": SEED},
        "dictionary": ["😂", "❤️", "👍"],
    }


def _position() -> int:
    """Return how much the server has ever logged, in bytes."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'")
        return int(cursor.fetchone()[0])


def _documents_come(version: "Version", number: int) -> None:
    """As when they were checked: a transaction each. None waits for the disk, which is asked about elsewhere."""
    from django.db import connection

    from reports.collection.devices.device_records import Rows, insert
    from reports.collection.ingest.documents import Target
    from reports.models.uploads import utc_today

    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")
    rng = np.random.default_rng(number)
    fleet = version.mechanism.privatize_fleet(["😂", "👍"], rng.integers(0, 2, DOCUMENTS), rng)
    ((stream, records),) = version.mechanism.split(fleet).items()
    for place in range(DOCUMENTS):
        rows = Rows()
        rows.add(Target(version, LOCALES[place % len(LOCALES)]), stream, records[place : place + 1])
        insert(rows, os.urandom(32), utc_today())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
    django.setup()
    print(json.dumps(list(_measure())))
