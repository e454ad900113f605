"""Unit costs, which `manage.py size` multiplies: of an upload, a device's document, a closed day, a counted target.

Each is of this process, of the database's, and in bytes of the database's write-ahead log. Runs inside an installation
(`benchmarks.scale.__main__` makes one) and prints its rows as JSON.
"""

import datetime
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measuring import ROOT, Row, Site
from benchmarks.scale.inside import count_days, define, definition, log_position, segment, set_up

if TYPE_CHECKING:
    from reports.models import Version

LOCALES = [f"{language}_{language.upper()}" for language in "aa bb cc dd ee ff gg hh ii jj kk ll mm nn oo pp".split()]
DAYS = 10
UPLOADS = 40
DOCUMENTS = 2_000
RECORDS = 1_000
PREFIX = "unit cost: "
UNIT_COSTS = ROOT / "reports" / "operations" / "sizing" / "unit_costs.json"
# Drift beyond which the benchmark fails.
MOST_DRIFT = 2.0


def steps(site: Site) -> Iterator[Row]:
    kept = json.loads(UNIT_COSTS.read_text(encoding="utf-8")) if UNIT_COSTS.exists() else {}
    for name, cost in site.inside("scale.unit_costs").items():
        before = kept.get(name)
        yield {"step": f"{PREFIX}{name}", "cost": cost, "kept": before, "drift": before and cost / before}


def drifted(rows: list[Row]) -> list[str]:
    """Return the unit costs that are more than twice or less than half of those that are kept.

    Seconds are compared in units of the yardstick of their run: another machine is faster as a whole.
    """
    costs = _by_name(rows)
    pace = (costs["yardstick_seconds"]["drift"] or 1.0) if costs else 1.0
    found = []
    for name, row in costs.items():
        drift = (row["drift"] or MOST_DRIFT + 1) / (pace if name.endswith("seconds") else 1.0)
        if not 1 / MOST_DRIFT <= drift <= MOST_DRIFT:
            found.append(f"{name}: {row['cost']:.3g}, kept is {row['kept']}")
    return found


def keep(rows: list[Row]) -> None:
    """Write measured costs where `manage.py size` reads them."""
    costs = {"measured_on": datetime.datetime.now(datetime.UTC).date().isoformat()}
    costs |= {name: row["cost"] for name, row in _by_name(rows).items()}
    UNIT_COSTS.write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")


def _by_name(rows: list[Row]) -> dict[str, Row]:
    return {row["step"].removeprefix(PREFIX): row for row in rows if row["step"].startswith(PREFIX)}


class Meter:
    """Cost of a step: processor seconds here and in the database, its log, and statements."""

    def __init__(self) -> None:
        from django.db import connection

        self.connection = connection
        self.statements = 0
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (self.backend,) = cursor.fetchone()

    def cost(self, deed: Callable[[], object], times: int) -> dict[str, float]:
        """Do it so many times, of which each has the mean cost."""
        self.statements = 0
        before = self._read()
        with self.connection.execute_wrapper(self._count):
            for _ in range(times):
                deed()
        after = self._read()
        names = ("seconds", "database_seconds", "log_bytes")
        found = {name: (end - start) / times for name, start, end in zip(names, before, after, strict=True)}
        return found | {"statements": self.statements / times}

    def _count(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.statements += 1
        return execute(*arguments)

    def _read(self) -> tuple[float, float, int]:
        # User and system time, in ticks, behind the name in brackets.
        fields = Path(f"/proc/{self.backend}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return time.process_time(), ticks / os.sysconf("SC_CLK_TCK"), log_position()


def _measure() -> dict[str, float]:
    from django.test import Client, override_settings

    from benchmarks.scale.uploads import all_locales, body_of, uploader

    own = definition("units", locales=LOCALES, minimum_reports=100)
    version = define(definition("scale-0", locales=all_locales()), own)
    meter, found = Meter(), {"yardstick_seconds": _yardstick()}
    upload = uploader()
    few, many = [[body_of(1, locales) for _ in range(UPLOADS + 1)] for locales in (1, 100)]
    for bodies in (few, many):
        upload(bodies.pop())  # which loads what the first one loads
    one = meter.cost(lambda: upload(few.pop()), UPLOADS)
    hundred = meter.cost(lambda: upload(many.pop()), UPLOADS)
    found |= {f"upload_{name}": cost for name, cost in one.items()}
    found["target_seconds"] = max(hundred["seconds"] - one["seconds"], 0.0) / 99
    with override_settings(LDPSITE_DEVICE_DOCUMENTS_PER_SECOND=0):
        found |= _device_costs(version, Client(), meter)
    return found | _closing_costs(version, upload, meter)


def _device_costs(version: "Version", client: Any, meter: Meter) -> dict[str, float]:
    from reports.collection import devices, tasks
    from reports.models.uploads import utc_today

    documents = _documents(version, DOCUMENTS, lambda number: LOCALES[number % 3], 1)

    def send() -> None:
        answer = client.post(
            "/api/v1/reports/", documents.pop(), content_type="application/json",
            headers={"Idempotency-Key": uuid.uuid4().hex},
        )  # fmt: skip
        if answer.status_code != HTTPStatus.ACCEPTED:
            raise RuntimeError(answer.content)

    taken = meter.cost(send, DOCUMENTS)

    def move() -> None:
        tasks.mix_device_records()
        devices.drain(version, utc_today())

    moved = meter.cost(move, 1)
    return {f"document_{name}": taken[name] + moved[name] / DOCUMENTS for name in taken if name != "statements"}


def _closing_costs(
    version: "Version", upload: Callable[[bytes, datetime.date], None], meter: Meter
) -> dict[str, float]:
    """Costs of uploads that are merged when their day is closed, and of targets that are counted and published."""
    from reports.collection.closing import seal_days
    from reports.models.uploads import utc_today

    uploads = 0
    for ago in range(DAYS, 0, -1):
        for body in _documents(version, len(LOCALES), LOCALES.__getitem__, RECORDS):
            upload(body, utc_today() - datetime.timedelta(days=ago))
            uploads += 1
    yesterday = utc_today() - datetime.timedelta(days=1)
    closed = meter.cost(lambda: seal_days(version, last=yesterday), 1)
    size = _database_bytes(meter)
    counted = meter.cost(lambda: count_days(version), 1)
    targets = DAYS * len(LOCALES)
    found = {f"closing_{name}": cost / uploads for name, cost in closed.items() if name != "statements"}
    found |= {f"counting_{name}": cost / targets for name, cost in counted.items() if name != "statements"}
    return found | {"counting_table_bytes": (_database_bytes(meter) - size) / targets}


def _documents(version: "Version", number: int, locale: Callable[[int], str], records: int) -> list[bytes]:
    mechanism, rng = version.mechanism, np.random.default_rng()
    drawn = mechanism.privatize_fleet(["😂", "👍"], rng.integers(0, 2, number * records), rng)
    lines = mechanism.format_records(drawn)
    return [
        json.dumps({"version": 1, "segments": [segment(version, locale(place), lines[place::number])]}).encode()
        for place in range(number)
    ]


def _database_bytes(meter: Meter) -> int:
    with meter.connection.cursor() as cursor:
        cursor.execute("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname ~ '^rep'")
        return int(cursor.fetchone()[0])


def _yardstick() -> float:
    """Return processor seconds of sorting a million numbers, the best of five."""
    numbers = np.random.default_rng(0).random(1_000_000)
    times = []
    for _ in range(5):
        started = time.process_time()
        np.sort(numbers)
        times.append(time.process_time() - started)
    return min(times)


if __name__ == "__main__":
    set_up()
    print(json.dumps(_measure()))
