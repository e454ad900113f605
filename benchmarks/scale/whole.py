"""Many reports from objects in a folder to published histograms: time and memory of each step, at growing sizes.

Each step is a process of its own, whose peak is that of a worker which does nothing else: objects are taken in by
`manage.py ingest`, their day is closed, and what is on it is counted and published. Memory, without mapped files, is
set beside that of a tenth of the reports, and ought not to grow once what is held of them (48 MiB) is full; the
processor's time of the largest size beside a line through the two before, of which the start of the process is a part.
`--large` goes up to what the site was asked for, 100 million reports of one bit and 20 million vectors; without, to a
hundredth of that.

Reports are those of one simulated fleet. Objects differ by their rows, which are turned by one for each: otherwise the
second would be recognised, and not be stored. Time and memory are those of as many devices, for nothing but the counts
depends on which rows reports have; the counts themselves mean nothing.
"""

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.measuring import ROOT, Row, Site, days_ago, row
from benchmarks.scale.inside import count_days, define, definition, own_memory, segment, set_up, version_of

if TYPE_CHECKING:
    from reports.models import Version

LOCALE = "en_US"
ELEMENTS = [f"word{number}" for number in range(2_600)]
DOCUMENT = 10_000


class Kind(NamedTuple):
    """Reports of one mechanism: how many of them at most, and how many in an object."""

    words: str
    slug: str
    algorithm: str
    reports: int
    in_an_object: int


KINDS = (
    Kind("reports of one bit", "one-bit", "HadamardCountMeanSketch", 100_000_000, 1_000_000),
    Kind("vectors of 1,024 bits", "vectors", "CountMeanSketch", 20_000_000, 200_000),
)
# Parts of the reports that are measured, and how many times fewer they are in the short form.
PARTS = (100, 10, 1)
SHORT = 100
# As often memory is looked at.
LOOK_SECONDS = 0.01
TARGET = "ratio ≤ 1.25, peak ≤ 1.25 times"


class Cost(NamedTuple):
    """Seconds by the clock and of the processor; peak megabytes without and with mapped files."""

    seconds: float
    processor_seconds: float
    own_peak: float
    resident_peak: float


def steps(site: Site, *, large: bool = False) -> Iterator[Row]:
    for kind in KINDS:
        smaller: dict[str, list[tuple[int, Cost]]] = defaultdict(list)
        for part in PARTS if large else PARTS[1:]:
            size = kind.reports // part // (1 if large else SHORT)
            for name, cost in _measured(site, kind, size):
                before = smaller[name]
                floor, expected = _on_a_line(before, size) if len(before) > 1 else ("itself", cost.processor_seconds)
                target = TARGET if len(before) > 1 and name != "simulated" else ""
                step = f"{size:,} {kind.words}: {name}"
                yield row(step, cost.processor_seconds, cost.own_peak, target, floor, expected, reports=size) | {
                    "by_the_clock": cost.seconds,
                    "peak_ratio": cost.own_peak / (before[-1][1] if before else cost).own_peak,
                    "with_mapped_files_mb": cost.resident_peak,
                }
                before.append((size, cost))


def _on_a_line(smaller: list[tuple[int, Cost]], size: int) -> tuple[str, float]:
    """Return the processor's seconds of so many reports if they grow as they did."""
    (least, few), (most, many) = ((number, cost.processor_seconds) for number, cost in smaller[-2:])
    return "a line through fewer", many + max(many - few, 0.0) / (most - least) * (size - most)


def _measured(site: Site, kind: Kind, size: int) -> Iterator[tuple[str, Cost]]:
    slug, folder = f"{kind.slug}-{size}", site.folder / f"{kind.slug}-{size}"
    folder.mkdir()
    inside = "-m", "benchmarks.scale.whole"
    yield "simulated", _cost(site, *inside, "simulate", slug, str(size), str(folder))
    yield "taken in", _cost(site, "manage.py", "ingest", f"{folder}/", "--day", days_ago(1), "--inline")
    for path in folder.iterdir():
        path.unlink()
    yield "closed", _cost(site, *inside, "close", slug, str(size))
    yield "counted and published", _cost(site, *inside, "count", slug, str(size))


def _cost(site: Site, *command: str) -> Cost:
    began, own = time.perf_counter(), 0
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=site.environment, stdout=subprocess.DEVNULL)
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        own = max(own, own_memory(process.pid))
        time.sleep(LOOK_SECONDS)
    _pid, status, usage = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    processor = usage.ru_utime + usage.ru_stime
    return Cost(time.perf_counter() - began, processor, own / 1e6, usage.ru_maxrss / 1024)


def _simulate(slug: str, size: int, folder: Path) -> None:
    """Define a use case, and write objects of reports for it."""
    (kind,) = (kind for kind in KINDS if slug.startswith(kind.slug))
    fields = definition(
        slug,
        algorithm=kind.algorithm,
        normalization="word",
        locales=[LOCALE],
        minimum_reports=100,
        dictionary=ELEMENTS,
    )
    version = define(fields)
    mechanism, rng, number = version.mechanism, np.random.default_rng(0), min(size, kind.in_an_object)
    drawn = rng.integers(0, len(ELEMENTS), number) ** 2 // len(ELEMENTS)
    lines = mechanism.format_records(mechanism.privatize_fleet(ELEMENTS, drawn, rng))
    starts, rests = zip(*(line.split(",", 1) for line in lines), strict=True)
    rows, divisions = np.array(starts, int), mechanism.divisions
    names = np.array([str(division) for division in range(divisions)], object)
    head = json.dumps(segment(version, LOCALE, [])).removesuffix("]}")
    bounds = [*range(0, number, DOCUMENT), number]
    for turn in range(size // number):
        turned = names[(rows + turn) % divisions].tolist()
        with (folder / f"{turn:04}.ndjson").open("w", encoding="ascii") as file:
            for start, stop in pairwise(bounds):
                records = '", "'.join(map(",".join, zip(turned[start:stop], rests[start:stop], strict=True)))
                file.write(f'{{"version": 1, "segments": [{head}"{records}"]}}]}}\n')


def _close(version: "Version", size: int) -> None:
    from reports.collection import seal_days

    seal_days(version)
    (total,) = version.shards.sizes().values()
    if total != size or version.shards.get().sealing is None:
        raise RuntimeError(f"{total} reports are left of {size}.")


def _count(version: "Version", size: int) -> None:
    count_days(version)
    published = version.histograms.values_list("n", flat=True)
    if max(published) != size:
        raise RuntimeError(f"{published} of {size}")


def _main(what: str, slug: str, size: str, *folder: Any) -> None:
    set_up()
    if what == "simulate":
        _simulate(slug, int(size), Path(*folder))
    else:
        (_close if what == "close" else _count)(version_of(slug), int(size))


if __name__ == "__main__":
    _main(*sys.argv[1:])
