"""Single devices for tests: their documents, and what the server keeps of them."""

import datetime
import json
import uuid
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Sum
from django.http import HttpResponse
from django.test import Client

from aggregation.encoding import join_records, sort_records
from reports.collection import devices
from reports.collection.devices.definitions_in_force import read_definitions
from reports.kinds import DISCOVERY, kind_of, puzzle_of
from reports.models import DeviceRecord, MixedRecords, Shard, Version
from reports.models.uploads import utc_today
from tests.reports.factories import slices_of

ADDRESS = "/api/v1/reports/"


def new_key() -> str:
    return uuid.uuid4().hex


def report(version: Version, seed: int = 0, *, element: str = "😂") -> str:
    """A record line."""
    mechanism = version.mechanism
    index = np.zeros(1, np.intp)
    (line,) = mechanism.format_records(mechanism.privatize_fleet([element], index, np.random.default_rng(seed)))
    return line


def segment_of(version: Version, *records: object, locale: str = "en_US") -> dict[str, Any]:
    return {
        "use_case": version.use_case.slug,
        "locale": locale,
        "algorithm": version.algorithm,
        "parameters": version.mechanism.encoded_parameters(),
        "records": list(records),
    }


def document_of(*segments: dict[str, Any]) -> bytes:
    return json.dumps({"version": 1, "segments": segments}).encode()


def post(
    body: bytes, key: str | None = None, client: Client | None = None, headers: Mapping[str, str] = MappingProxyType({})
) -> HttpResponse:
    headers = {"idempotency-key": new_key() if key is None else key, **headers}
    answer = (client or Client()).post(ADDRESS, body, content_type="application/json", headers=headers)
    assert isinstance(answer, HttpResponse)
    return answer


def arrive(
    version: Version, count: int, *, locale: str = "en_US", day: datetime.date | None = None, seed: int = 0
) -> None:
    """Let so many devices send a report each, on a day."""
    read_definitions.cache_clear()
    element = "able".ljust(puzzle_of(version).length, "_") if kind_of(version) is DISCOVERY else "😂"
    for number in range(count):
        line = report(version, seed * 10_000 + number, element=element)
        devices.take_in(document_of(segment_of(version, line, locale=locale)), devices.Key(new_key()))
    if day is not None:
        DeviceRecord.objects.filter(day=utc_today(), locale=locale, version=version).update(day=day)


def waiting(version: Version | None = None) -> int:
    """Return the number of reports that wait."""
    of = {"stream": "element"} if version is None else {"stream": "element", "version": version}
    mixed = MixedRecords.objects.filter(**of).aggregate(size=Sum("size"))["size"] or 0
    return DeviceRecord.objects.filter(**of).count() + int(mixed)


def stored_records(version: Version, stream: str = "element", **of: Any) -> bytes:
    """The sorted bytes of all records in shards."""
    shards = Shard.objects.filter(version=version, **of)
    parts = [part for shard in shards for (_locale, name), part in slices_of(shard).items() if name == stream]
    found = [np.array(part) for part in parts]
    return sort_records(join_records(found)).tobytes() if found else b""


def waiting_records(version: Version, stream: str = "element") -> bytes:
    """The sorted bytes of what waits."""
    of = {"version": version, "stream": stream}
    came = DeviceRecord.objects.filter(**of).values_list("record", flat=True)
    mixed = MixedRecords.objects.filter(**of).values_list("records", flat=True)
    joined = np.frombuffer(b"".join(map(bytes, [*came, *mixed])), version.mechanism.record_dtype(stream))
    return sort_records(joined).tobytes()


def places(table: str, key: str) -> list[tuple[Any, ...]]:
    """Return key, transaction and place of each row as PostgreSQL notes them, in the order of their places."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {key}, xmin::text, ctid FROM {table} ORDER BY ctid")  # noqa: S608
        return list(cursor.fetchall())
