"""Whole processes measured from outside, and the floors that they are compared with."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Site:
    """An installation of its own, in a folder that is removed afterwards."""

    folder: Path
    environment: dict[str, str]
    database_url: str

    def measured(self, *command: str) -> tuple[float, float, str]:
        """Run a command; returns seconds, peak resident megabytes, and what it printed."""
        with tempfile.TemporaryFile("w+") as output:
            started = time.perf_counter()
            process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=self.environment, stdout=output)
            _pid, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            printed = output.read()
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {printed}")
        return seconds, usage.ru_maxrss / 1024, printed

    def manage(self, *arguments: str) -> tuple[float, float]:
        """Run a command of the site; returns seconds and peak resident megabytes."""
        seconds, peak, _printed = self.measured("manage.py", *arguments)
        return seconds, peak


def copy_seconds(source: Path, folder: Path) -> float:
    """The floor of what moves bytes: reading the file and writing it again, durably."""
    target = folder / "copy"
    started = time.perf_counter()
    with source.open("rb") as original, target.open("wb") as copy:
        shutil.copyfileobj(original, copy, 1 << 20)
        copy.flush()
        os.fsync(copy.fileno())
    seconds = time.perf_counter() - started
    target.unlink()
    return seconds


def take_seconds(look_ups: int) -> float:
    """The floor of a read-out: taking as many cells out of a table that fits the cache. Scaled from fewer."""
    import numpy as np

    measured, batch = 1 << 25, 1 << 16
    table = np.zeros(1 << 19, np.int16)
    cells = np.random.default_rng(0).integers(0, len(table), size=batch)
    started = time.perf_counter()
    for _ in range(measured // batch):
        table.take(cells)
    return (time.perf_counter() - started) * look_ups / measured


def row(
    step: str,
    seconds: float,
    peak: float | None,
    target: str,
    floor: str,
    floor_seconds: float,
    *,
    reports: int | None = None,
) -> dict[str, Any]:
    """A line of the table."""
    return {
        "step": step,
        "seconds": seconds,
        "reports_per_second": reports / seconds if reports else None,
        "peak_mb": peak,
        "floor": floor,
        "floor_seconds": floor_seconds,
        "ratio": seconds / floor_seconds,
        "target": target,
    }


def page_row(site: Site, slug: str, name: str) -> dict[str, Any]:
    """Server time of a use case's page."""
    _seconds, peak, printed = site.measured("-m", "benchmarks.page", slug)
    page = json.loads(printed)
    step = f"{name}, {page['queries']} queries"
    return row(step, page["seconds"], peak, "≤ 50 ms", "the health check", page["floor_seconds"])
