"""Sums of squares that a variance needs, found from noisy estimates which the variance is of."""

from collections.abc import Callable
from typing import Final

import numpy as np

from ..arrays import Floats
from .estimators import Estimator

# To what part of the largest possible sum it is found. Every second step halves what is left, so the steps suffice.
_TOLERANCE: Final = 1e-12
_MOST_STEPS: Final = 80


def plug_in_f2(estimator: Estimator, estimate: Floats, n: int) -> float:
    """Estimate F2, the sum of the squared true counts, from noisy ones.

    Parameters
    ----------
    estimator : Estimator
        Gives the variance of each estimate.
    estimate : ndarray of float64, shape (D,)
        Estimated counts of the whole dictionary.
    n : int
        Number of reports.

    Returns
    -------
    float
        The solution of F2 = Σ(f̂² - se²), in which each se² grows with F2; at least n and at most n², for whole counts
        that sum to n allow no other. Squares of clipped estimates would be mostly noise.
    """

    def variances(f2: float) -> float:
        return float(estimator.variance(estimate, n, f2).sum())

    return solve_sum_of_squares(float(np.dot(estimate, estimate)), variances, float(n), float(n) ** 2)


def solve_sum_of_squares(squares: float, variances: Callable[[float], float], low: float, high: float) -> float:
    """Return the sum of true squares x between the bounds with x = squares - variances(x).

    Parameters
    ----------
    squares : float
        The sum of the squared estimates.
    variances : callable
        The sum of their variances, growing with x.
    low, high : float
        What x is at least and at most; returned if the solution is not between them.

    Notes
    -----
    Putting x in and taking it out again finds the solution only while D < k(m-1) (more swings up and down), so it is
    bracketed. Variances are straight lines in x, but where they are held above 0: the chord between the ends then
    meets the solution at once, and bisection is for the rest.
    """

    def excess(x: float) -> float:
        return x + variances(x) - squares

    below, above = excess(low), excess(high)
    if below >= 0 or above <= 0:
        return low if below >= 0 else high
    tolerance = _TOLERANCE * high
    for step in range(_MOST_STEPS):
        middle = low - below * (high - low) / (above - below) if step % 2 == 0 else (low + high) / 2
        found = excess(middle)
        if abs(found) <= tolerance or high - low <= tolerance:
            return middle
        if found < 0:
            low, below = middle, found
        else:
            high, above = middle, found
    return low
