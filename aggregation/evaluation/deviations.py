"""The evaluation model: how far estimates are from the truth, in expectation, in rank, and squared."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from ..arrays import Floats, Integers
from .true_counts import TrueCounts

# The acceptance line of the model: places that a rank may be off on average.
ACCEPTED_RANKS: Final = 1
# Quantile for intervals of chances, which are of 95 %.
_Z: Final = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Deviations:
    """Deviations of R repetitions from the true top of an input.

    Parameters
    ----------
    delta_e : ndarray of float64, shape (top,)
        Expectation deviation |mean estimate - count|/count; NaN where the count is 0.
    delta_r : ndarray of float64, shape (top,)
        Rank deviation, the mean of |estimated rank - rank|.
    mse : ndarray of float64, shape (top,)
        Mean of (estimate - count)², in squared reports: variance and squared bias.
    variance : ndarray of float64, shape (top,)
        About the mean, divided by R.
    delta_r_error : ndarray of float64, shape (top,)
        Standard error of `delta_r`; NaN of a single repetition.
    first_in_order : ndarray of int64, shape (top,)
        For N = 1, 2, …: repetitions whose first N ranks are the true ones, in their order.
    first_in_any_order : ndarray of int64, shape (top,)
        For N = 1, 2, …: repetitions whose first N ranks are those of the true first N, in any order.
    mean_mse_error : float
        Standard error of the mean of `mse` over the top; NaN of a single repetition.
    mean_delta_r_error : float
        Standard error of the mean of `delta_r` over the top; NaN of a single repetition.

    References
    ----------
    The evaluation model of Baidu's security lab for local differential privacy (2018).
    """

    delta_e: Floats
    delta_r: Floats
    mse: Floats
    variance: Floats
    delta_r_error: Floats
    first_in_order: Integers
    first_in_any_order: Integers
    mean_mse_error: float
    mean_delta_r_error: float

    @property
    def mean_mse(self) -> float:
        return float(self.mse.mean())

    @property
    def mean_delta_e(self) -> float | None:
        """Over the elements that occur; None if none does."""
        known = self.delta_e[~np.isnan(self.delta_e)]
        return float(known.mean()) if len(known) else None

    @property
    def mean_delta_r(self) -> float:
        return float(self.delta_r.mean())

    @property
    def first_rank_over_line(self) -> int | None:
        """The first true rank whose deviation is above the acceptance line; None if none is."""
        over = np.flatnonzero(self.delta_r > ACCEPTED_RANKS)
        return int(over[0]) + 1 if len(over) else None


def deviations(truth: TrueCounts, found: Floats) -> Deviations:
    """Measure repetitions against the truth.

    Parameters
    ----------
    truth : TrueCounts
    found : ndarray of float64, shape (repetitions, 2, T)
        Estimates and estimated ranks of the elements of the first T ranks.
    """
    top = truth.top(found.shape[2])
    counts, estimates, ranks = truth.counts[top].astype(np.float64), found[:, 0, : len(top)], found[:, 1, : len(top)]
    own = truth.ranks[top]
    squares = (estimates - counts) ** 2
    moved = np.abs(ranks - own)
    mean = estimates.mean(axis=0)
    delta_e = np.full(len(top), np.nan)
    np.divide(np.abs(mean - counts), counts, out=delta_e, where=counts > 0)
    return Deviations(
        delta_e,
        moved.mean(axis=0),
        squares.mean(axis=0),
        ((estimates - mean) ** 2).mean(axis=0),
        _errors(moved),
        np.logical_and.accumulate(ranks == own, axis=1).sum(axis=0),
        # No rank is taken twice: N of them that are N at most are the first N.
        (np.maximum.accumulate(ranks, axis=1) <= own).sum(axis=0),
        float(_errors(squares.mean(axis=1))),
        float(_errors(moved.mean(axis=1))),
    )


def _errors(values: Floats) -> Floats:
    """Return the standard error of the mean over independent repetitions, the first axis."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    errors: Floats = np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))
    return errors


def chance(times: int, repetitions: int) -> dict[str, float]:
    """Return the share of repetitions in which something happened, as documents have it.

    Returns
    -------
    dict
        ``share``, and ``lower`` and ``upper``, the ends of its 95 % interval.

    References
    ----------
    Wilson's score interval: E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927).
    """
    share, square = times / repetitions, _Z**2 / repetitions
    middle = share + square / 2
    half = _Z * math.sqrt((share * (1 - share) + square / 4) / repetitions)
    lower, upper = ((middle + side * half) / (1 + square) for side in (-1, 1))
    return {"share": share, "lower": max(0.0, lower), "upper": min(1.0, upper)}
