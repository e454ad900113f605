"""`make benchmark-pages`: every page of a site with a year of histograms, as a table and as JSON."""

import argparse
import json
import os
import secrets
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import Site
from benchmarks.pages.serving import LOOP_STEPS, REQUESTS, add_size

# Of the site beside, in which the same pages have to take as many queries.
SMALL = ("--use-cases", "5", "--locales", "3", "--days", "40")
SERVER_TARGET, COLD_TARGET, WARM_TARGET = 0.050, 1.5, 0.5
COLUMNS = ("page", "requests", "cold: median", "p95", "warm: median", "p95", "loop", "queries", "small site", "verdict")
WIDTHS = (24, 8, 12, 8, 12, 8, 5, 8, 10, 8)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    add_size(parser)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="different requests of each page")
    parser.add_argument("--database", default="", help="URL of a server that databases may be made on; else an own one")
    parser.add_argument("--folder", type=Path, help="keep the site here, and use it again if it is there")
    parser.add_argument("--no-browser", action="store_true", help="only the server")
    parser.add_argument("--page", action="append", default=[], help="only these, by the names of their addresses")
    parser.add_argument("--json", type=Path, default=Path("benchmark-pages.json"), help="where the figures are written")
    options = parser.parse_args()
    size = ["--use-cases", f"{options.use_cases}", "--locales", f"{options.locales}", "--days", f"{options.days}"]
    only = [argument for page in options.page for argument in ("--page", page)]
    with ExitStack() as stack:
        small = stack.enter_context(built(None, options.database, list(SMALL)))
        queries = ask(small[0], "serving", *SMALL, "--only-queries", *only)
        site, facts = stack.enter_context(built(options.folder, options.database, size))
        pages = ask(site, "serving", *size, "--requests", str(options.requests), *only)
        result: dict[str, Any] = {"size": size, "site": facts, "pages": _rows(pages, queries), "charts": {}}
        report(result)
        _write(result, options.json)
        if not options.no_browser:
            result["charts"] = visit(site, size)
            report_charts(result["charts"])
            _write(result, options.json)
    print(f"\nWritten to {options.json}.")


def _write(result: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


@contextmanager
def built(folder: Path | None, database: str, size: list[str]) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A site of a size, and what building it took; removed afterwards unless it has a folder to stay in."""
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ldpsite-pages-")))
            folder.chmod(0o711)
            site = stack.enter_context(_site(folder, database, keep=False))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            site = stack.enter_context(_site(folder, database, keep=True))
        told = folder / "built.json"
        if not told.exists():
            print(f"Building a site of {' '.join(size)} …", file=sys.stderr)
            told.write_text(json.dumps({"size": size, **ask(site, "filling", *size)}))
        facts = json.loads(told.read_text())
        if facts["size"] != size:
            raise SystemExit(f"In {folder} is a site of another size: {' '.join(facts['size'])}")
        yield site, facts


@contextmanager
def _site(folder: Path, database: str, *, keep: bool) -> Iterator[Site]:
    """An installation with a data folder and a database of its own."""
    from ldpsite import embedded

    data = folder / "data"
    environment = os.environ | {
        "LDPSITE_DATA_DIR": str(data),
        "LDPSITE_LOCAL_HTTP": "1",
        "DJANGO_SETTINGS_MODULE": "ldpsite.settings",
    }
    environment.pop("DATABASE_URL", None)
    if database:
        with _database_beside(database, f"ldpsite_pages_{'kept' if keep else secrets.token_hex(4)}", keep=keep) as url:
            yield Site(folder, environment | {"DATABASE_URL": url}, url)
        return
    try:
        with embedded.database(data, durable=False) as url:
            yield Site(folder, environment, url)
    finally:
        if not keep:
            embedded.remove(data)


@contextmanager
def _database_beside(url: str, name: str, *, keep: bool) -> Iterator[str]:
    """A new database on the server of another."""
    import psycopg

    server, _slash, _name = url.rpartition("/")
    with psycopg.connect(url, autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield f"{server}/{name}"
    finally:
        if not keep:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def ask(site: Site, module: str, *arguments: str) -> dict[str, Any]:
    """What a module of this benchmark prints in a process of its own, with the site's settings."""
    _seconds, _peak, printed = site.measured("-m", f"benchmarks.pages.{module}", *arguments)
    found: dict[str, Any] = json.loads(printed)
    return found


def visit(site: Site, size: list[str]) -> dict[str, dict[str, list[float]]]:
    from benchmarks.pages.browser import first_charts, web_server

    visited = ask(site, "visiting", *size)
    with web_server(site) as address:
        return first_charts(address, visited["session"], visited["paths"], visited["cold"])


def _rows(pages: dict[str, Any], queries: dict[str, Any]) -> dict[str, Any]:
    return {name: page | {"queries_small": queries[name]["queries"]} for name, page in pages.items()}


def percentile(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def report(result: dict[str, Any]) -> None:
    site = result["site"]
    print(
        f"{site['histograms']:,} histograms with {site['entries']:,} entries, built in {site['seconds']:.0f} s,"
        f" {site['bytes'] / 1e9:.1f} GB. Milliseconds of the server; target: p95 ≤ {SERVER_TARGET * 1000:.0f},"
        f" and no more queries than in the small site. Loop: {LOOP_STEPS:,} steps of plain Python, meanwhile.\n"
    )
    print("  ".join(name.ljust(width) for name, width in zip(COLUMNS, WIDTHS, strict=True)))
    for name, page in result["pages"].items():
        print("  ".join(cell.ljust(width) for cell, width in zip(_cells(name, page), WIDTHS, strict=True)))


def report_charts(charts: dict[str, dict[str, list[float]]]) -> None:
    print()
    for name, times in charts.items():
        cold, warm = statistics.median(times["cold"]), statistics.median(times["warm"])
        verdict = "passes" if cold <= COLD_TARGET and warm <= WARM_TARGET else "fails"
        times_and_targets = f"cold {cold:.2f} s (target {COLD_TARGET}), warm {warm:.2f} s (target {WARM_TARGET})"
        print(f"First chart of {name}: {times_and_targets}: {verdict}")


def _cells(name: str, page: dict[str, Any]) -> list[str]:
    times = [statistics.median(page["cold"]), percentile(page["cold"], 0.95)]
    times += [statistics.median(page["warm"]), percentile(page["warm"], 0.95)]
    # A small site may have more: its few runs and views are of every kind.
    constant = page["queries"] <= page["queries_small"]
    verdict = "passes" if max(times) <= SERVER_TARGET and constant else "fails"
    milliseconds = [f"{seconds * 1000:.1f}" for seconds in (*times, statistics.median(page["loops"]))]
    return [name, str(page["different"]), *milliseconds, str(page["queries"]), str(page["queries_small"]), verdict]


if __name__ == "__main__":
    main()
