"""The exact distribution of read-outs: their moments given the hash functions, and draws without a single report."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ...arrays import Array, Floats, Integers
from ...simulation import BinomialTables
from ..sketch_draws import draw_read_outs, hash_seconds, hits, tables_of
from .mechanism import LocalHashing

__all__ = ["draw", "draw_seconds", "hash_seconds", "hits", "moments"]

# With more reports a cell than that, numbers are drawn for cells instead of a cell for each report.
_CROWDED: Final = 32


def moments(mechanism: LocalHashing, hit: Floats, counts: Integers) -> tuple[Floats, Floats]:
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
        S(d) is a number of independent reports, of which one supports d with probability c = q + (p-q)·hit: Σ f·c and
        Σ f·c(1-c) over all elements.
    """
    _, other = _chances(mechanism)
    chance: Floats = other + (1 - mechanism.g * other) * hit
    return chance @ counts, (chance * (1 - chance)) @ counts


def draw(mechanism: LocalHashing, points: Array, counts: Integers, rngs: Sequence[np.random.Generator]) -> Integers:
    """Draw support counts of several populations.

    Notes
    -----
    Each report draws its row. With probability p - q it names its own bucket, and otherwise any of all g alike, which
    is the same as lying with probability 1 - p.
    """
    _, other = _chances(mechanism)
    tables = tables_of(1 - mechanism.g * other)
    return draw_read_outs(mechanism, points, counts, rngs, lambda own, rng: _named(own, tables, rng))


def draw_seconds(mechanism: LocalHashing, n: int, dictionary_size: int) -> float:
    """Return about how long drawing a population takes one core, of several that share the work of hashing."""
    cells, look_ups = mechanism.k * mechanism.g, mechanism.k * dictionary_size
    return 5e-9 * cells + 8e-10 * look_ups + min(4e-8 * n, 6e-8 * look_ups + 1e-7 * cells)


def _named(own: Integers, tables: BinomialTables, rng: np.random.Generator) -> Integers:
    """Return how often cells are named, row by row, of which so many reports have each cell as their own."""
    g, cells = own.shape[1], np.zeros(own.size, np.int64)
    hot = np.flatnonzero(own)
    cells[hot] = tables.draw(own.reshape(-1)[hot], rng)
    anywhere = own.sum(axis=1) - cells.reshape(-1, g).sum(axis=1)
    if anywhere.sum() > _CROWDED * own.size:
        return cells.reshape(-1, g) + rng.multinomial(anywhere, np.full(g, 1 / g))
    drawn = rng.integers(0, g, int(anywhere.sum())) + np.repeat(np.arange(len(own)) * g, anywhere)
    return cells + np.bincount(drawn, minlength=own.size)


def _chances(mechanism: LocalHashing) -> tuple[float, float]:
    """Return how probably a device sends its own bucket, and a given other one."""
    lie = mechanism.lie_threshold / 2**64
    return 1 - lie, lie / (mechanism.g - 1)
