"""`make benchmark-pages`: every page of a site with a year of reports, as a table and as JSON."""

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks.measuring import Site, own_site
from benchmarks.pages.browser import first_charts
from benchmarks.pages.serving import COLD_VISITS, LOOP_STEPS, add_options

# The site beside, in which the same pages have to take as many queries.
SMALL = ("--use-cases", "3", "--locales", "2", "--days", "40")
SERVER_TARGET, COLD_TARGET, WARM_TARGET = 0.050, 1.5, 0.5
COLUMNS = (
    *("page", "requests", "cold: median", "p95", "computed: p95", "warm: median", "p95", "loop"),
    *("queries", "small site", "verdict"),
)
WIDTHS = (24, 8, 12, 8, 13, 12, 8, 5, 8, 10, 8)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    add_options(parser)
    parser.add_argument("--folder", type=Path, help="keep the site here, and use it again if it is there")
    parser.add_argument("--no-browser", action="store_true", help="only the server")
    parser.add_argument("--json", type=Path, default=Path("benchmark-pages.json"), help="where the figures are written")
    options = parser.parse_args()
    only = [argument for page in options.page for argument in ("--page", page)]
    size = ["--use-cases", f"{options.use_cases}", "--locales", f"{options.locales}", "--days", f"{options.days}"]
    with own_site() as small:
        queries = ask(small, *SMALL, "--only-queries", *only)["pages"]
    with own_site(options.folder) as site:
        result = ask(site, *size, "--requests", f"{options.requests}", *only)
        session, charts = result.pop("session"), result.pop("charts")
        for name, page in result["pages"].items():
            page["queries_small"] = queries[name]["queries"]
        report(result)
        if not options.no_browser:
            result["charts"] = first_charts(site, session, charts, COLD_VISITS)
            report_charts(result["charts"])
    options.json.write_text(json.dumps({"size": size, **result}, indent=1) + "\n", encoding="utf-8")
    print(f"\nWritten to {options.json}.")


def ask(site: Site, *arguments: str) -> dict[str, Any]:
    """Build the site if it is empty, and measure it, in a process of its own."""
    print(f"A site of {' '.join(arguments)} …", file=sys.stderr)
    found: dict[str, Any] = json.loads(site.measured("-m", "benchmarks.pages.serving", *arguments)[2])
    return found


def percentile(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def report(result: dict[str, Any]) -> None:
    print(
        f"{result['read_outs']:,} days of a locale with {result['entries']:,} entries, built in"
        f" {result['seconds']:.0f} s. Milliseconds of the server; target: p95 ≤ {SERVER_TARGET * 1000:.0f}, and no more"
        f" queries than in the small site. Loop: {LOOP_STEPS:,} steps of plain Python, meanwhile.\n"
    )
    rows = [COLUMNS, *(_cells(name, page) for name, page in result["pages"].items())]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True)))


def _cells(name: str, page: dict[str, Any]) -> tuple[str, ...]:
    times = [statistics.median(page["cold"]), percentile(page["cold"], 0.95), percentile(page["computed"], 0.95)]
    times += [statistics.median(page["warm"]), percentile(page["warm"], 0.95)]
    verdict = "passes" if max(times) <= SERVER_TARGET and page["queries"] <= page["queries_small"] else "fails"
    milliseconds = [f"{seconds * 1000:.1f}" for seconds in (*times, statistics.median(page["loops"]))]
    return name, str(page["different"]), *milliseconds, str(page["queries"]), str(page["queries_small"]), verdict


def report_charts(charts: dict[str, dict[str, list[float]]]) -> None:
    print()
    for name, times in charts.items():
        cold, warm = statistics.median(times["cold"]), statistics.median(times["warm"])
        verdict = "passes" if cold <= COLD_TARGET and warm <= WARM_TARGET else "fails"
        print(f"First chart of {name}: cold {cold:.2f} s (target {COLD_TARGET}), warm {warm:.2f} s", end="")
        print(f" (target {WARM_TARGET}): {verdict}")


if __name__ == "__main__":
    main()
