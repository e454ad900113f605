"""`make benchmark`: every step's time, speed, memory and ratio to a floor, as a table and as JSON."""

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

# One core means one: set before NumPy loads its library.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from benchmarks import aggregation, application, device, device_endpoint, sealed_training, words

COLUMNS = ("step", "seconds", "M reports/s", "peak MB", "ratio", "floor", "target")


def cells(row: dict[str, Any]) -> list[str]:
    speed, peak = row.get("reports_per_second"), row.get("peak_mb")
    return [
        row["step"],
        f"{row['seconds']:.3f}",
        f"{speed / 1e6:.2f}" if speed else "",
        f"{peak:.0f}" if peak else "",
        f"{row['ratio']:.2f}",
        f"{row['floor']} ({row['floor_seconds']:.3f} s)",
        row.get("target", ""),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("benchmark.json"), help="where the figures are written")
    path: Path = parser.parse_args().json
    rows = []
    widths = (36, 8, 12, 8, 8, 44, 20)
    print("  ".join(name.ljust(width) for name, width in zip(COLUMNS, widths, strict=True)))
    # The commands first: what this process holds when it starts one counts as that one's peak.
    for module in (application, device_endpoint, aggregation, device, words, sealed_training):
        for row in module.steps():
            rows.append(row)
            print("  ".join(cell.ljust(width) for cell, width in zip(cells(row), widths, strict=True)), flush=True)
    machine = {"machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count()}
    path.write_text(json.dumps({**machine, "steps": rows}, indent=1) + "\n", encoding="utf-8")
    print(f"\nWritten to {path}.")


if __name__ == "__main__":
    main()
