"""The mean squared error that formulas expect."""

from typing import Any

import numpy as np

from ..arrays import Array, Floats, Integers, Places
from ..estimation import Estimator
from ..registry import Mechanism, distribution_of


def averaged(estimator: Estimator, counts: Integers, top: Places) -> Floats:
    """Return the expected squared errors of elements, averaged over hash families: the estimator's variance.

    Parameters
    ----------
    counts : ndarray of int64, shape (D,)
        True counts of all elements.
    top : ndarray of int, shape (T,)
        Places of those that are asked for.

    Returns
    -------
    ndarray of float64, shape (T,)
        In squared reports.
    """
    true = counts.astype(np.float64)
    return estimator.variance(true[top], int(counts.sum()), float(true @ true))


def hits(mechanism: Mechanism, points: Array, chosen: Places) -> Floats | None:
    """Return how probably a report about each element hits each chosen one, shape (T, D).

    It is the same whatever ε. None if the mechanism does not say; then its variance is all there is.
    """
    part = distribution_of(mechanism)
    return None if part is None else np.asarray(part.hits(mechanism, points, chosen))


def conditional(mechanism: Mechanism, hit: Floats, counts: Integers, top: Places) -> Floats:
    """Return the expected squared errors of elements given the hash functions: of noise and collisions.

    Parameters
    ----------
    hit : ndarray of float64, shape (T, D)
        From `hits`, of the elements that are asked for.
    counts, top
        As in `averaged`.

    Returns
    -------
    ndarray of float64, shape (T,)
        (E f̂ - f)² + Var f̂, in squared reports; f̂ is a + b·S(d), whose moments the mechanism gives.
    """
    part: Any = distribution_of(mechanism)
    mean, variance = part.moments(mechanism, hit, counts)
    far = 10**9
    at_zero, at_far = mechanism.debiased.estimate(np.array([0, far]), int(counts.sum()))
    slope = (at_far - at_zero) / far
    expected: Floats = (at_zero + slope * mean - counts[top]) ** 2 + slope**2 * variance
    return expected
