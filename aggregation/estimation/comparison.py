"""Two estimated distributions side by side: what may be shown of their differences, and which of them are real."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats
from ..errors import ParameterError
from .bounds import upper_bound_below_threshold
from .difference import AnySide, Estimated, PublishedSide, Side, at, check_sides, estimate_differences, if_equal
from .estimators import Estimator, OfEach
from .intervals import adjusted_level, normal_quantile
from .multiple_testing import benjamini_hochberg, beside_intervals, bounded_p_values, conditional_p_values
from .second_moment import plug_in_f2
from .summaries import Summary, published, summarize


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences p₁ - p₂ of D elements, in shares of reports; ``first`` and ``second`` are in counts.

    Of W comparisons at once, arrays have the shape (W, D), and numbers (W, 1).

    Parameters
    ----------
    first, second : Summary
        Either side by itself.
    listed : ndarray of bool, shape (D,)
        Above the threshold on at least one side; of nothing else a difference is stated.
    difference : ndarray of float64, shape (D,)
        Where both sides are above their thresholds, else NaN: it would give the side away that is not.
    standard_error : ndarray of float64, shape (D,)
        Of p̂₁ - p̂₂, over noise, the hash family and who reported.
    lower, upper : ndarray of float64, shape (D,)
        Of what is listed, else NaN. Where both sides are above: an interval that holds the confidence among the
        listed. Where one is: bounds for which nothing is used of the other but that it is below.
    significant : ndarray of bool, shape (D,)
        Clearly different. Where both sides are above: if the interval excludes 0, and at the false discovery rate among
        these. Where one is: if the
        bounds exclude 0, at a confidence of at least ``1 - fdr``, so that nothing more is told of the side that is
        below.
    direction : ndarray of int8, shape (D,)
        Of what is significant, which side has more: the sign of p₁ - p₂; else 0.
    p_values : ndarray of float64, shape (D,)
        Of what is listed, else NaN: for those who test several comparisons together. Where both sides are above,
        `conditional_p_values`; where one is, `bounded_p_values`.
    threshold_first, threshold_second : float
        The thresholds.
    bound_first, bound_second : float
        How large the share of an element below the threshold of that side is at most, at the confidence: of what was
        reported, like ``first`` and ``second``.
    level : float
        The level of ``lower`` and ``upper``, adjusted for the number listed.
    """

    first: Summary
    second: Summary
    listed: Flags
    difference: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    significant: Flags
    direction: NDArray[np.int8]
    p_values: Floats
    threshold_first: OfEach
    threshold_second: OfEach
    bound_first: OfEach
    bound_second: OfEach
    level: OfEach


def compare(
    estimator: Estimator,
    first: AnySide,
    second: AnySide,
    *,
    alpha: float,
    confidence: float = 0.95,
    fdr: float = 0.05,
    shared: Side | None = None,
    size: OfEach = None,
) -> Differences:
    """Compare two estimated distributions over the same D elements; stacked sides, W of each, in pairs.

    Parameters
    ----------
    estimator : Estimator
        The estimator of both sides' read-outs, with one hash family, but for a side that has its own. Of words, those
        found on either side, read out of both word sketches, with ``f2`` and ``size`` of either side given.
    first, second : Side or PublishedSide
        Of at least one report each.
    alpha : float
        Expected number of elements without any report that pass the threshold of one side.
    confidence : float
        Of intervals (two-sided) and bounds (one-sided).
    fdr : float
        What part of the significant differences between sides that are both above are expected to be none, at most.
    shared : Side, optional
        The reports that are counted on both sides, where windows overlap.
    size : int, optional
        From how many elements those above the threshold on a side were selected; if left out, from all of both sides.

    Returns
    -------
    Differences

    Raises
    ------
    ParameterError
        If a rate is not between 0 and 1, a side has no report, read-outs have different lengths, or more reports are
        shared than a side has.

    Notes
    -----
    Differences are about the people that reports come from: errors allow for who happened to report. (Intervals of the
    shares of either side do not. They are about what was reported.)

    Tested are those with both sides above, with p-values that know how these were chosen (`conditional_p_values`).
    Where one side is below its threshold, the ends decide, which follow from numbers that are published. Of differences
    that are not stated nothing is used, not even for the errors of others.

    Intervals are those of Benjamini and Yekutieli (2005): at ``1 - (1 - confidence)·R/D`` when R of D are listed. None
    of a significant difference contains 0: the test counts a p-value as 1 where one does, which keeps its rate. Not
    each that leaves 0 out is of a significant one, because the test also allows for how many are tested.

    Bounds with one side below its threshold: p₁ - p₂ is at most the upper end of p₁, because p₂ is not negative, and at
    least the lower end of p₁ less the bound of p₂, each of these two at half of the error of one end.
    """
    if not 0 < fdr < 1:
        raise ParameterError("fdr", f"fdr must be above 0 and below 1, not {fdr!r}.")
    check_sides(first, second, shared)
    summary1 = _summary(estimator, first, alpha, confidence)
    summary2 = _summary(estimator, second, alpha, confidence)
    both = summary1.above & summary2.above
    estimated = estimate_differences(estimator, first, second, shared, known=both)
    listed = summary1.above | summary2.above
    thresholds = summary1.threshold / first.n, summary2.threshold / second.n
    number = listed.sum(axis=-1, keepdims=listed.ndim > 1)
    if size is None:
        sizes = (0 if side.size is None else side.size for side in (first, second))
        size = np.maximum(listed.shape[-1], sum(sizes))
    size = np.maximum(number, size)
    level = adjusted_level(confidence, number, size)
    estimators = first.own(estimator), second.own(estimator)
    # A row with one side above can have more only. Who allows fewer false ones asks more of these, too.
    strict = adjusted_level(max(confidence, 1 - fdr), number, size)
    summaries = summary1, summary2
    (bound1, *hidden1), (bound2, *hidden2) = _bounds(estimators, summaries, confidence, level, strict)
    lower, upper = _ends(estimated, summary1, summary2, level, (hidden1[0], hidden2[0]))
    least, most = _ends(estimated, summary1, summary2, strict, (hidden1[1], hidden2[1]))
    direction = (summary1.above & ~both & (least > 0)).astype(np.int8) - (summary2.above & ~both & (most < 0))
    first, second = (replace(side, n=at(side.n, both)) for side in (first, second))
    chosen = if_equal(estimator, estimated.only(both), first, second, shared)
    p_values = _bounded(*estimators, estimated, summary1, summary2, np.maximum(size, 1) / np.maximum(number, 1))
    p_values[both] = conditional_p_values(chosen, *(at(threshold, both) for threshold in thresholds))
    tested = beside_intervals(p_values, lower, upper)
    for row in np.ndindex(both.shape[:-1]):
        own = both[row]
        clear = benjamini_hochberg(tested[row][own], fdr)
        direction[row][own] = np.where(clear, np.sign(estimated.difference[row][own]), 0)
    return Differences(
        summary1,
        summary2,
        listed,
        np.where(both, estimated.difference, np.nan),
        np.sqrt(estimated.variance),
        np.where(listed, lower, np.nan),
        np.where(listed, upper, np.nan),
        direction != 0,
        direction,
        p_values,
        *thresholds,
        bound1,
        bound2,
        level,
    )


def _bounded(
    first_estimator: Estimator,
    second_estimator: Estimator,
    estimated: Estimated,
    first: Summary,
    second: Summary,
    chosen_from: OfEach,
) -> Floats:
    """Return the p-values of elements with one side below its threshold, else NaN."""
    found = np.full(first.above.shape, np.nan)
    for only, below, own, share, variance in (
        (first.above & ~second.above, second, second_estimator, estimated.first, estimated.first_variance),
        (second.above & ~first.above, first, first_estimator, estimated.second, estimated.second_variance),
    ):
        known = (at(value, only) for value in (below.threshold, below.n, below.f2, chosen_from))
        found[only] = bounded_p_values(own, share[only], variance[only], *known)
    return found


def _summary(estimator: Estimator, side: AnySide, alpha: float, confidence: float) -> Summary:
    own = side.own(estimator)
    if isinstance(side, PublishedSide):
        return published(own, side.count, side.above, side.n, side.f2, side.threshold, side.size, confidence)
    f2 = plug_in_f2(own, own.estimate(side.read_out, side.n), side.n)
    return summarize(
        own,
        side.read_out,
        side.n,
        alpha,
        confidence,
        max(side.f2 or 0.0, f2),
        side.size,
        side.prescribed_threshold,
    )


def _bounds(
    estimators: tuple[Estimator, Estimator], summaries: tuple[Summary, Summary], confidence: float, *levels: OfEach
) -> OfEach:
    """Return, of each side, how large a share below its threshold is at most.

    First that of what was reported, at the confidence, and then of what people would report, at the level of one of two
    ends that are the edges of an interval at each of the levels.
    """
    at_levels = np.array([np.full_like(levels[0], confidence), *(1 - (1 - level) / 4 for level in levels)])
    drawn = (np.arange(len(at_levels)) > 0).reshape(-1, *(1,) * np.ndim(levels[0]))
    sides: OfEach = np.array([(side.threshold, side.n, side.f2) for side in summaries], np.float64)[:, :, None]
    threshold, n, f2 = np.swapaxes(sides, 0, 1)
    if estimators[0] is estimators[1]:
        found = upper_bound_below_threshold(estimators[0], threshold, n, f2, at_levels, drawn=drawn)
    else:
        found = np.array(
            [
                upper_bound_below_threshold(own, of_side[0], of_side[1], of_side[2], at_levels, drawn=drawn)
                for own, of_side in zip(estimators, sides, strict=True)
            ]
        )
    return found / n


def _ends(
    estimated: Estimated, first: Summary, second: Summary, level: OfEach, at_most: tuple[OfEach, OfEach]
) -> tuple[Floats, Floats]:
    """Return lower and upper ends at the level, for elements that are above a threshold on at least one side.

    A share below the threshold of either side is ``at_most`` so large.
    """
    error = 1 - level
    whole, half = (normal_quantile(1 - part) for part in (error / 2, error / 4))
    spread = whole * np.sqrt(estimated.variance)
    lower, upper = estimated.difference - spread, estimated.difference + spread
    spread1, spread2 = np.sqrt(estimated.first_variance), np.sqrt(estimated.second_variance)
    # p₂ is hidden, then p₁.
    hidden = first.above & ~second.above
    if hidden.any():
        lower = np.where(hidden, estimated.first - half * spread1 - at_most[1], lower)
        upper = np.where(hidden, estimated.first + whole * spread1, upper)
    hidden = second.above & ~first.above
    if hidden.any():
        lower = np.where(hidden, -(estimated.second + whole * spread2), lower)
        upper = np.where(hidden, at_most[0] - (estimated.second - half * spread2), upper)
    return lower, upper
