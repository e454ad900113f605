"""Sampling error, before any noise: other people might have reported."""

import numpy as np

from ..arrays import Floats, Integers


def sampling_variance(count: Floats, n: Integers | int) -> Floats:
    """Return the variance of counts of n reports that are drawn independently, with the shares that are counted here.

    Parameters
    ----------
    count : ndarray of float64, shape (D,)
        Estimated counts; below 0 they are taken as 0, and above n as n.
    n : int or ndarray of int64
        Number of reports.

    Returns
    -------
    ndarray of float64, shape (D,)
        n·p(1 - p) with p = count/n.
    """
    whole = np.minimum(np.maximum(count, 0), n)
    variance: Floats = whole * (1 - whole / np.maximum(n, 1))
    return variance
