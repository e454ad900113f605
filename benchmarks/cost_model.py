"""Fit what the planner says about server seconds and memory: measure a grid, fit by least squares, print the constants.

Run ``python -m benchmarks.cost_model``. The constants belong into `aggregation.planning.cost`, with the date. Measured
is the processor time of this process, so that other programs on the machine do not count.
"""

import os

# Before NumPy is imported, so that one core means one.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from aggregation.discovery import Sketches, candidates, read_words
from aggregation.discovery.keys import _remembered
from aggregation.encoding import sort_records
from aggregation.mechanisms import (
    MECHANISMS,
    Mechanism,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
    mechanism_for,
)
from aggregation.planning import LETTERS
from aggregation.registry import part_of
from aggregation.screening import screen
from aggregation.sketches import hashing
from benchmarks.measuring import cpu_seconds, peak_megabytes

SEED = bytes(range(16)).hex()
ALPHABET = "abcdefghijklmnopqrstuvwxyz'"
WORDS = 200
# Lines that are written for a grid point; reading more of them takes in proportion.
LINES = 20_000

# Algorithm -> parameters, reports, elements.
Point = tuple[str, Mapping[str, float], int, int]
PUZZLES = (SequenceFragmentPuzzle, SampledFragmentPuzzle)


def grid() -> Iterator[Point]:
    for n, k, m, size in (
        (20_000, 1024, 256, 500),
        (20_000, 65536, 1024, 2600),
        (100_000, 256, 128, 2600),
        (100_000, 4096, 1024, 100),
        (100_000, 16384, 512, 5000),
        (100_000, 65536, 256, 2600),
        (300_000, 1024, 1024, 20_000),
        (300_000, 65536, 1024, 1000),
        (300_000, 2048, 128, 100_000),
    ):
        yield "CountMeanSketch", {"epsilon": 4, "k": k, "m": m}, n, size
    for n, k, m, size in (
        (20_000, 256, 1024, 2600),
        (100_000, 1024, 32768, 2600),
        (100_000, 4096, 256, 20_000),
        (300_000, 256, 32768, 100_000),
        (1_000_000, 1024, 1024, 500),
        (1_000_000, 64, 65536, 20_000),
        (1_000_000, 16384, 64, 5000),
        (300_000, 512, 4096, 250_000),
    ):
        yield "HadamardCountMeanSketch", {"epsilon": 4, "k": k, "m": m}, n, size
    for n, k, g, size in (
        (20_000, 256, 1000, 2600),
        (100_000, 65536, 56, 2600),
        (100_000, 4096, 2982, 20_000),
        (300_000, 2048, 56, 100_000),
        (1_000_000, 1024, 56, 500),
        (1_000_000, 8192, 8, 20_000),
        (1_000_000, 65536, 2982, 1000),
        (300_000, 1024, 56, 250_000),
    ):
        yield "LocalHashing", {"epsilon": 4, "k": k, "g": g}, n, size
    for n, w, size in (
        (20_000, 1, 64),
        (20_000, 200, 1000),
        (100_000, 17, 64),
        (100_000, 47, 2600),
        (300_000, 1, 2600),
        (300_000, 5, 300),
        (1_000_000, 1, 20),
        (1_000_000, 12, 4000),
    ):
        yield "SubsetSelection", {"epsilon": 4, "w": w}, n, size
    for n, k, m, length in (
        (20_000, 512, 256, 6),
        (100_000, 256, 1024, 8),
        (100_000, 1024, 512, 10),
        (300_000, 2048, 1024, 10),
        (300_000, 64, 256, 12),
        (20_000, 2048, 1024, 4),
        (500_000, 256, 256, 8),
        (100_000, 4096, 256, 8),
        (500_000, 1024, 1024, 16),
        (50_000, 128, 2048, 10),
    ):
        shape = {"epsilon": 2, "k": k, "m": m, "fragment_epsilon": 6, "fragment_k": k, "fragment_m": m}
        yield "SequenceFragmentPuzzle", shape | {"length": length}, n, WORDS
    for n, k, g, length in (
        (20_000, 256, 56, 6),
        (100_000, 1024, 56, 8),
        (100_000, 256, 2982, 10),
        (300_000, 2048, 403, 10),
        (300_000, 64, 56, 12),
        (20_000, 2048, 2982, 4),
        (500_000, 256, 403, 8),
        (100_000, 4096, 403, 8),
        (1_000_000, 1024, 2982, 16),
        (50_000, 128, 2982, 10),
    ):
        buckets = {"epsilon": 8, "k": k, "g": g, "fragment_k": k, "fragment_g": g}
        yield "SampledFragmentPuzzle", {**buckets, "fragment_share": 0.8, "length": length}, n, WORDS


def elements_of(mechanism: Mechanism, size: int) -> list[str]:
    if not isinstance(mechanism, PUZZLES):
        return [f"element {i}" for i in range(size)]
    rng = np.random.default_rng(0)
    words = {"".join(rng.choice(list(ALPHABET), 4)) for _ in range(2 * size)}
    return [word.ljust(mechanism.length, "_") for word in sorted(words)[:size]]


def receive(mechanism: Mechanism, lines: list[str]) -> None:
    mechanism.parse_records(lines)


def count(mechanism: Mechanism, streams: dict[str, NDArray[Any]], elements: list[str]) -> None:
    """Do what a run does with a day's records, in one process."""
    if not isinstance(mechanism, PUZZLES):
        points = mechanism.points(elements)
        mechanism.read_out([streams["element"]], points, 0, mechanism.divisions)
        return
    day = Sketches.count(mechanism, streams)
    own = [len(streams[mechanism.fragment_stream(position)]) for position in mechanism.positions]
    read_words(mechanism, [day], candidates(mechanism, day, own, ALPHABET)[0])


def forget_hashes() -> None:
    """Be a worker that sees the version for the first time."""
    hashing._block.cache_clear()
    _remembered.cache_clear()


def measure(point: Point) -> tuple[Mechanism, float, float]:
    """Return the mechanism of a grid point, its seconds, and the most bytes that counting held at once."""
    algorithm, parameters, n, size = point
    known = MECHANISMS[algorithm]
    given = {**parameters, **({"seed": SEED} if known.has_seed else {})}
    dictionary = [f"element {i}" for i in range(size)] if known.needs_dictionary else ()
    mechanism = mechanism_for(algorithm, known.for_dictionary(given, dictionary)).with_dictionary(dictionary)
    elements = elements_of(mechanism, size)
    rng = np.random.default_rng(1)
    index = rng.integers(0, len(elements), n)
    parts = mechanism.privatize_fleet(elements, index, rng)
    few = {name: values[:LINES] for name, values in parts.items()}
    lines = mechanism.format_records(few)
    received = cpu_seconds(lambda: receive(mechanism, lines)) * n / len(lines)
    streams = mechanism.split(parts)
    ordered: dict[str, NDArray[Any]] = {}

    def seal() -> None:
        ordered.update({name: sort_records(records) for name, records in streams.items()})
        screen(mechanism, ordered)

    sealed = cpu_seconds(seal)
    forget_hashes()
    counted = cpu_seconds(lambda: count(mechanism, ordered, elements))
    forget_hashes()
    peak = 1e6 * peak_megabytes(lambda: count(mechanism, ordered, elements))
    return mechanism, received + sealed + counted, peak


def fit(terms: NDArray[np.float64], measured: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return constants of at least 0 whose relative errors have the smallest squares."""
    scaled = terms / measured[:, None]
    # Columns of one size, because some terms are millions and some are one.
    sizes = np.maximum(scaled.max(axis=0), np.finfo(float).tiny)
    return np.asarray(nnls(scaled / sizes, np.ones(len(measured)))[0] / sizes)


def main() -> None:
    found: dict[str, list[tuple[Mechanism, Point, float, float]]] = {}
    for point in grid():
        mechanism, seconds, peak = measure(point)
        algorithm, parameters, n, size = point
        print(f"{algorithm} {parameters} n={n:,} D={size:,}: {seconds:.2f} s, {peak / 1e6:.0f} MB", flush=True)
        found.setdefault(algorithm, []).append((mechanism, point, seconds, peak))
    for algorithm, rows in found.items():
        part = part_of(rows[0][0], "cost")
        for name, terms_of, place in (("seconds", part.second_terms, 2), ("bytes", part.memory_terms, 3)):
            terms = np.array([terms_of(row[0], row[1][2], row[1][3], LETTERS) for row in rows])
            measured = np.array([row[place] for row in rows], np.float64)
            constants = fit(terms, measured)
            errors = terms @ constants / measured - 1
            written = ", ".join(f"{constant:.3g}" for constant in constants)
            print(f"{algorithm} {name}: ({written}), off by {errors.min():+.0%} to {errors.max():+.0%}")


if __name__ == "__main__":
    main()
