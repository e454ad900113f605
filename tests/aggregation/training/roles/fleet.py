"""Devices as processes: one is started, and forks one for each folder, so that they need not all load NumPy.

`python -m tests.aggregation.training.roles.fleet FOLDER OPTION … -- DEVICE …`: each device's folder is in FOLDER, its
options are those of `roles.device`, and what it prints is written to FOLDER/DEVICE.sealed, its errors to .err.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from aggregation.training.roles import device
from tests.aggregation.training.roles.noiseless import work_for

AT_ONCE = 8


def be(folder: Path, options: Sequence[str]) -> None:
    """Be one device; never return."""
    for stream, ending in ((1, "sealed"), (2, "err")):
        os.dup2(os.open(folder.with_suffix(f".{ending}"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
    os.chdir(folder)
    status = 1
    try:
        device.main(["--folder", ".", *options], work_for)
        status = 0
    except SystemExit as error:
        print(error, file=sys.stderr, flush=True)
    except Exception:  # noqa: BLE001
        traceback.print_exc()
    finally:
        os._exit(status)


def main(folder: Path, options: Sequence[str], names: Sequence[str]) -> int:
    running: set[int] = set()
    failed = 0
    for name in names:
        if len(running) == AT_ONCE:
            ended, status = os.wait()
            running.discard(ended)
            failed += status != 0
        if not (child := os.fork()):
            be(folder / name, options)
        running.add(child)
    for _ in range(len(running)):
        failed += os.wait()[1] != 0
    return failed


if __name__ == "__main__":
    between = sys.argv.index("--")
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:between], sys.argv[between + 1 :]))
