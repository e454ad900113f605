"""Estimates with their errors and intervals, and which of them stand out from the noise."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Flags, Floats, Integers, Places
from ..errors import ParameterError
from .estimators import Estimator, OfEach
from .intervals import adjusted_level, intervals
from .second_moment import plug_in_f2


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Estimates in counts of reports, and which of them stand out.

    ``lower`` and ``upper`` hold the confidence over all of them as a whole; ``adjusted_lower`` and ``adjusted_upper``
    hold it among those of ``above``, which are selected for being large.
    """

    n: OfEach
    estimate: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    adjusted_lower: Floats
    adjusted_upper: Floats
    above: Flags


@dataclass(frozen=True, kw_only=True)
class Summary(Selection):
    """Estimates over a whole dictionary of D elements."""

    f2: OfEach
    threshold: OfEach


@dataclass(frozen=True, kw_only=True)
class GroupSummary(Selection):
    """Estimates of G groups of elements; each has as many members and its own threshold."""

    members: Integers
    threshold: Floats


def summarize(
    estimator: Estimator,
    read_out: Integers,
    n: int,
    false_positive_rate: float,
    confidence: float = 0.95,
    f2: float | None = None,
    size: int | None = None,
    prescribed_threshold: float | None = None,
) -> Summary:
    """Turn exact read-outs into estimates with errors, and find those above the noise.

    Parameters
    ----------
    estimator : Estimator
        The estimator, of the mechanism the reports were made with.
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
    size : int, optional
        Of how many elements the rate and the selection are, where these are only some of them; else D.
    prescribed_threshold : float, optional
        In reports: the threshold is the larger of it and the statistical one, which the rate gives.

    Returns
    -------
    Summary

    Raises
    ------
    ParameterError
        If ``false_positive_rate`` or ``confidence`` is not between 0 and 1, or n is negative.

    Notes
    -----
    The statistical threshold is the estimate of the smallest integer that is rare enough, computed by the same
    function, so ``above`` is the comparison of two integers unless the prescribed one is larger.
    """
    _check(n, false_positive_rate, confidence)
    if size is None:
        size = len(read_out)
    estimate = estimator.estimate(read_out, n)
    if f2 is None:
        f2 = plug_in_f2(estimator, estimate, n)
    standard_error = np.sqrt(estimator.variance(estimate, n, f2))
    statistical = estimator.threshold(n, false_positive_rate / max(size, 1), f2)
    threshold = max(statistical, prescribed_threshold or 0.0)
    selection = _select(estimate, standard_error, estimate >= threshold, confidence, size)
    return Summary(n=n, f2=f2, threshold=threshold, **selection)


def published(
    estimator: Estimator,
    estimate: Floats,
    above: Flags,
    n: OfEach,
    f2: OfEach,
    threshold: OfEach,
    size: OfEach,
    confidence: float = 0.95,
) -> Summary:
    """Return the summary of elements of which some are listed in a published histogram, selected from ``size``.

    Of those that are not, nothing in it means anything but that they are not ``above``. Of W histograms arrays have the
    shape (W, D), and numbers (W, 1).
    """
    standard_error = np.sqrt(estimator.variance(estimate, n, f2))
    return Summary(n=n, f2=f2, threshold=threshold, **_select(estimate, standard_error, above, confidence, size))


def summarize_groups(
    estimator: Estimator,
    read_out: Integers,
    n: int,
    group_index: Places,
    num_groups: int,
    false_positive_rate: float,
    confidence: float = 0.95,
    f2: float | None = None,
    prescribed_threshold: float | None = None,
) -> GroupSummary:
    """Turn exact read-outs into estimates of groups of elements, and find the groups above the noise.

    Parameters
    ----------
    estimator, read_out, n, confidence
        As for `summarize`.
    group_index : ndarray of int, shape (D,)
        The group of each element, 0 … num_groups - 1; negative if it is in none.
    num_groups : int
        Number of groups, G. A group without elements has the estimate 0, the threshold infinity, and is not above.
    false_positive_rate : float
        Expected number of groups without any report that pass their thresholds, over all groups.
    f2 : float, optional
        F2 as `Summary` of the same read-outs has it, where that is known already.
    prescribed_threshold : float, optional
        In reports: no group's threshold is below it.

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
        f2 = plug_in_f2(estimator, estimator.estimate(read_out, n), n)
    # A group without members is computed as if it had one, and stays below its threshold.
    counted = np.maximum(members, 1)
    estimate = np.where(members > 0, estimator.estimate(sums, n, counted), 0.0)
    standard_error = np.where(members > 0, np.sqrt(estimator.variance(estimate, n, f2, counted)), 0.0)
    alpha = false_positive_rate / max(num_groups, 1)
    sizes, size_of = np.unique(members, return_inverse=True)
    of_size = [estimator.threshold(n, alpha, f2, size) if size else math.inf for size in sizes.tolist()]
    threshold = np.maximum(np.array(of_size, np.float64)[size_of], prescribed_threshold or 0.0)
    selection = _select(estimate, standard_error, estimate >= threshold, confidence, num_groups)
    return GroupSummary(n=n, members=members, threshold=threshold, **selection)


def _select(
    estimate: Floats, standard_error: Floats, above: Flags, confidence: float, size: int | Integers
) -> dict[str, Any]:
    """Return the fields of a `Selection` from so many elements or groups."""
    ends = {}
    adjusted = adjusted_level(confidence, above.sum(axis=-1, keepdims=above.ndim > 1), size)
    for prefix, level in (("", confidence), ("adjusted_", adjusted)):
        ends[f"{prefix}lower"], ends[f"{prefix}upper"] = intervals(estimate, standard_error, level)
    return {"estimate": estimate, "standard_error": standard_error, "above": above, **ends}


def _check(n: int, false_positive_rate: float, confidence: float) -> None:
    for field, value in (("false_positive_rate", false_positive_rate), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ParameterError(field, f"{field} must be above 0 and below 1, not {value!r}.")
    if n < 0:
        raise ParameterError("n", f"The number of reports cannot be {n}.")
