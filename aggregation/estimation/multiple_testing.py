"""Multiple testing of differences among elements that were chosen by the same data."""

import math
from typing import Final

import numpy as np

from ..arrays import Flags, Floats
from .difference import Estimated
from .estimators import Estimator
from .sampling import sampling_variance

# From here on a normal tail is its first asymptotic term, whose error is below a thousandth.
_FAR: Final = 30.0


def conditional_p_values(
    estimated: Estimated, threshold_first: float | Floats, threshold_second: float | Floats
) -> Floats:
    """Return how likely so large a difference is for equal shares, given that the element was chosen at all.

    Parameters
    ----------
    estimated : Estimated
        Of the elements that reach the thresholds on both sides, with the variances of `if_equal`.
    threshold_first, threshold_second : float, or ndarray of float64
        The thresholds, as shares.

    Returns
    -------
    ndarray of float64
        Two-sided. Where the shares are equal, one is at most x with a probability of at most x, whatever the shares
        are (normal approximation).

    Notes
    -----
    Where one threshold is higher than the other, as with few reports on that side, an element whose share is between
    them is chosen when chance raises it there, and then it looks different. Let p̂₁ and p̂₂ be normal with variances
    v₁, v₂, covariance c, and v = v₁ + v₂ - 2c that of D = p̂₁ - p̂₂. If both have the mean p, then P = a₂·p̂₁ + a₁·p̂₂ with
    a₁ = (v₁ - c)/v and a₂ = (v₂ - c)/v = 1 - a₁ is independent of D. Since p̂₁ = P + a₁·D and p̂₂ = P - a₂·D, the element
    is chosen if

        (T₁ - P)/a₁ ≤ D ≤ (P - T₂)/a₂.

    So, given P and that it was chosen, D is a normal number of mean 0 cut to this range, whatever p is. The part of the
    range that is at least as far from 0 as D is uniform between 0 and 1. It is not taken where it is smaller than the
    ordinary p-value: that a range has no room for large differences makes a small one no clearer.

    Read-outs are integers, of which a normal number knows nothing: differences are taken smaller by one step, which is
    seen only where few reports have little noise, and makes up for its tails there.

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
    low = _divide(threshold_first - pooled, part1 * spread)
    high = -_divide(threshold_second - pooled, (1 - part1) * spread)
    z = np.maximum(np.abs(estimated.difference) - estimated.step, 0.0) / spread
    ordinary = np.minimum(_log_tail(z) + math.log(2), 0.0)
    # The cut normal number's probabilities by what lies beyond z on either side. A step less may lie outside of the
    # range.
    beyond = np.logaddexp(_log_between(np.maximum(low, z), high), _log_between(low, np.minimum(high, -z)))
    chosen = _log_between(low, high)
    log_p = np.where(chosen > -np.inf, beyond - np.where(chosen > -np.inf, chosen, 0.0), 0.0)
    p_values = np.exp(np.minimum(np.maximum(log_p, ordinary), 0.0))
    return np.where(certain, 1.0, p_values)


def bounded_p_values(
    estimator: Estimator, share: Floats, variance: Floats, threshold: float, n: int, f2: float, chosen_from: float
) -> Floats:
    """Return how likely so large a difference is for equal shares, where one side is below its threshold.

    Parameters
    ----------
    estimator : Estimator
        The estimator of the side that is below.
    share, variance : ndarray of float64, shape (H,)
        Of the side that is above: estimates and their variances, over who reported, too.
    threshold : float
        Of the side that is below, in reports.
    n, f2
        Of that side: reports, and F2 over all elements.
    chosen_from : float
        From how many elements each of those was chosen that are tested: D/R.

    Returns
    -------
    ndarray of float64, shape (H,)
        Two-sided, at most 1. Of D elements with equal shares, x·R at most are expected to be above on this side, below
        on that, and to have a value of at most x (normal approximation): no more than of R p-values that are uniform.

    Notes
    -----
    Nothing is used of the side that is below but its threshold: its estimate is smaller, so that the difference of both
    is larger than p̂ - T/n, and its p-value smaller than that of p̂ - T/n. The variances are those of equal shares, at
    the share of the side that is above. That an element is above by chance is allowed for by testing as many elements
    as might have been: unlike where both sides are above, it is not known how far the other one is from its threshold.
    """
    count = np.clip(share, 0.0, 1.0) * n
    other = (estimator.variance(count, n, f2) + sampling_variance(count, n)) / n**2
    return tail_p_values(share - threshold / n, variance + other, chosen_from)


def tail_p_values(difference: Floats, variance: Floats, chosen_from: float | Floats = 1.0) -> Floats:
    """Return two-sided p-values of normal differences, each of which was chosen from several.

    Parameters
    ----------
    difference, variance : ndarray of float64, shape (D,)
        Differences, of which those below 0 count as 0, and their variances; without variance the p-value is 1.
    chosen_from : number or ndarray of float64, shape (D,)
        How many each was chosen from: the factor of a union bound.

    Returns
    -------
    ndarray of float64, shape (D,)
    """
    spread = np.sqrt(variance)
    certain = spread == 0
    z = np.maximum(difference, 0.0) / np.where(certain, 1.0, spread)
    p_values = np.exp(np.minimum(_log_tail(z) + np.log(2 * chosen_from), 0.0))
    return np.where(certain, 1.0, p_values)


def excess_p_values(estimator: Estimator, count: Floats, least_share: float, n: int, f2: float) -> Floats:
    """Return how likely so large an estimate is for an element whose share is the least one.

    Parameters
    ----------
    estimator : Estimator
    count : ndarray of float64, shape (H,)
        Estimates, in reports.
    least_share : float
        The share that is to be exceeded.
    n, f2
        Reports, and F2 over all elements.

    Returns
    -------
    ndarray of float64, shape (H,)
        One-sided, by the normal approximation, over who reported, too: of all people, and not of those who did. Where
        a share is at most the least one, it is at most x with a probability of at most x.
    """
    least = np.full(1, least_share * n)
    error = np.sqrt(estimator.variance(least, n, f2) + sampling_variance(least, n))
    return np.exp(_log_tail((count - least) / error))


def benjamini_hochberg(p_values: Floats, level: float) -> Flags:
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
    rejected: Flags = p_values <= ascending[passing[-1]]
    return rejected


def beside_intervals(p_values: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return p-values that are 1 where an interval includes 0, so that nothing is clear that its interval leaves open.

    Parameters
    ----------
    p_values, lower, upper : ndarray of float64, shape (R,)
        Of differences, with the ends of their intervals.

    Returns
    -------
    ndarray of float64, shape (R,)
        None is smaller than it was: what held of them holds.
    """
    return np.where((lower <= 0) & (upper >= 0), 1.0, p_values)


def _divide(distance: Floats, by: Floats) -> Floats:
    """Return distance/by; of 0, infinitely far on the side of the distance, and reached if there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(by > 0, distance / by, np.where(distance > 0, np.inf, -np.inf))


def _log_between(low: Floats, high: Floats) -> Floats:
    """Return the logarithm of the probability that a standard normal number is between; of nothing, -infinity."""
    # On the side of 0 where tails are small, so that they do not cancel.
    turned = high <= -low
    near, far = np.where(turned, -high, low), np.where(turned, -low, high)
    outer, inner = _log_tail(np.maximum(far, near)), _log_tail(near)
    part = np.exp(np.where(inner > -np.inf, np.minimum(outer - np.where(inner > -np.inf, inner, 0.0), 0.0), 0.0))
    with np.errstate(divide="ignore"):
        return np.where(far > near, inner + np.log1p(-part), -np.inf)


def _log_tail_of(z: float) -> float:
    if z == math.inf:
        return -math.inf
    if z < _FAR:
        return math.log(math.erfc(z / math.sqrt(2)) / 2)
    return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi))


def _log_tail(z: Floats) -> Floats:
    # `np.vectorize` takes longer to begin than a few dozen tails.
    return np.fromiter(map(_log_tail_of, z.ravel().tolist()), np.float64, z.size).reshape(z.shape)
