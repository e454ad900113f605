"""The evaluation model: how far estimates are from the truth, in expectation, in rank, and squared."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .true_counts import TrueCounts

# Ranks may be trusted where they are off by so much on average, and no more.
ACCEPTED_RANKS = 1


@dataclass(frozen=True)
class Deviations:
    """What R repetitions say of the true top of an input.

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
    mean_mse_error : float
        Standard error of the mean of `mse` over the top; NaN of a single repetition.
    mean_delta_r_error : float
        Standard error of the mean of `delta_r` over the top; NaN of a single repetition.

    References
    ----------
    The evaluation model of Baidu's security lab for local differential privacy (2018).
    """

    delta_e: NDArray[np.float64]
    delta_r: NDArray[np.float64]
    mse: NDArray[np.float64]
    variance: NDArray[np.float64]
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


def deviations(truth: TrueCounts, found: NDArray[np.float64]) -> Deviations:
    """Measure repetitions against the truth.

    Parameters
    ----------
    truth : TrueCounts
    found : ndarray of float64, shape (repetitions, 2, T)
        Estimates and estimated ranks of the elements of the first T ranks.
    """
    top = truth.top(found.shape[2])
    counts, estimates = truth.counts[top].astype(np.float64), found[:, 0, : len(top)]
    squares = (estimates - counts) ** 2
    moved = np.abs(found[:, 1, : len(top)] - truth.ranks[top])
    mean = estimates.mean(axis=0)
    delta_e = np.full(len(top), np.nan)
    np.divide(np.abs(mean - counts), counts, out=delta_e, where=counts > 0)
    return Deviations(
        delta_e,
        moved.mean(axis=0),
        squares.mean(axis=0),
        ((estimates - mean) ** 2).mean(axis=0),
        _error(squares.mean(axis=1)),
        _error(moved.mean(axis=1)),
    )


def _error(values: NDArray[np.float64]) -> float:
    """Return the standard error of the mean of independent repetitions."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
