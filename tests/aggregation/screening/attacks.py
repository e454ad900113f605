"""Reports of lying devices, as an attacker who knows the report format would make them, beside honest ones."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aggregation.encoding import join_records, pack_coordinates, sort_records
from aggregation.mechanisms import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
)
from aggregation.mechanisms.local_hashing.parameters import best_buckets
from aggregation.registry import Mechanism
from aggregation.sketches import LABELS, QuadraticM31

Records: TypeAlias = NDArray[Any]
Streams: TypeAlias = dict[str, Records]

SEED = bytes(range(16))
FRUITS = ("apple", "banana", "cherry")
WORDS = ("apple_", "banana", "cherry")


def vectors(epsilon: float, k: int = 1024, m: int = 1024) -> CountMeanSketch:
    return CountMeanSketch(Decimal(str(epsilon)), k, m, QuadraticM31(SEED))


def coordinates(epsilon: float, k: int = 64, m: int = 1024) -> HadamardCountMeanSketch:
    return HadamardCountMeanSketch(Decimal(str(epsilon)), k, m, QuadraticM31(SEED))


def buckets(epsilon: float, k: int = 1024, g: int | None = None) -> LocalHashing:
    return LocalHashing(epsilon, k, best_buckets(epsilon) if g is None else g, QuadraticM31(SEED))


def puzzles(epsilon: float, k: int = 256, m: int = 256) -> SequenceFragmentPuzzle:
    words = CountMeanSketch(Decimal(str(epsilon)), k, m, QuadraticM31(SEED))
    fragments = CountMeanSketch(Decimal(str(epsilon)), k, m, QuadraticM31(SEED, "fragment"))
    return SequenceFragmentPuzzle(words, fragments, 6)


def sampled(epsilon: float, k: int = 256, share: str = "0.8") -> SampledFragmentPuzzle:
    words, fragments = (LocalHashing(epsilon, k, best_buckets(epsilon), QuadraticM31(SEED, label)) for label in LABELS)
    return SampledFragmentPuzzle(words, fragments, 6, Decimal(share))


def honest(mechanism: Mechanism, n: int, rng: np.random.Generator, elements: Sequence[str] = FRUITS) -> Streams:
    """Return reports of n devices that saw these elements, each as often."""
    parts = mechanism.privatize_fleet(elements, rng.integers(0, len(elements), n), rng)
    return {stream: sort_records(records) for stream, records in mechanism.split(parts).items()}


def mixed(*batches: Streams) -> Streams:
    return {name: sort_records(join_records([batch[name] for batch in batches])) for name in batches[0]}


def hot_bits(mechanism: CountMeanSketch, rows: NDArray[np.int64], elements: Sequence[str]) -> NDArray[np.bool_]:
    """The vectors before noise of reports about all of these elements at once, shape (rows, m)."""
    bits = np.zeros((len(rows), mechanism.m), bool)
    points = mechanism.family.points(elements)
    for element in range(len(elements)):
        index = np.full(len(rows), element, np.intp)
        bits[np.arange(len(rows)), mechanism.family.buckets_of_pairs(points, index, rows, mechanism.m)] = True
    return bits


def packed(mechanism: CountMeanSketch, rows: NDArray[np.int64], bits: NDArray[np.bool_]) -> Records:
    records = np.empty(len(rows), mechanism.record_dtype("element"))
    records["row"], records["bits"] = rows, np.packbits(bits, axis=1)
    return sort_records(records)


def flips(mechanism: CountMeanSketch, n: int, rng: np.random.Generator, epsilon: float | None = None) -> NDArray[Any]:
    """Noise of the mechanism's own ε, or of another."""
    epsilon = float(mechanism.epsilon) if epsilon is None else epsilon
    flipped: NDArray[Any] = rng.random((n, mechanism.m)) < 1 / (np.exp(epsilon / 2) + 1)
    return flipped


def crafted(
    mechanism: CountMeanSketch,
    n: int,
    rng: np.random.Generator,
    elements: Sequence[str],
    *,
    noise: float | None = None,
    rows: NDArray[np.int64] | None = None,
) -> Records:
    """Reports about all elements at once, with noise of that ε; with the mechanism's own if None is given."""
    rows = rng.integers(0, mechanism.k, n) if rows is None else rows
    return packed(mechanism, rows, hot_bits(mechanism, rows, elements) ^ flips(mechanism, len(rows), rng, noise))


def pointed(
    mechanism: HadamardCountMeanSketch,
    element: str,
    rows: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> Records:
    """Un-noised reports about one element, of rows and coordinates of the attacker's choice."""
    points = mechanism.family.points([element])
    buckets = mechanism.family.buckets_of_pairs(points, np.zeros(len(rows), np.intp), rows, mechanism.m)
    positive = np.bitwise_count(buckets & chosen.astype(np.uint32)) % 2 == 0
    return sort_records(pack_coordinates(rows, chosen, positive, mechanism.m))
