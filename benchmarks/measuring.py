"""Steps of this process, and whole processes measured from outside, beside the floors that they are compared with."""

import datetime
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tracemalloc
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
TAKES = "one take of as many look-ups"
PATIENCE_SECONDS = 60

Row = dict[str, Any]


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

    def inside(self, module: str, *arguments: str) -> Any:
        """Run a module of the benchmarks inside the installation; returns what it prints, which is JSON."""
        return json.loads(self.measured("-m", f"benchmarks.{module}", *arguments)[2])

    def manage(self, *arguments: str) -> tuple[float, float]:
        """Run a command of the site; returns seconds and peak resident megabytes."""
        seconds, peak, _printed = self.measured("manage.py", *arguments)
        return seconds, peak


@contextmanager
def own_site(kept: Path | None = None) -> Iterator[Site]:
    """An installation in a data folder that is removed afterwards, unless it is kept in a folder."""
    # Imported here: it is the installation's, and the numerical benchmarks do without.
    from ldpsite import embedded

    with tempfile.TemporaryDirectory(prefix="ldpsite-benchmark-") as name:
        folder = kept.resolve() if kept is not None else Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {
            "LDPSITE_DATA_DIR": str(folder / "data"),
            "LDPSITE_LOCAL_HTTP": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        environment.pop("DATABASE_URL", None)
        try:
            with embedded.database(folder / "data") as url:
                site = Site(folder, environment, url)
                site.manage("migrate", "--verbosity", "0")
                yield site
        finally:
            if kept is None:
                embedded.remove(folder / "data")


@contextmanager
def web_server(site: Site, *options: str, **variables: str) -> Iterator[int]:
    """The site's web server; yields the port of this machine that it listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--config", "python:ldpsite.gunicorn_config", *options]
    with (site.folder / "web.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--bind", f"127.0.0.1:{port}"],
            cwd=ROOT,
            env=site.environment | variables,
            stdout=log,
            stderr=log,
        )
    try:
        _wait_until_healthy(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait_until_healthy(port: int) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            opener.open(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def days_ago(days: int) -> str:
    return (datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=days)).isoformat()


def zipf_counts(reports: int, elements: int, exponent: float = 1) -> "NDArray[np.int64]":
    """Return counts by a law of Zipf, shape (elements,), that add up to the reports."""
    import numpy as np

    shares = np.arange(1, elements + 1) ** -float(exponent)
    edges = np.rint(np.cumsum(shares / shares.sum()) * reports)
    return np.asarray(np.diff(edges, prepend=0), np.int64)


def cpu_seconds(deed: Callable[[], object]) -> float:
    """Return the time of this process's processor."""
    started = time.process_time()
    deed()
    return time.process_time() - started


def best_time(function: Callable[[], object], repetitions: int = 3) -> float:
    """Return the shortest of some runs, in seconds."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(function: Callable[[], object]) -> float:
    """Return the most memory that one further run allocates beyond what was there."""
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


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
) -> Row:
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


def measured(
    step: str,
    function: Callable[[], object],
    floor: str,
    floor_function: Callable[[], object],
    *,
    target: str = "",
    reports: int | None = None,
) -> Row:
    """Return a step's best time and memory, beside the best time of its floor."""
    seconds, peak = best_time(function), peak_megabytes(function)
    return row(step, seconds, peak, target, floor, best_time(floor_function), reports=reports)


def worker_rows(
    site: Site, slug: str, what: str, inline: float, reports: int, targets: tuple[str, str] = ("", "ratio ≤ 0.60")
) -> Iterator[Row]:
    """Measure a run with real workers, one and two."""
    one, two = (site.inside("workers", slug, str(count))["seconds"] for count in (1, 2))
    yield row(f"{what} by one worker", one, None, targets[0], "inline, from the start", inline, reports=reports)
    yield row(f"{what} by two workers", two, None, targets[1], "one worker", one, reports=reports)


def page_row(site: Site, slug: str, name: str) -> Row:
    """Server time of a use case's page."""
    _seconds, peak, printed = site.measured("-m", "benchmarks.page", slug)
    page = json.loads(printed)
    step = f"{name}, {page['queries']} queries"
    return row(step, page["seconds"], peak, "≤ 50 ms", "the health check", page["floor_seconds"])
