"""Digests of Idempotency-Keys: those that came are moved to sorted blocks, which are written anew as a whole."""

import datetime
import time
import uuid
from collections import defaultdict

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from reports.collection.devices.device_records import DIGEST_BYTES, native_cursor
from reports.models import DeviceKey, MixedKeys

# A block and what goes with it fill a quarter of a page, so that none lies outside of its row.
BLOCK = 240
# Moved at a time: more that have a transaction in common are mixed.
MOST = 200_000
# So many join the settled ones, if they are an eighth of them as well: so each is written anew some ten times a day.
SETTLED_BLOCKS = 200
SETTLED_SHARE = 8
PATIENCE_SECONDS = 10.0

_TAKE = "DELETE FROM reports_mixedkeys WHERE day = %s AND settled = %s RETURNING digests"
_WRITE = "COPY reports_mixedkeys (id, day, settled, first, digests) FROM STDIN (FORMAT BINARY)"
_FORGET = "DELETE FROM reports_devicekey WHERE key_hmac = ANY(%b)"
# Each statement that adds a key has this lock before it looks which are there, and until it has committed.
_ADDING = """
SELECT virtualtransaction FROM pg_locks
WHERE relation = 'reports_devicekey'::regclass AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

# In the order of their bytes.
Digests = NDArray[np.uint64]


def mix_keys() -> bool:
    """Move the digests that came to blocks; returns whether there were any.

    They are in both places until all documents are through that were on their way, and may not see the blocks yet.
    """
    found, goes_on = False, True
    while goes_on:
        came = list(DeviceKey.objects.values_list("key_hmac", "day")[:MOST])
        by_day: dict[datetime.date, list[bytes]] = defaultdict(list)
        for key, day in came:
            by_day[day].append(bytes(key))
        with transaction.atomic():
            for day, keys in by_day.items():
                _add(day, _parsed(b"".join(key[:DIGEST_BYTES] for key in keys)))
        goes_on = _forget([bytes(key) for key, _day in came]) and len(came) == MOST
        found = found or bool(came)
    return found


def _forget(keys: list[bytes]) -> bool:
    """Delete keys that blocks have, unless documents stay on their way; returns whether it is done."""
    through = not keys or _all_are_through()
    if keys and through:
        with native_cursor() as cursor:
            cursor.execute(_FORGET, [keys])
    return through


def _parsed(digests: bytes) -> Digests:
    return np.frombuffer(digests, ">u8").astype(np.uint64)


def _add(day: datetime.date, digests: Digests) -> None:
    digests = np.union1d(digests, _taken(day, settled=False))
    blocks, there = len(digests) // BLOCK, MixedKeys.objects.filter(day=day, settled=True).count()
    settled = blocks >= SETTLED_BLOCKS and blocks * SETTLED_SHARE >= there
    if settled:
        digests = np.union1d(digests, _taken(day, settled=True))
    with native_cursor() as cursor, cursor.copy(_WRITE) as copy:
        copy.set_types(("uuid", "date", "bool", "bytea", "bytea"))
        for start in range(0, len(digests), BLOCK):
            block = digests[start : start + BLOCK].astype(">u8").tobytes()
            copy.write_row((uuid.uuid4(), day, settled, block[:DIGEST_BYTES], block))


def _taken(day: datetime.date, *, settled: bool) -> Digests:
    with native_cursor() as cursor:
        cursor.execute(_TAKE, [day, settled], binary=True)
        return _parsed(b"".join(block for (block,) in cursor))


def _all_are_through() -> bool:
    """Wait until all statements have ended that are adding a key now; returns False if that takes too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    waited_for = _adding()
    while waited_for:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
        waited_for &= _adding()
    return True


def _adding() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_ADDING)
        return {transaction for (transaction,) in cursor}
