"""Run the tests that depend on dates as if it were another day: `python -m tests.clocks` (needs libfaketime).

Seven clocks: every day of the week, the ends of months and of years, 29 February, and minutes before and after midnight
(UTC). Browsers and real workers are left out; what they show and do of dates is tested without them, too.
"""

import datetime
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

CLOCKS: Final = (
    "2029-12-31 23:56:00",  # a Monday, and the year ends while the tests run
    "2028-02-29 12:00:00",  # a Tuesday
    "2027-03-31 23:57:00",  # a Wednesday, and the month ends while the tests run
    "2026-12-31 00:02:00",  # a Thursday
    "2027-01-01 00:02:00",  # a Friday
    "2028-01-01 12:00:00",  # a Saturday
    "2027-02-28 23:30:00",  # a Sunday
)
TESTS: Final = ("tests/aggregation/device", "tests/benchmarks", "tests/promises", "tests/reports")
OTHERS: Final = "not browser and not gettext and not server and not statistical"
LIBRARIES: Final = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1")


def main(arguments: list[str]) -> int:
    library = next((found for pattern in LIBRARIES for found in Path("/").glob(pattern[1:])), None)
    if library is None:
        print("libfaketime is not installed (Debian: apt-get install faketime).", file=sys.stderr)
        return 2
    failed = [clock for clock in CLOCKS if not passes(clock, library, arguments)]
    print(
        f"{len(CLOCKS) - len(failed)} passed, {len(failed)} failed"
        + "".join(f"\n  failed: {clock}" for clock in failed)
    )
    return 1 if failed else 0


def passes(clock: str, library: Path, arguments: list[str]) -> bool:
    begin = datetime.datetime.fromisoformat(clock).replace(tzinfo=datetime.UTC)
    print(f"\n=== {begin:%A}, {clock} UTC", flush=True)
    # An offset, not a time: each process that is started later has to go on from the clock of the others.
    offset = round(begin.timestamp() - time.time())
    faked = {"LD_PRELOAD": str(library), "FAKETIME": f"{offset:+d}", "NO_FAKE_STAT": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", OTHERS, *TESTS, *arguments]
    return subprocess.run(command, env=os.environ | faked, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
