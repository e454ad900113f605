"""Detection power: how probably counts reach a threshold, and how large they have to be to do so."""

from collections.abc import Callable
from statistics import NormalDist
from typing import Final

import numpy as np

from ..arrays import Floats
from .estimators import Estimator

# 64^7 parts of 1: more exact than any share has to be.
_PARTS: Final = 64
_STEPS: Final = 7
# Far more than a normal number is ever away from its mean; a step of the table is 1/256, so that lines between its
# points are within 10^-6 of the curve.
_FAR: Final = 9
_TABLE: Final = np.linspace(-_FAR, _FAR, 2 * _FAR * 256 + 1)
_PROBABILITIES: Final = np.array([NormalDist().cdf(z) for z in _TABLE.tolist()])


def detection_power(
    estimator: Estimator, count: Floats, n: int, f2: float, threshold: float, more: Floats | float = 0.0
) -> Floats:
    """Return how probably estimates of these counts reach the threshold.

    Parameters
    ----------
    estimator : Estimator
        Gives the variance.
    count : ndarray of float64, shape (D,)
        True counts.
    n : int
        Number of reports, at least 1.
    f2 : float
        F2, the sum of the squares of all true counts.
    threshold : float
        T, in reports.
    more : float or ndarray of float64, shape (D,)
        Variance beside the estimator's.

    Returns
    -------
    ndarray of float64, shape (D,)
        Φ((f - T)/σ), within 10⁻⁶.
    """
    spread = np.sqrt(estimator.variance(count, n, f2) + more)
    return np.asarray(np.interp((count - threshold) / spread, _TABLE, _PROBABILITIES), np.float64)


def smallest_detectable(found: Callable[[Floats], Floats], probability: float) -> float:
    """Return the smallest share that is found with this probability; 1 if none is.

    Parameters
    ----------
    found : callable
        The probabilities to find shares, growing with these.
    probability : float
        Above 0 and below 1.

    Notes
    -----
    As bisection does, but by 64 parts a step: what takes time is not how many shares are looked at.
    """
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        shares = np.linspace(low, high, _PARTS + 1)
        # The first that is found as probably, and the one before; the last stands for what is nowhere found.
        place = min(int(np.argmax(np.append(found(shares[1:-1]) >= probability, True))), _PARTS - 1)
        low, high = float(shares[place]), float(shares[place + 1])
    return high
