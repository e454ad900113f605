"""Daily runs after days, months and a year of history: files that a host downloads which has none of them yet.

Runs inside an installation (`benchmarks.scale.__main__` makes one) and prints its rows as JSON.
"""

import datetime
import json
import shutil
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING
from unittest import mock

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import Storage

from benchmarks.measuring import Row, Site, cpu_seconds, row
from benchmarks.scale.inside import PARAMETERS, count_days, define, definition, segment, set_up

if TYPE_CHECKING:
    from reports.models import Version

HISTORIES = (10, 100, 365)
LOCALES = ("en_US", "fr_FR", "de_DE")
# A day's own counts, and of each locale those of months, of the days of this month and of weeks that are compared.
TARGETS = {365: "≤ 200 downloads"}
REPORTS = 2_000
ELEMENTS = 50


class Bucket(Storage):
    """Has names and bytes, no paths; counts what is fetched."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []
        # While a transaction was open, and kept its rows and locks.
        self.in_transactions = 0

    def _open(self, name: str, mode: str) -> "ContentFile[bytes]":
        from django.db import connection

        self.fetched.append(name.partition("/")[0])
        self.in_transactions += connection.in_atomic_block
        return ContentFile(self.files[name])

    def _save(self, name: str, content: IO[bytes]) -> str:
        self.files[name] = content.read()
        return name

    def delete(self, name: str) -> None:
        self.files.pop(name, None)

    def exists(self, name: str) -> bool:
        return name in self.files


def steps(site: Site) -> Iterator[Row]:
    yield from site.inside("scale.daily_runs")


def _measure() -> Iterator[Row]:
    bucket = Bucket()
    with mock.patch("reports.storage.shard_storage", return_value=bucket):
        for days in HISTORIES:
            version = _defined(days)
            _history(version, days + 1)
            for ago in (2, 1):  # the first makes what the runs of days before have left
                _take_in_a_day(version, ago)
                _forget_copies()
                bucket.fetched.clear()
                bucket.in_transactions = 0
                seconds = cpu_seconds(partial(count_days, version, ago))
            counts = [np.ones(ELEMENTS, np.int64) for _ in range(days * len(LOCALES))]
            kinds = {kind: bucket.fetched.count(kind) for kind in sorted(set(bucket.fetched))}
            yield row(
                f"daily run after {days:,} days, {len(LOCALES)} locales, {len(bucket.fetched)} downloads",
                seconds,
                None,
                TARGETS.get(days, ""),
                "all support counts added up",
                cpu_seconds(partial(np.sum, counts, 0)),
                reports=REPORTS * len(LOCALES),
            ) | {
                "downloads": len(bucket.fetched),
                "downloads_of": kinds,
                "downloads_in_a_transaction": bucket.in_transactions,
                "bytes_of_an_entry": _bytes_of_an_entry(),
            }


def _bytes_of_an_entry() -> float:
    """Return the bytes that the database takes for an entry of a kept histogram, with its indexes."""
    from django.db import connection

    from reports.models import HistogramEntries

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('reports_histogramentries')")
        (size,) = cursor.fetchone()
    return float(size / sum(entries.size for entries in HistogramEntries.objects.iterator()))


def _defined(days: int) -> "Version":
    fields = definition(
        f"daily-{days}",
        algorithm="HadamardCountMeanSketch",
        normalization="word",
        locales=list(LOCALES),
        minimum_reports=1_000,
        parameters=PARAMETERS | {"k": 256, "m": 256},
        dictionary=[f"word{number}" for number in range(ELEMENTS)],
    )
    return define(fields)


def _history(version: "Version", days: int) -> None:
    """Count and publish all days but the last two straight in the database."""
    from reports.models import ReadOut, Sealing
    from reports.models.uploads import utc_today
    from reports.pending_files import commit, reserved
    from reports.publication import cut
    from reports.storage import new_name, store_array

    rng = np.random.default_rng(days)
    for ago in range(days, 2, -1):
        day = utc_today() - datetime.timedelta(days=ago)
        sealing = Sealing.objects.create(version=version, day=day)
        for locale in LOCALES:
            name = new_name("read-outs")
            with reserved([name]):
                store_array(rng.integers(0, REPORTS, ELEMENTS), name, day)
                ReadOut.objects.create(
                    version=version,
                    revision=version.current_dictionary(),
                    locale=locale,
                    day=day,
                    n=REPORTS,
                    file_name=name,
                    sealing=sealing,
                )
                commit([name])
    cut(version)


def _take_in_a_day(version: "Version", ago: int) -> None:
    from reports.collection.ingest import Upload, ingest
    from reports.models import UseCase
    from reports.models.uploads import utc_today

    day = utc_today() - datetime.timedelta(days=ago)
    mechanism, rng = version.mechanism, np.random.default_rng(ago)
    words = [f"word{number}" for number in range(ELEMENTS)]
    for locale in LOCALES:
        lines = mechanism.format_records(
            mechanism.privatize_fleet(words, rng.integers(0, ELEMENTS, REPORTS) ** 2 // ELEMENTS, rng)
        )
        body = json.dumps({"version": 1, "segments": [segment(version, locale, lines)]}).encode()
        ingest(Upload(BytesIO(body), "json"), UseCase.objects.all(), day=day)


def _forget_copies() -> None:
    from django.conf import settings

    shutil.rmtree(Path(settings.LDPSITE_SPOOL_DIR) / "cache", ignore_errors=True)


if __name__ == "__main__":
    set_up()
    print(json.dumps(list(_measure())))
