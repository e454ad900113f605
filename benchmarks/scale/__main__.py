"""`make benchmark-scale`: what a site of many reports a day costs, as a table and as JSON."""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path
from types import ModuleType

# One core means one: set before NumPy loads its library.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from benchmarks.measuring import Row, own_site
from benchmarks.scale import bucket, closing, daily_runs, device_records, unit_costs, uploads, whole

# Each has `steps`, which yields rows measured on a site. Unit costs come first, while there is little on it; the bucket
# comes last, for this process has it in memory, and the system counts that as a child's until this begins.
MODULES = (unit_costs, uploads, device_records, closing, daily_runs, whole, bucket)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("benchmark-scale.json"), help="where the figures are written")
    parser.add_argument("--keep", action="store_true", help="keep the unit costs, for manage.py size")
    parser.add_argument("--only", nargs="*", default=[], help="modules to measure, all by default")
    parser.add_argument("--large", action="store_true", help="all reports that the site was asked for, not a hundredth")
    arguments = parser.parse_args()
    modules = [each for each in MODULES if not arguments.only or _name(each) in arguments.only]
    if arguments.keep and unit_costs not in modules:
        parser.error("--keep: --only leaves unit_costs out, and nothing would be kept")
    rows, shares, started = [], {}, time.monotonic()
    with own_site() as site:
        shares["site"] = time.monotonic() - started
        for module in modules:
            began = time.monotonic()
            for row in whole.steps(site, large=arguments.large) if module is whole else module.steps(site):
                rows.append(row)
                print(_line(row), flush=True)
            shares[_name(module)] = time.monotonic() - began
    machine = {"machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count()}
    arguments.json.write_text(
        json.dumps({**machine, "seconds": shares, "steps": rows}, indent=1) + "\n", encoding="utf-8"
    )
    print(f"\nWritten to {arguments.json}, after {time.monotonic() - started:.0f} s:", end=" ")
    print(", ".join(f"{name} {seconds:.0f} s" for name, seconds in shares.items()))
    if arguments.keep:
        unit_costs.keep(rows)
    elif drifted := unit_costs.drifted(rows):
        sys.exit("Unit costs have drifted from those that manage.py size multiplies (--keep):\n" + "\n".join(drifted))


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _line(row: Row) -> str:
    figures = (f"{name} {_short(value)}" for name, value in row.items() if name != "step" and value not in (None, ""))
    return f"{row['step']:60}  " + "  ".join(figures)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
