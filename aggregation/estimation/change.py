"""Differences of mean shares between several windows and several others, all over one hash family.

The errors of windows are not independent. An element that collides in a row does so every day, so that no mean over
days makes that smaller: of a mix that stays as it is it cancels in a difference, and of one that changes it is left.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Integers
from .difference import collisions_of_one
from .estimators import Estimator
from .sampling import sampling_variance


@dataclass(frozen=True, eq=False)
class Windows:
    """Estimates of D elements from W windows without common reports.

    Parameters
    ----------
    count : ndarray of float64, shape (W, D)
        Estimated counts.
    n : ndarray of int64, shape (W,)
        Reports of each.
    f2 : ndarray of float64, shape (W,)
        Of each the F2 over all elements, in squared reports, of which the D are some; n² where it is not known.
    """

    count: Floats
    n: Integers
    f2: Floats

    @property
    def mean_share(self) -> Floats:
        mean: Floats = (self.count / self.n[:, None]).mean(axis=0)
        return mean


def variance_of_change(estimator: Estimator, before: Windows, after: Windows) -> Floats:
    """Return the variance of the difference of two mean shares, of either of which each window counts as much.

    Parameters
    ----------
    estimator : Estimator
        The estimator of all windows, with one hash family.
    before, after : Windows
        The two sides, over the same D elements. Reports that are on both make the variance returned too large.

    Returns
    -------
    ndarray of float64, shape (D,)
        In squared shares, over the noise, the choice of the hash family and who reported; rather too large.

    Notes
    -----
    With W(f, n) as in `estimate_differences`, whose derivation holds for means, too,

        Var(p̄₁ - p̄₂) = Σ W(f, n)/(n·w₁)² over the first w₁ windows + the same of the last + (Δ2 - δ²)/(k(m-1))

    where δ is the difference of the means of an element and Δ2 = Σδ² is over all elements. Of the D the δ are there,
    and what their noise adds makes Δ2 larger. Of all others δ² ≤ p̄₁² + p̄₂², and the squares of a mean sum to no more
    than the mean of the sums: F2 of a window, less the squares of the D.
    """
    together = collisions_of_one(estimator)
    change = after.mean_share - before.mean_share
    squares = float(np.dot(change, change)) + _squares_of_others(estimator, before)
    squares += _squares_of_others(estimator, after)
    variance: Floats = _independent(estimator, before) + _independent(estimator, after)
    return variance + together * np.maximum(squares - change**2, 0.0)


def _independent(estimator: Estimator, windows: Windows) -> Floats:
    """Return the variance of mean shares without what windows have in common."""
    found = np.zeros(windows.count.shape[1])
    for count, n in zip(windows.count, windows.n.tolist(), strict=True):
        found += (estimator.variance(count, n, 0.0) + sampling_variance(count, n)) / (n * len(windows.n)) ** 2
    return found


def _squares_of_others(estimator: Estimator, windows: Windows) -> float:
    """Return how large F2 of the elements that are not among these may be in the mean, in squared shares."""
    rest = [
        max(f2 - float((count**2 - estimator.variance(count, n, f2)).sum()), 0.0) / n**2
        for count, n, f2 in zip(windows.count, windows.n.tolist(), windows.f2.tolist(), strict=True)
    ]
    return float(np.mean(rest))
