"""`make engines`: what docs/engines.md shows, on files of a site, with the same integers; and what it costs."""

import argparse
import io
import re
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, own_site
from benchmarks.scale.inside import set_up

DOCUMENT = ROOT / "docs" / "engines.md"
SHARED = {"normalization": "raw", "owner_group": "owners", "locales": ["en_US"], "minimum_reports": 100}
HASH = {"seed": "0f" * 16}
# With how many times the reports that are asked for.
USE_CASES: dict[str, tuple[dict[str, Any], int]] = {
    "one-bit": (
        {"algorithm": "HadamardCountMeanSketch", "parameters": {"epsilon": 4, "k": 1024, "m": 32768, **HASH}},
        10,
    ),
    "vectors": ({"algorithm": "CountMeanSketch", "parameters": {"epsilon": 4, "k": 65536, "m": 1024, **HASH}}, 1),
}
DAYS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--reports", type=int, default=200_000, help="with long vectors; ten times as many of one bit")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        measure(options.reports)
        return
    with own_site() as site:
        print(site.measured("-m", "benchmarks.engines", "--inside", "--reports", str(options.reports))[2], end="")


def measure(reports: int) -> None:
    set_up()
    from distributed import LocalCluster
    from django.conf import settings

    rows = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        for slug, (definition, times) in USE_CASES.items():
            send(slug, definition, times * reports)
            here, expected = counted(slug, "--inline")
            with cluster.get_client() as client:
                before = sum(client.run(time.process_time).values())
                there, found = counted(slug, "--engine", "dask", "--scheduler", cluster.scheduler_address)
                there += sum(client.run(time.process_time).values()) - before
                check(found == expected, "aggregate --engine dask", slug)
            rows.append((slug, times * reports, here, there))
            for engine in ("Dask", "Beam"):
                check(shown(engine, slug, settings.DATA_DIR) == total_of(expected), f"docs/engines.md, {engine}", slug)
    for slug, sent, here, there in rows:
        print(f"| {sent:,} reports, {slug} | {here:.1f} | {there:.1f} |")


def check(is_right: bool, what: str, slug: str) -> None:
    if not is_right:
        raise SystemExit(f"{what} found other integers ({slug}).")
    print(f"{what}: the same integers ({slug})", file=sys.stderr)


def send(slug: str, definition: dict[str, Any], reports: int) -> None:
    """Define a use case, and store so many reports of the last days."""
    from datetime import timedelta

    from django.contrib.auth.models import Group

    from reports.collection.ingest import Upload, ingest
    from reports.definitions import apply_definitions, check_definitions
    from reports.models import UseCase, Version
    from reports.models.uploads import utc_today
    from reports.simulation import simulate, zipf_shares
    from reports.storage import spool_folder

    Group.objects.get_or_create(name="owners")
    elements = [f"element-{number}" for number in range(2000)]
    whole = {**SHARED, **definition, "slug": slug, "title": slug, "dictionary": elements}
    apply_definitions(check_definitions([whole], ROOT))
    version = Version.objects.get(use_case__slug=slug)
    for day in range(1, DAYS + 1):
        with spool_folder() as folder:
            path = folder / "fleet.ndjson"
            simulate(version, zipf_shares(version), reports // DAYS, day, path)
            with path.open("rb") as stream:
                ingest(Upload(stream, "ndjson"), UseCase.objects.all(), day=utc_today() - timedelta(days=day))


def counted(slug: str, *options: str) -> tuple[float, list[list[int]]]:
    """Count a use case; returns the processor's seconds in this process, and the support counts of each day.

    What is counted is forgotten: another engine counts it again.
    """
    from django.core.management import call_command

    from reports.models import Histogram, Period, PeriodTotal, ReadOut
    from reports.storage import open_array

    started = time.process_time()
    call_command("aggregate", slug, *options, stdout=io.StringIO())
    seconds = time.process_time() - started
    read_outs = ReadOut.objects.filter(version__use_case__slug=slug)
    found = [open_array(each.file_name).tolist() for each in read_outs.order_by("day")]
    for model in (Histogram, PeriodTotal, ReadOut, Period):
        model._default_manager.filter(version__use_case__slug=slug).delete()
    return seconds, found


def total_of(days: list[list[int]]) -> list[int]:
    return [sum(counts) for counts in zip(*days, strict=True)]


def shown(engine: str, slug: str, folder: Path) -> list[int]:
    """Run what the document shows of an engine, and return the support counts that it finds."""
    from aggregation import Sketch
    from reports.models import Version
    from reports.storage import local_path

    section = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {engine}\n")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    if found is None:
        raise SystemExit(f"{DOCUMENT} shows nothing of {engine}.")
    version = Version.objects.get(use_case__slug=slug)
    revision = version.current_dictionary()
    names: dict[str, Any] = {
        "mechanism": version.mechanism,
        "elements": revision.elements() if revision is not None else (),
        "paths": [str(local_path(shard.file_name)) for shard in version.shards.filter(batch=None)],
        "target": folder / f"{slug}.sketch",
    }
    exec(compile(found[1], str(DOCUMENT), "exec"), names)  # noqa: S102 - it is the project's own document
    total = names["total"] if "total" in names else Sketch.from_bytes(names["target"].read_bytes())
    return [int(count) for count in total.counts(names["elements"])]


if __name__ == "__main__":
    main()
