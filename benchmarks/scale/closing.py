"""Closing of a day on which many small uploads came, by one and by two processes, beside writing as many files.

Runs inside an installation (`benchmarks.scale.__main__` makes one) and prints its rows as JSON.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import django
import numpy as np

from benchmarks.measuring import ROOT, Row, Site, days_ago, row

FILES = 2_000
RECORDS = 200
LOCALES = ("de_DE", "en_US", "fr_FR")
SEED = "0f" * 16


def steps(site: Site) -> Iterator[Row]:
    """Yield a row for each number of processes: the time until all are done."""
    before = "copies of as many files"
    for processes in (1, 2):
        _seconds, _peak, printed = site.measured("-m", "benchmarks.scale.closing", str(processes))
        found = json.loads(printed)
        floor, floor_seconds = (before, found["copy"]) if processes == 1 else ("one process", one)
        step = f"closing {FILES:,} files by {processes} process{'es' if processes > 1 else ''}"
        yield row(step, found["seconds"], None, "ratio ≤ 0.60" if processes > 1 else "", floor, floor_seconds) | {
            "processor_seconds": found["processor_seconds"],
            "files": FILES,
        }
        one = found["seconds"]


def _uploads(slug: str) -> float:
    """Store so many uploads of yesterday; returns how long it takes to copy their files."""
    from reports.collection.ingest.content import Content
    from reports.collection.ingest.sorting import merged
    from reports.collection.ingest.store import store_batch
    from reports.definitions import apply_definitions, check_definitions
    from reports.models import Batch, Version
    from reports.record_files import Records, write_records
    from reports.storage import spool_folder

    apply_definitions(check_definitions([_definition(slug)], Path()))
    version = Version.objects.get(use_case__slug=slug)
    rng = np.random.default_rng(0)
    mechanism = version.mechanism
    with spool_folder() as folder:
        for number in range(FILES):
            found = []
            for locale in LOCALES:
                parts = mechanism.privatize_fleet(["a"], np.zeros(RECORDS // len(LOCALES), int), rng)
                found += [Records(locale, stream, merged([np.sort(records)])) for stream, records in parts.items()]
