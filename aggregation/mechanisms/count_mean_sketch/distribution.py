"""The exact distribution of read-outs: their moments given the hash functions, and draws without a single report."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, Floats, Integers
from ...randomness import flip_threshold
from ...simulation import BinomialTables
from ..sketch_draws import draw_read_outs, hash_seconds, hits, tables_of
from .mechanism import CountMeanSketch

__all__ = ["draw", "draw_seconds", "hash_seconds", "hits", "moments"]


def moments(mechanism: CountMeanSketch, hit: Floats, counts: Integers) -> tuple[Floats, Floats]:
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
    chance: Floats = flip + (1 - 2 * flip) * hit
    return chance @ counts, (chance * (1 - chance)) @ counts


def draw(mechanism: CountMeanSketch, points: Array, counts: Integers, rngs: Sequence[np.random.Generator]) -> Integers:
    """Draw support counts of several populations.

    Notes
    -----
    Each report draws its row. Given how many reports of a row have each bucket as their own, N of r, the one-bits of
    the row's cells are independent: Binomial(N, 1-π) + Binomial(r-N, π).
    """
    tables = tables_of(_flip_probability(mechanism))
    return draw_read_outs(mechanism, points, counts, rngs, lambda own, rng: _ones(own, tables, rng))


def draw_seconds(mechanism: CountMeanSketch, n: int, dictionary_size: int) -> float:
    cells, look_ups = mechanism.k * mechanism.m, mechanism.k * dictionary_size
    return 5e-9 * cells + 8e-10 * look_ups + min(3e-8 * n, 6e-8 * look_ups)


def _ones(rows: Integers, tables: BinomialTables, rng: np.random.Generator) -> Array:
    """Return the one-bits of cells, row by row, of which so many reports have each cell as their own."""
    ones, own = tables.draw(rows.sum(axis=1, keepdims=True) - rows, rng).reshape(-1), rows.reshape(-1)
    hot = np.flatnonzero(own != 0)
    hot_reports = own[hot]
    ones[hot] += (hot_reports - tables.draw(hot_reports, rng)).astype(ones.dtype)
    return ones


def _flip_probability(mechanism: CountMeanSketch) -> float:
    return flip_threshold(mechanism.epsilon / 2) / 2**64
