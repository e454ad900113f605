"""Cost of an event to a device: normalising, privatising, and the policy; everything but writing its file.

Run ``python -m benchmarks.device`` for these figures alone.
"""

import datetime
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from aggregation.device import Observed
from aggregation.device.holding import observe
from aggregation.device.state import State
from benchmarks.measuring import Row, best_time, row

EVENTS = 500
# The best of so many: short runs, so that one of them is not disturbed.
REPETITIONS = 100
# A day of a busy device; then the next one begins.
EVENTS_A_DAY = 100
SEED = "000102030405060708090a0b0c0d0e0f"
# Algorithm, k and m as deployed, profile, what is observed, random bytes a report needs, µs an event may take.
CASES = (
    ("CountMeanSketch", 65536, 1024, "emoji", "❤\ufe0f", 8 + 1024, 60),
    ("HadamardCountMeanSketch", 1024, 32768, "domain", "www.example.org", 3 * 8, 20),
)


def device(algorithm: str, k: int, m: int, normalization: str) -> State:
    """Memory of a device that follows a configuration of one use case."""
    use_case: dict[str, Any] = {
        "slug": "one",
        "title": "One",
        "daily_limit": 1,
        "budget_group": None,
        "algorithm": algorithm,
        "parameters": {"epsilon": 4, "k": k, "m": m, "hash": "quadratic-m31-v1", "seed": SEED},
        "normalization": normalization,
        "keep_case": False,
        "alphabet": None,
        "locales": ["en_US"],
    }
    document = {"version": 1, "budget_groups": [], "use_cases": [use_case]}
    return State(agreed=Decimal(4), configuration=json.dumps(document).encode())


def events(state: State, text: str) -> Callable[[], None]:
    """Return what observes as many events, and forgets them at the end of each day."""
    one_day = datetime.timedelta(days=1)

    def run() -> None:
        for number in range(EVENTS):
            if number % EVENTS_A_DAY == 0:
                state.held.clear()
            now = datetime.datetime.now(datetime.UTC)
            state.forget(now.date())
            if observe(state, "one", text, "en_US", (), now, one_day) is not Observed.HELD:
                raise RuntimeError("An event was not held.")

    return run


def least(size: int) -> Callable[[], None]:
    """Return what draws the random bytes, and hashes the element and the row."""

    def run() -> None:
        for _ in range(EVENTS):
            os.urandom(size)
            hashlib.sha256(b"element").digest()
            hashlib.sha512(b"row").digest()

    return run


def steps() -> Iterator[Row]:
    for algorithm, k, m, normalization, text, size, microseconds in CASES:
        seconds = best_time(events(device(algorithm, k, m, normalization), text), REPETITIONS)
        yield row(
            f"{EVENTS:,} events on a device, {algorithm}",
            seconds,
            None,
            f"≤ {EVENTS * microseconds / 1e6:.3f} s ({microseconds} µs each)",
            "their random bytes and two hashes",
            best_time(least(size), REPETITIONS),
            reports=EVENTS,
        )


if __name__ == "__main__":
    for figures in steps():
        each, ratio = figures["seconds"] / EVENTS * 1e6, figures["ratio"]
        print(f"{figures['step']}: {each:.1f} µs each, ×{ratio:.1f} of {figures['floor']}")
