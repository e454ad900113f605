"""What may be said of an element that is below the threshold: how frequent it is at most."""

import math
from statistics import NormalDist
from typing import Final

import numpy as np

from aggregation.errors import ParameterError
from aggregation.mechanisms.base import Mechanism

# Of n.
_TOLERANCE: Final = 1e-12
_QUICK_STEPS: Final = 6
_STEPS: Final = 60


def upper_bound_below_threshold(
    mechanism: Mechanism, threshold: float, n: int, f2: float, confidence: float = 0.95
) -> float:
    """Return how frequent an element below the threshold is at most.

    Parameters
    ----------
    mechanism : Mechanism
        Gives the variance.
    threshold : float
        T, in reports.
    n : int
        Number of reports.
    f2 : float
        F2, the sum of the squared true counts of all elements.
    confidence : float
        One-sided.

    Returns
    -------
    float
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

    def error(count: float) -> float:
        return z * math.sqrt(float(mechanism.variance(np.array([count]), n, f2)[0]))

    def hidden(count: float) -> bool:
        """Whether such a count stays below T more often than is allowed."""
        return count - error(count) < threshold

    low, high = min(max(threshold, 0.0), float(n)), float(n)
    if hidden(high):
        return high
    # The error hardly depends on the count, so that a few steps find what solves it.
    near = low
    for _ in range(_QUICK_STEPS):
        before, near = near, min(max(threshold + error(near), low), high)
        if abs(near - before) <= _TOLERANCE * n:
            break
    beside = near + 2 * _TOLERANCE * n
    if beside < high and not hidden(beside) and (near <= low or hidden(near - 2 * _TOLERANCE * n)):
        return beside
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if hidden(middle):
            low = middle
        else:
            high = middle
    return high
