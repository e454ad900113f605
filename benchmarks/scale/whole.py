"""Many reports from objects in a folder to published histograms: time and memory of each step, at growing sizes.

Each step is a process of its own, whose peak is that of a worker which does nothing else: objects are taken in by
`manage.py ingest`, their day is closed, and what is on it is counted and published. Memory is set beside that of a
tenth of the reports, and ought not to grow once what is held in memory (48 MiB) is full; the processor's time of the
largest size beside a line through the two before, of which the start of the process is a part. `--large` goes up to
what the site was asked for, 100 million reports of one bit and 20 million vectors; without, to a hundredth of that.

Reports are those of one simulated fleet. Objects differ by their rows, which are turned by one for each: otherwise the
second would be recognised, and not be stored. Time and memory are those of as many devices, for nothing but the counts
depends on which rows reports have; the counts themselves mean nothing.
"""

import datetime
import json
import resource
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.measuring import Row, Site, days_ago, row
from benchmarks.scale.inside import definition, set_up

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
TARGET = "ratio ≤ 1.25, peak ≤ 1.25 times"


def steps(site: Site, *, large: bool = False) -> Iterator[Row]:
    for kind in KINDS:
        before: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
        for part in PARTS if large else PARTS[1:]:
            size = kind.reports // part // (1 if large else SHORT)
            for name, seconds, processor_seconds, peak in _measured(site, kind, size):
                smaller = before[name]
                floor, expected = _on_a_line(smaller, size) if len(smaller) > 1 else ("itself", processor_seconds)
                target = TARGET if len(smaller) > 1 and name != "simulated" else ""
                peak_before = smaller[-1][2] if smaller else peak
                smaller.append((size, processor_seconds, peak))
                found = row(
                    f"{size:,} {kind.words}: {name}", processor_seconds, peak, target, floor, expected, reports=size
                )
                yield found | {"by_the_clock": seconds, "peak_ratio": peak / peak_before}


def _on_a_line(smaller: list[tuple[int, float, float]], size: int) -> tuple[str, float]:
    """Return the seconds of so many reports if they grow as they did."""
    (least, few, _peak), (most, many, _peak_of_most) = smaller[-2:]
    return "a line through fewer", many + max(many - few, 0.0) / (most - least) * (size - most)


def _measured(site: Site, kind: Kind, size: int) -> Iterator[tuple[str, float, float, float]]:
    """Yield steps with their seconds, those of the processor, and the peak in megabytes."""
    slug, folder = f"{kind.slug}-{size}", site.folder / f"{kind.slug}-{size}"
    folder.mkdir()
    inside = "-m", "benchmarks.scale.whole"
    yield "simulated", *_cost(site, *inside, "simulate", slug, str(size), str(folder))
    yield "taken in", *_cost(site, "manage.py", "ingest", f"{folder}/", "--day", days_ago(1), "--inline")
    for path in folder.iterdir():
        path.unlink()
    yield "closed", *_cost(site, *inside, "close", slug, str(size))
    yield "counted and published", *_cost(site, *inside, "count", slug, str(size))


def _cost(site: Site, *command: str) -> tuple[float, float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, peak, _printed = site.measured(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak


def _simulate(slug: str, size: int, folder: Path) -> None:
    """Define a use case, and write objects of reports for it."""
    from reports.definitions import apply_definitions, check_definitions

    (kind,) = (kind for kind in KINDS if slug.startswith(kind.slug))
    fields = definition(
        slug,
        algorithm=kind.algorithm,
        normalization="word",
        locales=[LOCALE],
        minimum_reports=100,
        dictionary=ELEMENTS,
    )
    apply_definitions(check_definitions([fields], Path()))
    version = _version(slug)
    mechanism, rng, number = version.mechanism, np.random.default_rng(0), min(size, kind.in_an_object)
    drawn = rng.integers(0, len(ELEMENTS), number) ** 2 // len(ELEMENTS)
    lines = mechanism.format_records(mechanism.privatize_fleet(ELEMENTS, drawn, rng))
    starts, rests = zip(*(line.split(",", 1) for line in lines), strict=True)
    rows, divisions = np.array(starts, int), mechanism.divisions
    names = np.array([str(division) for division in range(divisions)], object)
    head = json.dumps(
        {
            "use_case": slug,
            "locale": LOCALE,
            "algorithm": version.algorithm,
            "parameters": mechanism.encoded_parameters(),
        }
    ).removesuffix("}")
    bounds = [*range(0, number, DOCUMENT), number]
    for turn in range(size // number):
        turned = names[(rows + turn) % divisions].tolist()
        with (folder / f"{turn:04}.ndjson").open("w", encoding="ascii") as file:
            for start, stop in pairwise(bounds):
                records = '", "'.join(map(",".join, zip(turned[start:stop], rests[start:stop], strict=True)))
                file.write(f'{{"version": 1, "segments": [{head}, "records": ["{records}"]}}]}}\n')


def _close(version: "Version", size: int) -> None:
    from reports.collection import seal_days

    seal_days(version)
    (total,) = version.shards.sizes().values()
    if total != size or version.shards.get().sealing is None:
        raise RuntimeError(f"{total} reports are left of {size}.")


def _count(version: "Version", size: int) -> None:
    from reports.jobs import finish_inline
    from reports.models import Run
    from reports.models.uploads import utc_today
    from reports.runs import start_run

    run = finish_inline(start_run(version, last=utc_today() - datetime.timedelta(days=1), ring=False))
    published = version.histograms.values_list("n", flat=True)
    if run.state != Run.State.FINISHED or max(published) != size:
        raise RuntimeError(f"{run.failure} {published} of {size}")


def _version(slug: str) -> "Version":
    from reports.models import Version

    return Version.objects.select_related("use_case").get(use_case__slug=slug)


def _main(what: str, slug: str, size: str, *folder: Any) -> None:
    set_up()
    if what == "simulate":
        _simulate(slug, int(size), Path(*folder))
    else:
        (_close if what == "close" else _count)(_version(slug), int(size))


if __name__ == "__main__":
    _main(*sys.argv[1:])
