"""What the commands and the page take, as whole processes on a database of their own.

Seconds include starting Python and Django; the peak is the process's resident memory as the operating system counts it.
The floor of a command that moves bytes is a copy of the same bytes on the same disk, in the same minute.
"""

import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SLUG = "keyboard-emoji"
REPORTS = 1_000_000
DEFINITIONS = ROOT / "reports" / "demo" / "use_cases.json"
SHARES = ROOT / "reports" / "demo" / "emoji_share_by_locale.tsv"


def measured(environment: dict[str, str], *command: str) -> tuple[float, float, str]:
    """Run a command; returns seconds, peak resident megabytes, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        started = time.perf_counter()
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment, stdout=output)
        _pid, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {printed}")
    return seconds, usage.ru_maxrss / 1024, printed


def copy_seconds(source: Path, folder: Path) -> float:
    """The floor: reading the file and writing it again, durably."""
    target = folder / "copy"
    started = time.perf_counter()
    with source.open("rb") as original, target.open("wb") as copy:
        shutil.copyfileobj(original, copy, 1 << 20)
        copy.flush()
        os.fsync(copy.fileno())
    seconds = time.perf_counter() - started
    target.unlink()
    return seconds


def one_record_a_document(source: Path, target: Path) -> None:
    """The same reports as single devices would send them."""
    with source.open(encoding="utf-8") as documents, target.open("w", encoding="utf-8") as singles:
        for line in documents:
            document = json.loads(line)
            (segment,) = document["segments"]
            records = segment.pop("records")
            head = json.dumps(document)[: -len("}]}")]
            singles.writelines(f'{head}, "records": ["{record}"]}}]}}\n' for record in records)


def _row(step: str, seconds: float, peak: float, target: str, floor: str, floor_seconds: float) -> dict[str, Any]:
    return {
        "step": step,
        "seconds": seconds,
        "reports_per_second": REPORTS / seconds,
        "peak_mb": peak,
        "floor": floor,
        "floor_seconds": floor_seconds,
        "ratio": seconds / floor_seconds,
        "target": target,
    }


def steps() -> Iterator[dict[str, Any]]:
    """Measure in a data folder that is removed afterwards."""
    # Imported here: it is the installation's, and the numerical benchmarks do without.
    from ldpsite import embedded

    with tempfile.TemporaryDirectory(prefix="ldpsite-benchmark-") as name:
        folder = Path(name)
        environment = os.environ | {
            "LDPSITE_DATA_DIR": str(folder / "data"),
            "LDPSITE_LOCAL_HTTP": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        environment.pop("DATABASE_URL", None)
        try:
            with embedded.database(folder / "data"):
                yield from _steps(folder, environment)
        finally:
            embedded.remove(folder / "data")


def _steps(folder: Path, environment: dict[str, str]) -> Iterator[dict[str, Any]]:
    for command in (("migrate", "--verbosity", "0"), ("apply_use_cases", str(DEFINITIONS))):
        measured(environment, "manage.py", *command)
    arguments = ("simulate_devices", SLUG, "--shares", str(SHARES), "--reports", str(REPORTS), "--output", str(folder))
    many, single = folder / f"{SLUG}.ndjson", folder / "single.ndjson"
    seconds, peak, _out = measured(environment, "manage.py", *arguments)
    yield _row("simulate 1 M devices", seconds, peak, "", "copy of the documents", copy_seconds(many, folder))

    one_record_a_document(many, single)
    floor = copy_seconds(single, folder)
    seconds, peak, _out = measured(environment, "manage.py", "ingest", str(single))
    yield _row("ingest 1 M, one a document", seconds, peak, "≤ 12 s, ≤ 400 MB", "copy of the documents", floor)
    single.unlink()

    yesterday = (datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=1)).isoformat()
    floor = copy_seconds(many, folder)
    seconds, peak, _out = measured(environment, "manage.py", "ingest", "--day", yesterday, str(many))
    yield _row("ingest 1 M, 1,000 a document", seconds, peak, "≤ 6 s, ≤ 400 MB", "copy of the documents", floor)

    # Yesterday's million only; its shards are a quarter of the size of the documents.
    window = ("--from", yesterday, "--to", yesterday)
    seconds, peak, _out = measured(environment, "manage.py", "aggregate", SLUG, *window, "--inline")
    yield _row("whole run over 1 M stored", seconds, peak, "≤ 3 s, ≤ 500 MB", "copy of the documents", floor)

    _seconds, peak, printed = measured(environment, "-m", "benchmarks.page", SLUG)
    page = json.loads(printed)
    yield {
        "step": f"page of the histogram, {page['queries']} queries",
        "seconds": page["seconds"],
        "reports_per_second": None,
        "peak_mb": peak,
        "floor": "the health check",
        "floor_seconds": page["floor_seconds"],
        "ratio": page["seconds"] / page["floor_seconds"],
        "target": "≤ 50 ms",
    }
