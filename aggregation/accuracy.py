"""What may be said of estimates: their errors, intervals, and which of them stand out from the noise."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aggregation.errors import ParameterError
from aggregation.mechanisms.base import Mechanism

# To what part of n^2 F2 is found. Every second step halves what is left, so that the steps suffice.
_TOLERANCE: Final = 1e-12
_MOST_STEPS: Final = 80


@dataclass(frozen=True)
class Summary:
    """Estimates over a whole dictionary of D elements, in counts of reports.

    ``lower`` and ``upper`` hold the confidence over the dictionary as a whole; ``adjusted_lower`` and
    ``adjusted_upper`` hold it among the elements of ``above``, which are selected for being large.
    """

    n: int
    f2: float
    estimate: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    adjusted_lower: NDArray[np.float64]
    adjusted_upper: NDArray[np.float64]
    threshold: float
    above: NDArray[np.bool_]


@dataclass(frozen=True)
class GroupSummary:
    """Estimates of G groups of elements, in counts of reports; each has as many members and its own threshold.

    The intervals are as in `Summary`, over the groups.
    """

    n: int
    members: NDArray[np.int64]
    estimate: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    adjusted_lower: NDArray[np.float64]
    adjusted_upper: NDArray[np.float64]
    threshold: NDArray[np.float64]
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
    bracketed. Variances are straight lines in F2, but where they are held above 0: the chord between the ends then
    meets the solution at once, and bisection is for the rest.
    """
    squares = float(np.dot(estimate, estimate))

    def excess(f2: float) -> float:
        return f2 + float(mechanism.variance(estimate, n, f2).sum()) - squares

    low, high = float(n), float(n) ** 2
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
    f2: float | None = None,
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
    f2 : float, optional
        F2 of all elements, where these are not all of them.

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
    _check(n, false_positive_rate, confidence)
    size = len(read_out)
    estimate = mechanism.estimate(read_out, n)
    if f2 is None:
        f2 = plug_in_f2(mechanism, estimate, n)
    standard_error = np.sqrt(mechanism.variance(estimate, n, f2))
    threshold = mechanism.threshold(n, false_positive_rate / max(size, 1), f2)
    above = estimate >= threshold
    level = adjusted_level(confidence, int(above.sum()), size)
    lower, upper = intervals(estimate, standard_error, confidence)
    adjusted_lower, adjusted_upper = intervals(estimate, standard_error, level)
    return Summary(n, f2, estimate, standard_error, lower, upper, adjusted_lower, adjusted_upper, threshold, above)


def summarize_groups(
    mechanism: Mechanism,
    read_out: NDArray[np.int64],
    n: int,
    group_index: NDArray[np.intp],
    num_groups: int,
    false_positive_rate: float,
    confidence: float = 0.95,
    f2: float | None = None,
) -> GroupSummary:
    """Turn exact read-outs into estimates of groups of elements, and find the groups above the noise.

    Parameters
    ----------
    mechanism, read_out, n, confidence
        As for `summarize`.
    group_index : ndarray of int, shape (D,)
        The group of each element, 0 … num_groups - 1; negative if it is in none.
    num_groups : int
        Number of groups, G. A group without elements has the estimate 0, the threshold infinity, and is not above.
    false_positive_rate : float
        Expected number of groups without any report that pass their thresholds, over all groups.
    f2 : float, optional
        F2 as `Summary` of the same read-outs has it, where that is known already.

    Returns
    -------
    GroupSummary

    Raises
    ------
    ParameterError
        As `summarize` does; or if there is not one index for each element, or an index has no group.

    Notes
    -----
    A group is the sum of the read-outs of all its members, not of the estimates that are shown: those were selected for
    being large. Errors take F2 over the elements, because collisions are theirs.
    """
    _check(n, false_positive_rate, confidence)
    if len(group_index) != len(read_out) or (group_index >= num_groups).any():
        raise ParameterError("group_index", f"There must be one index below {num_groups} for each of the elements.")
    grouped = group_index >= 0
    members = np.bincount(group_index[grouped], minlength=num_groups).astype(np.int64)
    # Not bincount, which adds up float64.
    sums = np.zeros(num_groups, np.int64)
    np.add.at(sums, group_index[grouped], read_out[grouped])
    if f2 is None:
        f2 = plug_in_f2(mechanism, mechanism.estimate(read_out, n), n)
    # A group without members is computed as if it had one, and stays below its threshold.
    counted = np.maximum(members, 1)
    estimate = np.where(members > 0, mechanism.estimate(sums, n, counted), 0.0)
    standard_error = np.where(members > 0, np.sqrt(mechanism.variance(estimate, n, f2, counted)), 0.0)
    alpha = false_positive_rate / max(num_groups, 1)
    sizes, size_of = np.unique(members, return_inverse=True)
    of_size = [mechanism.threshold(n, alpha, f2, size) if size else math.inf for size in sizes.tolist()]
    threshold = np.array(of_size, np.float64)[size_of]
    above = estimate >= threshold
    level = adjusted_level(confidence, int(above.sum()), num_groups)
    lower, upper = intervals(estimate, standard_error, confidence)
    adjusted_lower, adjusted_upper = intervals(estimate, standard_error, level)
    return GroupSummary(
        n, members, estimate, standard_error, lower, upper, adjusted_lower, adjusted_upper, threshold, above
    )


def _check(n: int, false_positive_rate: float, confidence: float) -> None:
    for field, value in (("false_positive_rate", false_positive_rate), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ParameterError(field, f"{field} must be above 0 and below 1, not {value!r}.")
    if n < 0:
        raise ParameterError("n", f"The number of reports cannot be {n}.")
