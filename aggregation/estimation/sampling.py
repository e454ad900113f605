"""Sampling error, before any noise: other people might have reported."""

import numpy as np
from numpy.typing import NDArray


def sampling_variance(count: NDArray[np.float64], n: NDArray[np.int64] | int) -> NDArray[np.float64]:
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
    variance: NDArray[np.float64] = whole * (1 - whole / np.maximum(n, 1))
    return variance
