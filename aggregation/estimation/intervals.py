"""Intervals: around every estimate, and wide enough for a selection."""

from statistics import NormalDist

import numpy as np

from ..arrays import Floats, Integers


def normal_quantile(level: float | Floats) -> Floats:
    """Return quantiles of the standard normal distribution, in the shape of the levels, which are in (0, 1)."""
    levels = np.asarray(level, np.float64)
    return np.array([NormalDist().inv_cdf(each) for each in levels.ravel().tolist()]).reshape(levels.shape)


def intervals(estimate: Floats, standard_error: Floats, level: float | Floats) -> tuple[Floats, Floats]:
    """Return the normal intervals ``estimate ± z·standard_error`` of a confidence level between 0 and 1.

    Returns
    -------
    tuple of ndarray of float64
        Lower and upper ends, in the unit and shape of the estimates.
    """
    z = -normal_quantile((1 - level) / 2)
    return estimate - z * standard_error, estimate + z * standard_error


def adjusted_level(confidence: float, shown: int | Integers, dictionary: int | Integers) -> float | Floats:
    """Return the level at which intervals of a selection hold the confidence.

    Parameters
    ----------
    confidence : float
        What is asked of the intervals shown, such as 0.95.
    shown : int or ndarray of int64
        How many elements were selected for being large; none counts as one.
    dictionary : int or ndarray of int64
        From how many.

    Returns
    -------
    float or ndarray of float64
        ``1 - (1 - confidence)·shown/dictionary``.

    References
    ----------
    Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals" (2005).
    """
    at_least_one = np.maximum(shown, 1)
    level: float | Floats = 1 - (1 - confidence) * at_least_one / np.maximum(dictionary, at_least_one)
    return level
