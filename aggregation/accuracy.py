"""What may be said of estimates: their errors, intervals, and which of them stand out from the noise."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aggregation.errors import ParameterError
from aggregation.mechanisms.base import Mechanism

# They leave 10^-12 of n^2.
_BISECTIONS: Final = 40


@dataclass(frozen=True)
class Summary:
    """Estimates over a whole dictionary of D elements, in counts of reports.

    ``lower`` and ``upper`` hold the confidence over the dictionary as a whole; ``adjusted_lower`` and
    ``adjusted_upper`` hold it among the elements of ``above``, which are selected for being large.
    """

    n: int
    estimate: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    adjusted_lower: NDArray[np.float64]
    adjusted_upper: NDArray[np.float64]
    threshold: float
    above: NDArray[np.bool_]


def plug_in_f2(mechanism: Mechanism, estimate: NDArray[np.float64], n: int) -> float:
    """Estimate F2, the sum of the squared true counts, from noisy ones.

    Parameters
    ----------
    mechanism : Mechanism
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

    Notes
    -----
    Putting F2 in and taking it out again finds the solution only while D < k(m-1) (more swings up and down), so it is
    bisected.
    """
    squares = float(np.dot(estimate, estimate))
    low, high = float(n), float(n) ** 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle + float(mechanism.variance(estimate, n, middle).sum()) < squares:
            low = middle
        else:
            high = middle
    return low


def intervals(
    estimate: NDArray[np.float64], standard_error: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the normal intervals ``estimate ± z·standard_error`` of a confidence level, as lower and upper ends."""
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


def summarize(
    mechanism: Mechanism,
    read_out: NDArray[np.int64],
    n: int,
    false_positive_rate: float,
    confidence: float = 0.95,
) -> Summary:
    """Turn exact read-outs into estimates with errors, and find those above the noise.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism the reports were made with.
    read_out : ndarray of int64, shape (D,)
        One integer per element of the whole dictionary, as `Mechanism.read_out` gives it (sums over rows, days and
        groups included).
    n : int
        Number of reports behind it.
    false_positive_rate : float
        Expected number of elements without any report that pass the threshold, over the whole dictionary.
    confidence : float
        Of both kinds of interval.

    Returns
    -------
    Summary

    Raises
    ------
    ParameterError
        If ``false_positive_rate`` or ``confidence`` is not between 0 and 1, or n is negative.

    Notes
    -----
    ``above`` compares with the estimate of the smallest integer that is rare enough, computed by the same function, so
    it is the comparison of two integers.
    """
    for field, value in (("false_positive_rate", false_positive_rate), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ParameterError(field, f"{field} must be above 0 and below 1, not {value!r}.")
    if n < 0:
        raise ParameterError("n", f"The number of reports cannot be {n}.")
    size = len(read_out)
    estimate = mechanism.estimate(read_out, n)
    f2 = plug_in_f2(mechanism, estimate, n)
    standard_error = np.sqrt(mechanism.variance(estimate, n, f2))
    threshold = mechanism.threshold(n, false_positive_rate / max(size, 1), f2)
    above = estimate >= threshold
    level = adjusted_level(confidence, int(above.sum()), size)
    lower, upper = intervals(estimate, standard_error, confidence)
    adjusted_lower, adjusted_upper = intervals(estimate, standard_error, level)
    return Summary(n, estimate, standard_error, lower, upper, adjusted_lower, adjusted_upper, threshold, above)
