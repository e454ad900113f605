"""Upper bounds of elements that are below the threshold."""

from typing import Final

import numpy as np

from ..arrays import Flags, Floats, Integers
from ..errors import ParameterError
from .estimators import Estimator
from .intervals import normal_quantile
from .sampling import sampling_variance

# Relative to n.
_TOLERANCE: Final = 1e-12
_QUICK_STEPS: Final = 16
_STEPS: Final = 60

# Named here: of a function in a function annotations are made anew by each call.


def upper_bound_below_threshold(
    estimator: Estimator,
    threshold: float | Floats,
    n: int | Integers,
    f2: float | Floats,
    confidence: float | Floats = 0.95,
    *,
    drawn: bool | Flags = False,
) -> Floats:
    """Return how frequent an element below the threshold is at most.

    Parameters
    ----------
    estimator : Estimator
        Gives the variance.
    threshold : float or ndarray of float64, shape (W,)
        T, in reports; of each of W histograms. All arrays are broadcast: bounds of W histograms at C confidences have
        the shape (W, C).
    n : int or ndarray of int64, shape (W,)
        Number of reports.
    f2 : float or ndarray of float64, shape (W,)
        F2, the sum of the squared true counts of all elements.
    confidence : float or ndarray of float64
        One-sided.
    drawn : bool or ndarray of bool
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
    levels = np.asarray(confidence, np.float64)
    if not np.all((levels >= 0.5) & (levels < 1)):
        raise ParameterError("confidence", f"confidence must be from 0.5 to below 1, not {confidence!r}.")
    z = normal_quantile(levels)
    of_people = np.any(drawn)

    def variance(count: Floats) -> Floats:
        found = estimator.variance(count, n, f2)
        return found + drawn * sampling_variance(count, n) if of_people else found

    def hidden(count: Floats) -> Flags:
        """Tell whether such a count stays below T more often than is allowed."""
        below: Flags = count - z * np.sqrt(variance(count)) < threshold
        return below

    low, high, *_others = np.broadcast_arrays(np.clip(threshold, 0.0, n), np.asarray(n, np.float64), f2, z, drawn)
    # Where the threshold is some standard errors, the bound is between it and twice as much.
    reach = np.maximum(low, 1.0)
    *around, of_all = variance(np.array([low, low + reach / 2, low + reach, high]))
    all_of_it = high - z * np.sqrt(of_all) < threshold
    near = np.minimum(np.maximum(low + _if_quadratic(low - threshold, z, reach, *around), low), high)
    # Any error hardly depends on the count, so that a few steps find what solves it. Each stays when it is found: none
    # depends on those that it is computed with.
    found = np.zeros(near.shape, bool)
    for _ in range(_QUICK_STEPS):
        step = np.minimum(np.maximum(threshold + z * np.sqrt(variance(near)), low), high)
        before, near = near, np.where(found, near, step)
        found |= np.abs(near - before) <= _TOLERANCE * n
        if found.all():
            break
    beside = near + 2 * _TOLERANCE * n
    too_low, too_high = hidden(np.array([beside, near - 2 * _TOLERANCE * n]))
    solved = (beside < high) & ~too_low & ((near <= low) | too_high)
    if not np.all(solved | all_of_it):
        left, right = low, high
        for _ in range(_STEPS):
            middle = (left + right) / 2
            below = hidden(middle)
            left, right = np.where(below, middle, left), np.where(below, right, middle)
        beside = np.where(solved, beside, right)
    return np.where(all_of_it, high, beside)


def _if_quadratic(above: Floats, z: Floats, reach: Floats, here: Floats, between: Floats, there: Floats) -> Floats:
    """Return how much farther a count, ``above`` the threshold by so much, is from the bound.

    The variance is given at the count, at half of the reach beyond it, and at the whole. It is taken for a quadratic
    function, which it mostly is.
    """
    linear = (4 * between - 3 * here - there) / reach
    curvature = 2 * (here - 2 * between + there) / reach**2
    # (above + x)² = z²(here + linear·x + curvature·x²), for x = 0 where nothing solves it.
    a, b, c = 1 - z**2 * curvature, z**2 * linear / 2 - above, above**2 - z**2 * here
    root = b + np.sqrt(np.maximum(b**2 - a * c, 0.0))
    return np.where(a > 0, root / np.where(a > 0, a, 1.0), 0.0)
