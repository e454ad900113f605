"""Measure pure-LDP 1.2.0 beside the mechanisms here, over the same elements in one run: `make benchmark-pure-ldp`

Each event is privatised by itself, a server adds the reports up, and counts all elements. A line for each mechanism
that both have, or for each use of it: CPU time here, how many times as long it takes there, and the mean squared error
there over that here; ratios with their standard errors over repetitions. Counts follow a law of Zipf. Noise is the
operating system's here and seeded there. Hash functions are drawn anew here; there they are the same in all
repetitions, but for OLH, which draws one for each report, so elements change places in each. There the dictionary is
hashed when a server is made, which counts as part of the estimate, as it is here; standard errors and thresholds are
part of it here alone.
"""

import argparse
import importlib
import math
import os
import random
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

# One core means one: set before NumPy loads its library.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from aggregation import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    Mechanism,
    Sketch,
    SubsetSelection,
    estimate,
)
from benchmarks.measuring import zipf_counts

EPSILON: Final = 4
ELEMENTS, REPORTS = 256, 20_000
ROWS, MANY_ROWS, BUCKETS = 1024, 65_536, 1024
# So few that most of the error is that of collisions.
FEW_ROWS: Final = 32
SEED: Final = 17

Elements = list[str]


@dataclass(frozen=True)
class Repetition:
    """Seconds to privatise, to add up and to estimate, and the mean squared error of a count."""

    privatize: float
    add: float
    estimate: float
    error: float


@dataclass(frozen=True)
class Pair:
    """A mechanism here, and the names and parameters of its client and server there."""

    name: str
    make: Callable[[Elements], Mechanism]
    theirs: str
    client: dict[str, Any]
    server: dict[str, Any]
    # Whether the estimate may suppose that nothing else is reported, and correct collisions.
    complete: bool = False


def hashed(kind: Any, k: int, m: int) -> Callable[[Elements], Mechanism]:
    def make(_elements: Elements) -> Mechanism:
        return kind(EPSILON, k, m, seed=secrets.token_bytes(16))  # type: ignore[no-any-return]

    return make


def pairs() -> Iterator[Pair]:
    g = round(math.exp(EPSILON)) + 1
    dictionary = {"d": ELEMENTS, "use_olh": True}
    yield Pair("OLH", hashed(LocalHashing, MANY_ROWS, g), "LH", dictionary, dictionary)
    for rows, complete in ((ROWS, False), (FEW_ROWS, False), (FEW_ROWS, True)):
        name = f"FLH, {rows:,} rows" + (", corrected here" if complete else "")
        fast = {**dictionary, "k": rows}
        yield Pair(name, hashed(LocalHashing, rows, g), "FastLH", fast, fast, complete)
    every = {"d": ELEMENTS}
    yield Pair("GRR", lambda elements: SubsetSelection.of(EPSILON, elements, w=1), "DE", every, every)
    for name, kind in (("CMS", CountMeanSketch), ("HCMS", HadamardCountMeanSketch)):
        sketch = {"m": BUCKETS, "is_hadamard": name == "HCMS"}
        yield Pair(name, hashed(kind, ROWS, BUCKETS), "CMS", sketch, {**sketch, "k": ROWS})


def ours(pair: Pair, counts: NDArray[np.int64]) -> Repetition:
    elements = [str(place) for place in range(len(counts))]
    mechanism = pair.make(elements)

    def add(reports: list[Any]) -> Sketch:
        sketch = Sketch(mechanism)
        sketch.update(reports)
        return sketch

    return measure(
        lambda place: mechanism.privatize(elements[place]),
        add,
        lambda sketch: estimate(sketch, elements, complete=pair.complete).count,
        counts,
    )


def theirs(pair: Pair, counts: NDArray[np.int64]) -> Repetition:
    oracles = importlib.import_module("pure_ldp.frequency_oracles")
    made = getattr(oracles, f"{pair.theirs}Server")
    server = made(EPSILON, **pair.server)
    hashes = {"hash_funcs": server.get_hash_funcs()} if pair.theirs == "CMS" else {}
    client = getattr(oracles, f"{pair.theirs}Client")(EPSILON, **pair.client, **hashes)

    def read(_added: None) -> NDArray[np.float64]:
        made(EPSILON, **pair.server)
        return np.asarray(server.estimate_all(range(1, len(counts) + 1), suppress_warnings=True))

    return measure(lambda place: client.privatise(place + 1), server.aggregate_all, read, counts)


def measure(
    privatize: Callable[[int], Any],
    add: Callable[[list[Any]], Any],
    read: Callable[[Any], NDArray[np.float64]],
    counts: NDArray[np.int64],
) -> Repetition:
    """Privatise as many events of each element as are counted, add them up, and estimate all counts."""
    events, clock = np.repeat(np.arange(len(counts)), counts).tolist(), time.process_time
    started = clock()
    reports = [privatize(place) for place in events]
    privatized = clock()
    added = add(reports)
    counted = clock()
    error = float(np.mean(np.square(read(added) - counts)))
    return Repetition(privatized - started, counted - privatized, clock() - counted, error)


def ratio(there: Sequence[float], here: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of the means of independent repetitions, and its standard error to first order."""
    means = [float(np.mean(side)) for side in (there, here)]
    errors = [float(np.std(side, ddof=1)) / len(side) ** 0.5 for side in (there, here)]
    found = means[0] / means[1]
    return found, found * math.hypot(errors[0] / means[0], errors[1] / means[1])


def cells(pair: Pair, repetitions: int) -> list[str]:
    """Return a line of the table; both sides take turns, so that a slower minute slows both."""
    rng, falling = np.random.default_rng(SEED), zipf_counts(REPORTS, ELEMENTS)
    here, there = [], []
    for _ in range(1 + repetitions):
        counts = rng.permutation(falling)
        here.append(ours(pair, counts))
        there.append(theirs(pair, counts))
    # The first is not counted: it loads and allocates.
    del here[0], there[0]
    found = [pair.name]
    for step, unit in (("privatize", 1e6 / REPORTS), ("add", 1e6 / REPORTS), ("estimate", 1e3), ("error", 1)):
        sides = [[getattr(each, step) for each in side] for side in (there, here)]
        times, error = ratio(*sides)
        found.append(f"{float(np.mean(sides[1])) * unit:,.3g}, × {times:,.3g} ± {error:,.2g}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=40, help="at least 2")
    repetitions = parser.parse_args().repetitions
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002  # theirs draws from it
    print(f"n = {REPORTS:,}, D = {ELEMENTS}, ε = {EPSILON}, {repetitions} repetitions; here, and × there\n")
    print("| | privatise, µs a report | add, µs a report | estimate, ms | mean squared error |\n|---|---|---|---|---|")
    for pair in pairs():
        print(f"| {' | '.join(cells(pair, repetitions))} |", flush=True)


if __name__ == "__main__":
    main()
