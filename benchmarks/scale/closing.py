"""Closing of a day on which many small uploads came, by one and by two processes, beside copies of as many files.

Runs inside an installation (`benchmarks.scale.__main__` makes one) and prints its figures as JSON.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import ROOT, Row, Site, days_ago, row
from benchmarks.scale.inside import definition, set_up
from benchmarks.scale.unit_costs import Meter

FILES = 10_000
RECORDS = 300
LOCALES = ("de_DE", "en_US", "fr_FR")
TARGET = "ratio ≤ 0.60"


def steps(site: Site) -> Iterator[Row]:
    one, two = (json.loads(site.measured("-m", "benchmarks.scale.closing", str(processes))[2]) for processes in (1, 2))
    step = f"closing {FILES:,} files by"
    yield row(f"{step} one process", one["seconds"], None, "", "copies of as many files", one["copies"])
    yield row(f"{step} two, by the clock", two["seconds"], None, TARGET, "by one process", one["seconds"])
    # Where others use the processors as well, the clock tells little.
    busiest, alone = two["busiest"], one["processor_seconds"]
    yield row(f"{step} two, by the busiest one's processor", busiest, None, TARGET, "by one process", alone) | {
        "processor_seconds_of_both": two["processor_seconds"]
    }


def _measure(processes: int) -> dict[str, float]:
    slug = f"closing-{processes}"
    copies = _uploads(slug)
    command = [sys.executable, "-m", "benchmarks.scale.closing", "seal", slug]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, cwd=ROOT, **pipes) for _ in range(processes)]
    ends = [(each.stdin, each.stdout) for each in started if each.stdin is not None and each.stdout is not None]
    for _stdin, stdout in ends:
        stdout.readline()  # it has loaded everything
    os.sync()  # uploads are on the disk by then
    began = time.perf_counter()
    for stdin, _stdout in ends:  # all at once
        print(file=stdin, flush=True)
    found = [stdout.readline() for _stdin, stdout in ends]
    seconds = time.perf_counter() - began
    if any(each.wait() for each in started):
        raise RuntimeError("Closing ended with an error.")
    of_each = list(map(float, found))
    return {"seconds": seconds, "processor_seconds": sum(of_each), "busiest": max(of_each), "copies": copies}


def _uploads(slug: str) -> float:
    """Store so many uploads of yesterday, all the same; returns the seconds that copies of their files take."""
    from reports.collection.ingest.sorting import merged
    from reports.definitions import apply_definitions, check_definitions
    from reports.models import Batch, Shard, Version
    from reports.record_files import Records, write_records
    from reports.storage import new_name, shard_storage, spool_folder

    fields = definition(slug, algorithm="HadamardCountMeanSketch", locales=list(LOCALES))
    apply_definitions(check_definitions([fields], Path()))
    version = Version.objects.get(use_case__slug=slug)
    rng = np.random.default_rng(0)
    drawn = [version.mechanism.privatize_fleet(["😂"], np.zeros(RECORDS // 3, int), rng)["element"] for _ in LOCALES]
    records = [
        Records(locale, "element", merged([np.sort(part, order="row_coordinate_sign")]))
        for locale, part in zip(LOCALES, drawn, strict=True)
    ]
    names = [new_name("shards") for _ in range(FILES)]
    with spool_folder() as folder:
        file = write_records(folder / "upload.npy", version, records)
        began = time.perf_counter()
        for name in names:
            path = Path(shard_storage().path(name))
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.path, path)
        seconds = time.perf_counter() - began
    batches = Batch.objects.bulk_create(Batch(day=days_ago(1), accepted=RECORDS) for _ in names)
    Shard.objects.bulk_create(
        Shard(**file.columns(), file_name=name, batch=batch, day=days_ago(1))
        for name, batch in zip(names, batches, strict=True)
    )
    return seconds


def _seal(slug: str) -> None:
    """Say when everything is loaded, wait for a line, and print processor seconds, the database's as well."""
    from reports.collection import seal_days
    from reports.jobs import call_worker
    from reports.models import Version

    version = Version.objects.select_related("use_case").get(use_case__slug=slug)
    # Connected, as a worker is.
    meter = Meter()
    call_worker("reports.help_sealing")
    print(flush=True)
    sys.stdin.readline()
    found = meter.cost(lambda: seal_days(version), 1)
    print(found["seconds"] + found["database_seconds"], flush=True)
    total = sum(size for (_version, _day, _locale, _stream), size in version.shards.sizes("version", "day").items())
    if version.shards.unclosed().exists() or total != FILES * RECORDS:
        raise RuntimeError(f"{total} records are left of {FILES * RECORDS}.")


if __name__ == "__main__":
    set_up()
    if sys.argv[1] == "seal":
        _seal(sys.argv[2])
    else:
        print(json.dumps(_measure(int(sys.argv[1]))))
