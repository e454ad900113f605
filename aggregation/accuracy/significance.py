"""Which differences are none by chance, among elements that were chosen by the same data."""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aggregation.accuracy.difference import Estimated

# From here on a normal tail is its first asymptotic term, whose error is below a thousandth.
_FAR: Final = 30.0


def conditional_p_values(estimated: Estimated, threshold_first: float, threshold_second: float) -> NDArray[np.float64]:
    """Return how likely so large a difference is for equal shares, given that the element was chosen at all.

    Parameters
    ----------
    estimated : Estimated
        Of the elements that reach a threshold on at least one side, with the variances of `if_equal`.
    threshold_first, threshold_second : float
        The thresholds, as shares.

    Returns
    -------
    ndarray of float64
        Two-sided; uniform between 0 and 1 if the shares are equal, whatever they are (normal approximation).

    Notes
    -----
    An element whose share is just below the thresholds is chosen when noise raises one side of it, and then it looks
    different. Let p̂₁ and p̂₂ be normal with variances v₁, v₂, covariance c, and v = v₁ + v₂ - 2c that of D = p̂₁ - p̂₂.
    If both have the mean p, then P = a₂·p̂₁ + a₁·p̂₂ with a₁ = (v₁ - c)/v and a₂ = (v₂ - c)/v = 1 - a₁ is independent of
    D. Since p̂₁ = P + a₁·D and p̂₂ = P - a₂·D, the element is chosen if

        D ≥ (T₁ - P)/a₁    or    D ≤ (P - T₂)/a₂.

    So, given P and that it was chosen, D is a normal number of mean 0 cut to these two tails, whatever p is, and the
    p-value is the part of them that is at least as far from 0. Where the tails meet, nothing was chosen by D, and the
    p-value is the ordinary one. Read-outs are integers, of which a normal number knows nothing: differences are taken
    smaller by one step, which is seen only where few reports have little noise, and makes up for its tails there.

    References
    ----------
    W. Fithian, D. Sun, J. Taylor, "Optimal Inference After Model Selection" (2014), on conditioning on the selection.
    """
    spread = np.sqrt(estimated.variance)
    certain = spread == 0
    spread = np.where(certain, 1.0, spread)
    covariance = (estimated.first_variance + estimated.second_variance - estimated.variance) / 2
    part1 = np.clip((estimated.first_variance - covariance) / spread**2, 0.0, 1.0)
    pooled = (1 - part1) * estimated.first + part1 * estimated.second
    upper = _divide(threshold_first - pooled, part1 * spread)
    lower = -_divide(threshold_second - pooled, (1 - part1) * spread)
    z = np.maximum(np.abs(estimated.difference) - estimated.step, 0.0) / spread
    # Where the tails meet, they are the two halves.
    meet = lower >= upper
    upper, lower = np.where(meet, 0.0, upper), np.where(meet, 0.0, lower)
    log_tails = np.logaddexp(_log_tail(np.maximum(upper, z)), _log_tail(np.maximum(-lower, z)))
    log_chosen = np.logaddexp(_log_tail(upper), _log_tail(-lower))
    p_values = np.exp(np.minimum(log_tails - log_chosen, 0.0))
    return np.where(certain, 1.0, p_values)


def benjamini_hochberg(p_values: NDArray[np.float64], level: float) -> NDArray[np.bool_]:
    """Return which of the hypotheses are rejected such that false ones are expected to be at most this part of them.

    Parameters
    ----------
    p_values : ndarray of float64, shape (R,)
        Of all hypotheses that are tested.
    level : float
        The false discovery rate.

    Returns
    -------
    ndarray of bool, shape (R,)
        Those at most the largest p₍ᵢ₎ (the i-th smallest) with p₍ᵢ₎ ≤ level·i/R.

    References
    ----------
    Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate" (1995).
    """
    ascending = np.sort(p_values)
    passing = np.flatnonzero(ascending <= level * np.arange(1, len(ascending) + 1) / max(len(ascending), 1))
    if not len(passing):
        return np.zeros(len(p_values), bool)
    rejected: NDArray[np.bool_] = p_values <= ascending[passing[-1]]
    return rejected


def _divide(distance: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return distance/by; of 0, infinitely far on the side of the distance, and reached if there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(by > 0, distance / by, np.where(distance > 0, np.inf, -np.inf))


def _log_tail_of(z: float) -> float:
    if z == math.inf:
        return -math.inf
    if z < _FAR:
        return math.log(math.erfc(z / math.sqrt(2)) / 2)
    return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi))


_log_tail: Final[Callable[[NDArray[np.float64]], NDArray[np.float64]]] = np.vectorize(_log_tail_of, otypes=[float])
