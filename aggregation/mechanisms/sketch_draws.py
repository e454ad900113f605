"""Draws of read-outs without single reports, for mechanisms whose reports are of one row of a sketch each."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Floats, Integers, Places
from ..simulation import BinomialTables
from ..sketches import shared_rows
from .one_sketch import OneSketch

# Rows that are drawn at once, for each population: cells, and pairs of a row and an element.
_CELLS: Final = 2**16
_PAIRS: Final = 2**22
# Reports of a population whose rows are held.
_MOST_ROWS: Final = 2 * 10**7
# Sums of look-ups made at once stay in a core's second-level cache.
_LOOKUP_BYTES: Final = 2**21
_ELEMENTS: Final = 2048

# Makes the cells of some rows of the numbers of reports that have each cell as their own; both of shape (rows, m).
CellsOf: TypeAlias = Callable[[Integers, np.random.Generator], Array]


def hits(mechanism: OneSketch, points: Array, chosen: Places) -> Floats:
    """Return how probably a report about each element is in the bucket of each chosen one, shape (T, D)."""
    return shared_rows(mechanism.family, points, chosen, mechanism.k, mechanism.m) / mechanism.k


def hash_seconds(sketch: OneSketch, dictionary_size: int) -> float:
    """Return about how long one core hashes all elements, which populations of one family share."""
    return 5e-9 * sketch.k * dictionary_size


@lru_cache(maxsize=8)
def tables_of(probability: float) -> BinomialTables:
    return BinomialTables(probability)


def draw_read_outs(
    sketch: OneSketch, points: Array, counts: Integers, rngs: Sequence[np.random.Generator], cells_of: CellsOf
) -> Integers:
    """Draw S(d) of several independent populations, as `DrawingPart.draw`.

    `cells_of` draws the cells of some rows, which are independent of each other.
    """
    k, m = sketch.k, sketch.m
    totals = np.zeros((len(counts), len(points)), np.int64)
    in_rows = [_Rows(own, k, rng) for own, rng in zip(counts, rngs, strict=True)]
    for start, stop in _blocks(k, max(1, min(_CELLS // m, _PAIRS // len(points)))):
        buckets = sketch.family.buckets(points, start, stop, m)
        buckets += (np.arange(stop - start, dtype=np.uint32) * np.uint32(m))[:, None]
        size = (stop - start) * m
        own_reports = (own.of(start, stop, buckets, size).reshape(-1, m) for own in in_rows)
        cells = [cells_of(own, rng).reshape(-1) for own, rng in zip(own_reports, rngs, strict=True)]
        _look_up(totals, cells, buckets)
    return totals


class _Rows:
    """The rows that the reports of a population have drawn: how many of each element, row by row."""

    def __init__(self, counts: Integers, k: int, rng: np.random.Generator) -> None:
        self._size, self._k, self._rng = len(counts), k, rng
        n = int(counts.sum())
        # Where reports are many, their numbers in each row are drawn instead of their rows.
        self._left = counts.copy() if n > min(k * int(np.count_nonzero(counts)), _MOST_ROWS) else None
        if self._left is None:
            self._key: Any = np.uint32 if k * self._size < 2**32 else np.uint64
            self._keys: Array = rng.integers(0, k, size=n, dtype=np.uint32).astype(self._key)
            self._keys *= self._key(self._size)
            self._keys += np.repeat(np.arange(self._size, dtype=self._key), counts)
            self._keys.sort()

    def of(self, start: int, stop: int, cells: NDArray[np.uint32], size: int) -> Integers:
        """Return the number of reports about a bucket's elements for each cell of a range of rows, which come in order.

        ``cells``, of shape (rows, D), says for each row and element which of `size` cells it has.
        """
        if self._left is None:
            first = np.searchsorted(self._keys, self._key(start * self._size))
            # The end of the last rows may be beyond the largest key.
            last = len(self._keys) if stop == self._k else np.searchsorted(self._keys, self._key(stop * self._size))
            pairs = (self._keys[first:last] - self._key(start * self._size)).astype(np.intp)
            return np.bincount(cells.reshape(-1).take(pairs), minlength=size)
        numbers = np.empty((stop - start, self._size), np.int64)
        for place, row in enumerate(range(start, stop)):
            numbers[place] = self._rng.binomial(self._left, 1 / (self._k - row))
            self._left -= numbers[place]
        # Sums of counts below 2^53 are exact.
        return np.bincount(cells.reshape(-1), numbers.reshape(-1), minlength=size).astype(np.int64)


def _look_up(totals: Integers, cells: Sequence[Array], buckets: NDArray[np.uint32]) -> None:
    """Add to each population's totals, shape (P, D), its cells of all elements in all rows of a block."""
    largest = max(int(each.max(initial=0)) for each in cells) * len(buckets)
    lane = np.dtype(np.uint16 if largest < 2**16 else np.int64)
    stacked = np.stack(cells, axis=-1, dtype=lane, casting="unsafe")
    items = stacked.view(f"V{len(cells) * lane.itemsize}").reshape(-1)
    for part in (slice(begin, begin + _ELEMENTS) for begin in range(0, buckets.shape[1], _ELEMENTS)):
        width = min(_ELEMENTS, buckets.shape[1] - part.start)
        step = max(4, _LOOKUP_BYTES // (width * items.itemsize))
        sums = np.zeros((width, len(cells)), lane)
        for begin in range(0, len(buckets), step):
            taken = items.take(buckets[begin : begin + step, part]).view(lane)
            sums += np.add.reduce(taken.reshape(-1, width, len(cells)), axis=0, dtype=lane)
        totals[:, part] += sums.T


def _blocks(k: int, step: int) -> Iterator[tuple[int, int]]:
    for start in range(0, k, step):
        yield start, min(start + step, k)
