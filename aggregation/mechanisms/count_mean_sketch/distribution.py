"""The exact distribution of read-outs: their moments given the hash functions, and draws without a single report."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...randomness import flip_threshold
from ...simulation import BinomialTables
from ...sketches import shared_rows
from .mechanism import CountMeanSketch

# Of the rows that are drawn at once, for each population: cells, and pairs of a row and an element.
_CELLS: Final = 2**16
_PAIRS: Final = 2**22
# Reports of a population whose rows are held.
_MOST_ROWS: Final = 2 * 10**7
# Sums of look-ups made at once stay in a core's second-level cache.
_LOOKUP_BYTES: Final = 2**21
_ELEMENTS: Final = 2048


def hits(mechanism: CountMeanSketch, points: NDArray[Any], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how probably a report about each element is in the bucket of each chosen one, shape (T, D)."""
    return shared_rows(mechanism.family, points, chosen, mechanism.k, mechanism.m) / mechanism.k


def moments(
    mechanism: CountMeanSketch, hit: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance of the read-outs S(d) of the chosen elements, given the hash functions.

    Parameters
    ----------
    hit : ndarray of float64, shape (T, D)
        From `hits`.
    counts : ndarray of int64, shape (D,)
        True counts of all elements.

    Returns
    -------
    tuple of two ndarrays of float64, shape (T,)
        S(d) is a sum of one independent bit for each report, which is 1 with probability q = π + (1-2π)·hit, π being
        the flip probability: Σ f·q and Σ f·q(1-q) over all elements.
    """
    flip = _flip_probability(mechanism)
    chance: NDArray[np.float64] = flip + (1 - 2 * flip) * hit
    return chance @ counts, (chance * (1 - chance)) @ counts


def draw(
    mechanism: CountMeanSketch,
    points: NDArray[Any],
    counts: NDArray[np.int64],
    rngs: Sequence[np.random.Generator],
) -> NDArray[np.int64]:
    """Draw the read-outs of several independent populations, which share the work of hashing.

    Parameters
    ----------
    points : ndarray, first axis of length D
        ``family.points`` of all elements that are reported.
    counts : ndarray of int64, shape (P, D)
        True counts of P populations.
    rngs : sequence of P numpy.random.Generator
        One for each: what is drawn for a population does not depend on the others.

    Returns
    -------
    ndarray of int64, shape (P, D)
        S(d) of each population, in distribution as `privatize_fleet` and `read_out` give it.

    Notes
    -----
    Each report draws its row. Given how many reports of a row have each bucket as their own, N of r, the one-bits of
    the row's cells are independent: Binomial(N, 1-π) + Binomial(r-N, π).
    """
    k, m = mechanism.k, mechanism.m
    totals = np.zeros((len(counts), len(points)), np.int64)
    tables = _tables(_flip_probability(mechanism))
    in_rows = [_Rows(own, k, rng) for own, rng in zip(counts, rngs, strict=True)]
    for start, stop in _blocks(k, max(1, min(_CELLS // m, _PAIRS // len(points)))):
        buckets = mechanism.family.buckets(points, start, stop, m)
        buckets += (np.arange(stop - start, dtype=np.uint32) * np.uint32(m))[:, None]
        size = (stop - start) * m
        own_reports = (own.of(start, stop, buckets, size) for own in in_rows)
        ones = [_ones(own, m, tables, rng) for own, rng in zip(own_reports, rngs, strict=True)]
        _look_up(totals, ones, buckets)
    return totals


def draw_seconds(mechanism: CountMeanSketch, n: int, dictionary_size: int) -> float:
    """Return about how long drawing a population takes one core, of several that share the work of hashing."""
    cells, look_ups = mechanism.k * mechanism.m, mechanism.k * dictionary_size
    return 5e-9 * cells + 8e-10 * look_ups + min(3e-8 * n, 6e-8 * look_ups)


class _Rows:
    """The rows that the reports of a population have drawn: how many of each element, row by row."""

    def __init__(self, counts: NDArray[np.int64], k: int, rng: np.random.Generator) -> None:
        self._size, self._k, self._rng = len(counts), k, rng
        n = int(counts.sum())
        # Where reports are many, their numbers in each row are drawn instead of their rows.
        self._left = counts.copy() if n > min(k * int(np.count_nonzero(counts)), _MOST_ROWS) else None
        if self._left is None:
            self._key: Any = np.uint32 if k * self._size < 2**32 else np.uint64
            self._keys: NDArray[Any] = rng.integers(0, k, size=n, dtype=np.uint32).astype(self._key)
            self._keys *= self._key(self._size)
            self._keys += np.repeat(np.arange(self._size, dtype=self._key), counts)
            self._keys.sort()

    def of(self, start: int, stop: int, cells: NDArray[np.uint32], size: int) -> NDArray[np.int64]:
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


def _ones(own: NDArray[np.int64], m: int, tables: BinomialTables, rng: np.random.Generator) -> NDArray[Any]:
    """Return the one-bits of cells, row by row, of which so many reports have each cell as their own."""
    rows = own.reshape(-1, m)
    ones = tables.draw(rows.sum(axis=1, keepdims=True) - rows, rng).reshape(-1)
    hot = np.flatnonzero(own != 0)
    hot_reports = own[hot]
    ones[hot] += (hot_reports - tables.draw(hot_reports, rng)).astype(ones.dtype)
    return ones


def _look_up(totals: NDArray[np.int64], ones: Sequence[NDArray[Any]], buckets: NDArray[np.uint32]) -> None:
    """Add to each population's totals, shape (P, D), its cells of all elements in all rows of a block."""
    largest = max(int(each.max(initial=0)) for each in ones) * len(buckets)
    lane = np.dtype(np.uint16 if largest < 2**16 else np.int64)
    cells = np.stack(ones, axis=-1, dtype=lane, casting="unsafe")
    items = cells.view(f"V{len(ones) * lane.itemsize}").reshape(-1)
    for part in (slice(begin, begin + _ELEMENTS) for begin in range(0, buckets.shape[1], _ELEMENTS)):
        width = min(_ELEMENTS, buckets.shape[1] - part.start)
        step = max(4, _LOOKUP_BYTES // (width * items.itemsize))
        sums = np.zeros((width, len(ones)), lane)
        for begin in range(0, len(buckets), step):
            taken = items.take(buckets[begin : begin + step, part]).view(lane)
            sums += np.add.reduce(taken.reshape(-1, width, len(ones)), axis=0, dtype=lane)
        totals[:, part] += sums.T


def _blocks(k: int, step: int) -> Iterator[tuple[int, int]]:
    for start in range(0, k, step):
        yield start, min(start + step, k)


def _flip_probability(mechanism: CountMeanSketch) -> float:
    return flip_threshold(mechanism.epsilon / 2) / 2**64


@lru_cache(maxsize=4)
def _tables(probability: float) -> BinomialTables:
    return BinomialTables(probability)
