"""Run the tests that depend on dates as if it were another day: `python -m tests.clocks`.

Seven clocks: every day of the week, the ends of months and of years, 29 February, and minutes before and after midnight
(UTC). Only this process has another clock. So browsers and real workers are left out; what they show and do of dates is
tested without them, too.
"""

import datetime
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import time_machine

CLOCKS: Final = (
    "2028-12-31T23:58:00+00:00",  # a Sunday: the year ends while the tests run, most of them on a Monday
    "2028-02-29T12:00:00+00:00",  # a Tuesday
    "2031-12-31T00:02:00+00:00",  # a Wednesday
    "2027-03-31T23:59:00+00:00",  # a Wednesday: the month ends while the tests run, most of them on a Thursday
    "2027-01-01T00:02:00+00:00",  # a Friday
    "2028-01-01T12:00:00+00:00",  # a Saturday
    "2027-02-28T12:00:00+00:00",  # a Sunday
)
TESTS: Final = ("tests/aggregation/device", "tests/benchmarks", "tests/promises", "tests/reports")
# It compares with times of folders, whose clock goes on as it is.
BY_ANOTHER_CLOCK: Final = "tests/reports/test_storage.py::test_work_of_dead_processes_is_removed_from_the_spool"
OTHERS: Final = "not browser and not gettext and not server and not statistical"
VARIABLE: Final = "LDPSITE_TEST_CLOCK"


def pytest_configure(config: pytest.Config) -> None:
    """Start the clock, of each process of pytest-xdist, too."""
    clock = time_machine.travel(datetime.datetime.fromisoformat(os.environ[VARIABLE]), tick=True)
    clock.start()
    config.add_cleanup(clock.stop)


def main(arguments: list[str]) -> int:
    path, _, name = BY_ANOTHER_CLOCK.partition("::")
    assert f"def {name}(" in Path(path).read_text(encoding="utf-8"), "BY_ANOTHER_CLOCK names a test that is gone"
    failed = [clock for clock in CLOCKS if not passes(clock, arguments)]
    print(*(f"failed: {clock}" for clock in failed), sep="\n")
    print(f"{len(CLOCKS) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def passes(clock: str, arguments: list[str]) -> bool:
    print(f"\n=== {datetime.datetime.fromisoformat(clock):%A, %-d %B %Y, %H:%M} UTC", flush=True)
    command = [sys.executable, "-m", "pytest", "-p", "tests.clocks", "-p", "no:cacheprovider", "-m", OTHERS]
    command.append(f"--deselect={BY_ANOTHER_CLOCK}")
    environment = os.environ | {VARIABLE: clock}
    return subprocess.run([*command, *TESTS, *arguments], env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
