"""Helpers of several tests of the mathematics."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from aggregation.encoding import bit_vector_dtype, pack_buckets, pack_coordinates, sort_records
from aggregation.mechanisms import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    LocalHashing,
    Mechanism,
    SampledFragmentPuzzle,
    SequenceFragmentPuzzle,
)
from aggregation.sketches import HashFamily, QuadraticM31

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
BUCKETS: list[dict[str, Any]] = VECTORS["buckets"]

# A busy machine is no counterexample.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Two-sided normal quantile of 1e-6, the chance of a false alarm that a statistical test states.
Z_MILLIONTH = 4.892


@dataclass(frozen=True, eq=False)
class TableFamily(HashFamily):
    """A family written down as a table: row x element -> bucket."""

    elements: list[str]
    table: NDArray[np.uint32]

    @property
    def name(self) -> str:
        return "table"

    def points(self, elements: Sequence[str]) -> NDArray[np.intp]:
        return np.array([self.elements.index(element) for element in elements], np.intp)

    def bucket(self, element: str, row: int, m: int) -> int:
        return int(self.table[row, self.elements.index(element)]) % m

    def buckets(self, points: NDArray[Any], start_row: int, stop_row: int, m: int) -> NDArray[np.uint32]:
        return self.table[start_row:stop_row, points] % np.uint32(m)


def count_mean(epsilon: str, k: int, m: int, seed: int = 0) -> CountMeanSketch:
    return CountMeanSketch(Decimal(epsilon), k, m, QuadraticM31(seed.to_bytes(16, "little")))


def hadamard_count_mean(epsilon: str, k: int, m: int, seed: int = 0) -> HadamardCountMeanSketch:
    return HadamardCountMeanSketch(Decimal(epsilon), k, m, QuadraticM31(seed.to_bytes(16, "little")))


def local_hashing(epsilon: str, k: int, g: int, seed: int = 0) -> LocalHashing:
    return LocalHashing(Decimal(epsilon), k, g, QuadraticM31(seed.to_bytes(16, "little")))


def fragment_puzzle(
    epsilon: str,
    fragment_epsilon: str,
    shape: tuple[int, int] = (16, 64),
    fragment_shape: tuple[int, int] = (16, 64),
    length: int = 4,
    seed: bytes = bytes(16),
) -> SequenceFragmentPuzzle:
    """Return the mechanism with k and m of the sketch of words, and of that of fragments, as given."""
    words = CountMeanSketch(Decimal(epsilon), *shape, QuadraticM31(seed))
    fragments = CountMeanSketch(Decimal(fragment_epsilon), *fragment_shape, QuadraticM31(seed, "fragment"))
    return SequenceFragmentPuzzle(words, fragments, length)


def sampled_puzzle(
    epsilon: str,
    shape: tuple[int, int] = (16, 64),
    fragment_shape: tuple[int, int] = (16, 64),
    length: int = 4,
    seed: bytes = bytes(16),
    share: str = "0.8",
) -> SampledFragmentPuzzle:
    """Return the mechanism with k and g of the sketch of words, and of that of fragments, as given."""
    words = LocalHashing(Decimal(epsilon), *shape, QuadraticM31(seed))
    fragments = LocalHashing(Decimal(epsilon), *fragment_shape, QuadraticM31(seed, "fragment"))
    return SampledFragmentPuzzle(words, fragments, length, Decimal(share))


def random_records(rng: np.random.Generator, n: int, k: int, m: int, density: float = 0.5) -> NDArray[Any]:
    """Return unsorted records of random rows and bits."""
    records = np.empty(n, bit_vector_dtype(m))
    records["row"] = rng.integers(0, k, n)
    records["bits"] = np.packbits(rng.random((n, m)) < density, axis=1)
    return records


def random_coordinates(rng: np.random.Generator, n: int, k: int, m: int, positive: float = 0.5) -> NDArray[Any]:
    """Return unsorted records of random rows, coordinates and signs."""
    return pack_coordinates(rng.integers(0, k, n), rng.integers(0, m, n), rng.random(n) < positive, m)


def random_buckets(rng: np.random.Generator, n: int, k: int, g: int) -> NDArray[Any]:
    """Return unsorted records of random rows and buckets."""
    return pack_buckets(rng.integers(0, k, n), rng.integers(0, g, n), g)


def naive_sketch(records: NDArray[Any], k: int, m: int) -> NDArray[np.int64]:
    """Count the one-bits of every cell, record by record."""
    sketch = np.zeros((k, m), np.int64)
    np.add.at(sketch, records["row"].astype(int), np.unpackbits(records["bits"], axis=1))
    return sketch


def zipf_counts(n: int, size: int, exponent: float = 1.0) -> NDArray[np.int64]:
    """Return whole counts of a Zipf dictionary that sum to n."""
    shares = 1 / np.arange(1, size + 1) ** exponent
    edges = np.round(np.cumsum(shares / shares.sum()) * n).astype(np.int64)
    return np.diff(edges, prepend=0)


def read_out_of(
    mechanism: Any, elements: Sequence[str], index: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Simulate a fleet that reports elements by their index, and read all of them out of its records."""
    records = sort_records(mechanism.privatize_fleet(elements, index, rng)["element"])
    read_out: NDArray[np.int64] = mechanism.read_out([records], mechanism.points(elements), 0, mechanism.divisions)[0]
    return read_out


def cells(mechanism: Mechanism, records: NDArray[Any]) -> NDArray[np.int32]:
    """The sums of all cells of a mechanism with one sketch."""
    state = mechanism.empty_state()
    mechanism.add_to_state(state, {"element": records})
    return state["element"]
