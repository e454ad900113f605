"""Estimates made consistent with what is known of all counts: none is below zero, and they sum to the reports."""

import numpy as np

from ..arrays import Floats
from ..errors import ParameterError


def consistent_counts(estimate: Floats, n: int) -> Floats:
    """Move all estimates by one number and drop what falls below zero, such that the rest sums to n (Norm-Sub).

    Parameters
    ----------
    estimate : ndarray of float64, shape (D,)
        Estimated counts of *every* element that can be reported. Of a dictionary that is not complete, the reports of
        what is missing would be given to the others.
    n : int
        Number of reports, which the true counts sum to.

    Returns
    -------
    ndarray of float64, shape (D,)
        max(f̂ + δ, 0) with the one δ that makes it sum to n; in the order of the estimates, but for equal zeros. It is
        the nearest such vector, by least squares.

    Raises
    ------
    ParameterError
        If n is not above 0, or there is no estimate.

    Notes
    -----
    Over a whole dictionary the error is smaller than that of the raw estimates, because most elements are rare and end
    at 0. But no single one is unbiased any more: frequent ones are too small by about what the noise of all others
    adds, and rare ones are 0. So these stand beside raw estimates, never in place of them, and have no interval.

    δ is found from sums over the sorted estimates: if the r largest stay above zero, it is (n - their sum)/r, and r is
    the largest number for which the r-th does. O(D log D).

    References
    ----------
    T. Wang, M. Lopuhaä-Zwakenberg, Z. Li, B. Skoric, N. Li, "Locally Differentially Private Frequency Estimation with
    Consistency" (2020), Norm-Sub.
    """
    if n <= 0:
        raise ParameterError("n", f"Consistent counts need at least one report, not {n}.")
    if not len(estimate):
        raise ParameterError("estimate", "There is no estimate to make consistent.")
    descending = -np.sort(-estimate)
    shifts = (n - np.cumsum(descending)) / np.arange(1, len(descending) + 1)
    # The largest alone stays above zero whatever its shift, because it is then n.
    kept = np.flatnonzero(descending + shifts > 0)[-1]
    consistent: Floats = np.maximum(estimate + shifts[kept], 0.0)
    return consistent
