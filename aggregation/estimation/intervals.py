"""Intervals: around every estimate, and wide enough for a selection."""

from statistics import NormalDist

from ..arrays import Floats


def intervals(estimate: Floats, standard_error: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the normal intervals ``estimate ± z·standard_error`` of a confidence level between 0 and 1.

    Returns
    -------
    tuple of ndarray of float64
        Lower and upper ends, in the unit and shape of the estimates.
    """
    z = -NormalDist().inv_cdf((1 - level) / 2)
    return estimate - z * standard_error, estimate + z * standard_error


def adjusted_level(confidence: float, shown: int, dictionary: int) -> float:
    """Return the level at which intervals of a selection hold the confidence.

    Parameters
    ----------
    confidence : float
        What is asked of the intervals shown, such as 0.95.
    shown : int
        How many elements were selected for being large; none counts as one.
    dictionary : int
        From how many.

    Returns
    -------
    float
        ``1 - (1 - confidence)·shown/dictionary``.

    References
    ----------
    Y. Benjamini and D. Yekutieli, "False discovery rate-adjusted multiple confidence intervals" (2005).
    """
    return 1 - (1 - confidence) * max(shown, 1) / max(dictionary, shown, 1)
