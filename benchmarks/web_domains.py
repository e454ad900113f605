"""Use cases at the size at which they are deployed: HCMS over 250,000 domains, CMS over 25,000."""

import json
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.measuring import TAKES, Row, Site, copy_seconds, days_ago, page_row, row, take_seconds, worker_rows

ENERGY, AUTOPLAY = "energy", "autoplay"
USE_CASES: dict[str, dict[str, Any]] = {
    ENERGY: {"algorithm": "HadamardCountMeanSketch", "parameters": {"epsilon": 4, "k": 1024, "m": 32768}},
    AUTOPLAY: {"algorithm": "CountMeanSketch", "parameters": {"epsilon": 8, "k": 65536, "m": 1024}},
}
DOMAINS = 250_000
AUTOPLAY_DOMAINS = 25_000
REPORTS = 5_000_000
AUTOPLAY_REPORTS = 1_000_000
FRACTIONS = ((4, "¼"), (2, "½"))


def domains(size: int, *, edition: int = 1) -> list[str]:
    """Generated names; another edition has other ones in every hundredth place."""
    return [
        f"site-{place}.example{f'-{edition}' if edition > 1 and not place % 100 else ''}.com" for place in range(size)
    ]


def definition(folder: Path, slug: str, names: Iterable[str]) -> Path:
    """Write a definition file, and the dictionary beside it."""
    dictionary = folder / f"{slug}.csv"
    with dictionary.open("w", encoding="utf-8") as file:
        file.write("element,display,category\n")
        file.writelines(f"{name},{name},category {place % 12}\n" for place, name in enumerate(names))
    item = {
        "slug": slug,
        "title": slug,
        "normalization": "domain",
        "dictionary": {"file": dictionary.name},
        # Unchanged for every edition of the file.
        **USE_CASES[slug],
    }
    path = folder / f"{slug}.json"
    path.write_text(json.dumps([item]), encoding="utf-8")
    return path


def steps(site: Site) -> Iterator[Row]:
    """Yield one row for each step as it is done."""
    yield from _dictionary_steps(site)
    yield from _ingest_step(site)
    yield from _run_steps(site)
    yield from _autoplay_steps(site)


def _dictionary_steps(site: Site) -> Iterator[Row]:
    for edition, name in ((1, "fresh"), (2, "revised")):
        names = domains(DOMAINS, edition=edition)
        path = definition(site.folder, ENERGY, names)
        floor = _copy_into_table(site, names)
        seconds, peak = site.manage("apply_use_cases", str(path))
        step = f"apply_use_cases, {DOMAINS:,} domains, {name}"
        yield row(step, seconds, peak, "≤ 10 s, ≤ 300 MB", "COPY into a table without index", floor)


def _copy_into_table(site: Site, names: list[str]) -> float:
    """The floor of a dictionary: the database takes in its rows, and keeps no index."""
    import psycopg

    with psycopg.connect(site.database_url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE floor (place integer, element text, display text, category text)")
        started = time.perf_counter()
        with cursor.copy("COPY floor FROM STDIN") as copy:
            for place, name in enumerate(names):
                copy.write_row((place, name, name, "category"))
        connection.commit()
        seconds = time.perf_counter() - started
        cursor.execute("DROP TABLE floor")
    return seconds


def _documents(site: Site, slug: str, reports: int) -> Path:
    site.manage("simulate_devices", slug, "--reports", str(reports), "--output", str(site.folder))
    return site.folder / f"{slug}.ndjson"


def _ingest_step(site: Site) -> Iterator[Row]:
    """Measure uploads of all reports on one day; a half and a quarter of them on the days before."""
    documents = _documents(site, ENERGY, REPORTS)
    floor = copy_seconds(documents, site.folder)
    seconds, peak = site.manage("ingest", "--day", days_ago(1), str(documents))
    step, goal = "ingest 5 M HCMS, 1,000 a document", "≤ 8 s, ≤ 400 MB"
    yield row(step, seconds, peak, goal, "copy of the documents", floor, reports=REPORTS)
    lines = REPORTS // 1000
    for divisor, _sign in FRACTIONS:
        some = site.folder / "some.ndjson"
        with documents.open(encoding="utf-8") as source, some.open("w", encoding="utf-8") as target:
            target.writelines(islice(source, lines // divisor))
        site.manage("ingest", "--day", days_ago(divisor), str(some))
    documents.unlink()


def _aggregate(site: Site, slug: str, day: str) -> tuple[float, float]:
    return site.manage("aggregate", slug, "--from", day, "--to", day, "--inline")


def _run_steps(site: Site) -> Iterator[Row]:
    """Measure a run over all reports and elements; then parts of either, whose floor is as much of that run."""
    whole, peak = _aggregate(site, ENERGY, days_ago(1))
    floor = take_seconds(1024 * DOMAINS)
    yield row("whole run, 5 M HCMS, 250,000 domains", whole, peak, "≤ 6 s, ≤ 1 GB", TAKES, floor, reports=REPORTS)
    yield page_row(site, ENERGY, f"page over {DOMAINS:,} domains")
    for divisor, sign in FRACTIONS:
        seconds, peak = _aggregate(site, ENERGY, days_ago(divisor))
        yield _part_row(f"the same run, {sign} of the reports", seconds, peak, sign, whole / divisor)
    reports = REPORTS + sum(REPORTS // divisor for divisor, _sign in FRACTIONS)
    yield from worker_rows(site, ENERGY, "all three days", whole, reports)
    for divisor, sign in FRACTIONS:
        site.manage("apply_use_cases", str(definition(site.folder, ENERGY, domains(DOMAINS // divisor))))
        seconds, peak = _aggregate(site, ENERGY, days_ago(1))
        yield _part_row(f"the same run, {sign} of the dictionary", seconds, peak, sign, whole / divisor)


def _part_row(step: str, seconds: float, peak: float, sign: str, floor: float) -> Row:
    """Below 1, more work would cost more than in proportion; above, there are costs that every run has."""
    return row(step, seconds, peak, "linear: ratio ≥ 1", f"{sign} of the run over all", floor)


def _autoplay_steps(site: Site) -> Iterator[Row]:
    """The largest number of look-ups; and the same with real workers."""
    site.manage("apply_use_cases", str(definition(site.folder, AUTOPLAY, domains(AUTOPLAY_DOMAINS))))
    documents = _documents(site, AUTOPLAY, AUTOPLAY_REPORTS)
    site.manage("ingest", "--day", days_ago(1), str(documents))
    documents.unlink()
    seconds, peak = _aggregate(site, AUTOPLAY, days_ago(1))
    floor = take_seconds(65_536 * AUTOPLAY_DOMAINS)
    step = f"whole run, 1 M CMS, {AUTOPLAY_DOMAINS:,} domains"
    yield row(step, seconds, peak, "≤ 6 s", TAKES, floor, reports=AUTOPLAY_REPORTS)

    yield from worker_rows(site, AUTOPLAY, "the same", seconds, AUTOPLAY_REPORTS)
