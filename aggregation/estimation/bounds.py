"""Upper bounds of elements that are below the threshold."""

from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from .estimators import Estimator
from .sampling import sampling_variance

# Relative to n.
_TOLERANCE: Final = 1e-12
_QUICK_STEPS: Final = 16
_STEPS: Final = 60


def upper_bound_below_threshold(
    estimator: Estimator,
    threshold: float | NDArray[np.float64],
    n: int | NDArray[np.int64],
    f2: float | NDArray[np.float64],
    confidence: float = 0.95,
    *,
    drawn: bool = False,
) -> NDArray[np.float64]:
    """Return how frequent an element below the threshold is at most.

    Parameters
    ----------
    estimator : Estimator
        Gives the variance.
    threshold : float or ndarray of float64, shape (W,)
        T, in reports; of each of W histograms.
    n : int or ndarray of int64, shape (W,)
        Number of reports.
    f2 : float or ndarray of float64, shape (W,)
        F2, the sum of the squared true counts of all elements.
    confidence : float
        One-sided.
    drawn : bool
        Whether the bound is of what many people would report, of whom these reports are drawn; else of these reports.

    Returns
    -------
    ndarray of float64, shape (W,), or () for one histogram
        In reports, at most n: the count u for which an estimate is below T with probability ``1 - confidence``, that is
        u - z·se(u) = T. It is the same for all elements, because nothing is used of an estimate but that it is below T.

    Raises
    ------
    ParameterError
        If the confidence is not at least 0.5 and below 1.

    Notes
    -----
    Whatever an element's true count: that it is below T *and* above the bound has a probability of at most
    ``1 - confidence``. The normal approximation errs to the safe side where few reports make the noise skew, because
    the skewness is to the right, and what matters is the left tail.
    """
    if not 0.5 <= confidence < 1:
        raise ParameterError("confidence", f"confidence must be from 0.5 to below 1, not {confidence!r}.")
    z = NormalDist().inv_cdf(confidence)

    def error(count: NDArray[np.float64]) -> NDArray[np.float64]:
        variance = estimator.variance(count, n, f2)
        return z * np.sqrt(variance + sampling_variance(count, n) if drawn else variance)

    def hidden(count: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell whether such a count stays below T more often than is allowed."""
        return count - error(count) < threshold

    high = np.asarray(n, np.float64)
    low = np.clip(threshold, 0, high)
    all_of_it = hidden(high)
    # The error hardly depends on the count, so that a few steps find what solves it.
    near = low
    for _ in range(_QUICK_STEPS):
        before, near = near, np.minimum(np.maximum(threshold + error(near), low), high)
        if np.all(np.abs(near - before) <= _TOLERANCE * n):
            break
    beside = near + 2 * _TOLERANCE * n
    solved = (beside < high) & ~hidden(beside) & ((near <= low) | hidden(near - 2 * _TOLERANCE * n))
    if not np.all(solved | all_of_it):
        left, right = low, high
        for _ in range(_STEPS):
            middle = (left + right) / 2
            below = hidden(middle)
            left, right = np.where(below, middle, left), np.where(below, right, middle)
        beside = np.where(solved, beside, right)
    return np.where(all_of_it, high, beside)
