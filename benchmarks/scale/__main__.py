"""`make benchmark-scale`: what a site of many reports a day costs, as a table and as JSON."""

import argparse
import json
import os
import platform
import time
from pathlib import Path

# One core means one: set before NumPy loads its library.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from benchmarks.__main__ import cells
from benchmarks.measuring import own_site
from benchmarks.scale import bucket, closing, daily_runs, device_records, uploads

# Each has `steps`, which yields rows measured on a site.
MODULES = (uploads, device_records, closing, daily_runs, bucket)
WIDTHS = (52, 8, 12, 8, 8, 48, 20)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("benchmark-scale.json"), help="where the figures are written")
    parser.add_argument("--only", nargs="*", default=[], help="modules to measure, all by default")
    arguments = parser.parse_args()
    rows, started = [], time.monotonic()
    for module in MODULES:
        if arguments.only and module.__name__.rpartition(".")[2] not in arguments.only:
            continue
        with own_site() as site:
            for row in module.steps(site):
                rows.append(row)
                print("  ".join(cell.ljust(width) for cell, width in zip(cells(row), WIDTHS, strict=True)), flush=True)
    machine = {"machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count()}
    arguments.json.write_text(json.dumps({**machine, "steps": rows}, indent=1) + "\n", encoding="utf-8")
    print(f"\nWritten to {arguments.json}, after {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()
