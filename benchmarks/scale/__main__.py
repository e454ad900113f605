"""`make benchmark-scale`: what a site of many reports a day costs, as a table and as JSON."""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

# One core means one: set before NumPy loads its library.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from benchmarks.measuring import Row, own_site
from benchmarks.scale import bucket, closing, daily_runs, device_records, unit_costs, uploads

# Each has `steps`, which yields rows measured on a site.
MODULES = (uploads, device_records, closing, daily_runs, bucket, unit_costs)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("benchmark-scale.json"), help="where the figures are written")
    parser.add_argument("--keep", action="store_true", help="keep the unit costs, for manage.py size")
    parser.add_argument("--only", nargs="*", default=[], help="modules to measure, all by default")
    arguments = parser.parse_args()
    modules = [each for each in MODULES if not arguments.only or each.__name__.rpartition(".")[2] in arguments.only]
    if arguments.keep and unit_costs not in modules:
        parser.error("--keep: --only leaves unit_costs out, and nothing would be kept")
    rows, started = [], time.monotonic()
    for module in modules:
        with own_site() as site:
            for row in module.steps(site):
                rows.append(row)
                print(_line(row), flush=True)
    machine = {"machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count()}
    arguments.json.write_text(json.dumps({**machine, "steps": rows}, indent=1) + "\n", encoding="utf-8")
    print(f"\nWritten to {arguments.json}, after {time.monotonic() - started:.0f} s.")
    if arguments.keep:
        unit_costs.keep(rows)
    elif drifted := unit_costs.drifted(rows):
        sys.exit("Unit costs have drifted from those that manage.py size multiplies (--keep):\n" + "\n".join(drifted))


def _line(row: Row) -> str:
    figures = (f"{name} {_short(value)}" for name, value in row.items() if name != "step" and value not in (None, ""))
    return f"{row['step']:60}  " + "  ".join(figures)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
