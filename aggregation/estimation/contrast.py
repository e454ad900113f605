"""Each of several distributions against all others together: what may be said of published histograms."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats
from .difference import Estimated, PublishedSide
from .estimators import Estimator
from .intervals import adjusted_level, intervals
from .multiple_testing import conditional_p_values, tail_p_values
from .sampling import sampling_variance


@dataclass(frozen=True, eq=False)
class Contrasts:
    """L distributions of D elements, each against the mean of the others, in shares of reports.

    Parameters
    ----------
    others : ndarray of float64, shape (L, D)
        The mean of the others, each with the weight of its reports; NaN where one of them is below its threshold.
    others_at_least, others_at_most : ndarray of float64, shape (L, D)
        What is known of the mean's estimate: what is below a threshold adds nothing, or as much as its threshold.
    difference, lower, upper : ndarray of float64, shape (L, D)
        Own share minus that mean with its interval, adjusted for the number listed; NaN where either is not known.
    p_values : ndarray of float64, shape (L, D)
        Of the hypothesis that both are equal; 1 where nothing can be said.
    direction : ndarray of int8, shape (L, D)
        The sign of the difference, as far as it is known.
    """

    others: Floats
    others_at_least: Floats
    others_at_most: Floats
    difference: Floats
    lower: Floats
    upper: Floats
    p_values: Floats
    direction: NDArray[np.int8]


def contrast(estimator: Estimator, sides: Sequence[PublishedSide], known: Flags, confidence: float = 0.95) -> Contrasts:
    """Compare each of several published distributions with the mean of all others.

    Parameters
    ----------
    estimator : Estimator
        The estimator of all sides.
    sides : sequence of PublishedSide
        L of them, over the same D elements, without common reports.
    known : ndarray of bool, shape (L, D)
        Which elements a side counts at all. The others are in no mean, and have no contrast.
    confidence : float
        Of the intervals.

    Returns
    -------
    Contrasts

    Notes
    -----
    Errors are those of the estimates and of who reported, and are taken as independent: what hash functions make
    elements of several sides have in common would only lower the variance of a difference, where mixes are alike.

    Where all that takes part is above its threshold, p-values are `conditional_p_values`, given that the own estimate
    and the mean are above theirs. Where the own estimate or one of the others is below, the difference that is certain
    takes the place of the estimated one, and the p-value is that of the largest of all elements that it may have been
    chosen from, as in `bounded_p_values`.
    """
    n = np.array([side.n for side in sides], np.float64)[:, None]
    above = np.array([side.above for side in sides])
    share = np.array([side.count for side in sides]) / n
    threshold = np.array([side.threshold for side in sides])[:, None] / n
    weight = np.where(known, n, 0.0)
    rest = np.maximum(weight.sum(axis=0) - weight, 1.0)
    alone = weight.sum(axis=0) - weight <= 0

    def of_others(values: Floats) -> Floats:
        weighted = weight * values
        total: Floats = (weighted.sum(axis=0) - weighted) / rest
        return total

    least = of_others(np.where(above, share, 0.0))
    most = of_others(np.where(above, share, threshold))
    hidden = known & ~above
    complete = (hidden.sum(axis=0) - hidden) == 0
    # At one share for all, that of the larger side: of equal shares it is the variance, and else rather too large.
    own = np.where(above, share, threshold)
    common = np.where(above & complete, (weight * own + rest * least) / (weight + rest), np.maximum(own, most))
    variance = np.array(
        [_variance(side.own(estimator), at * side.n, side) for side, at in zip(sides, common, strict=True)]
    )
    of_mean = _of_mean(estimator, sides, common, weight, rest)
    total = variance + of_mean
    testable = known & ~alone
    both = testable & above & complete
    p_values = np.ones(share.shape)
    # Squares and steps are not needed here.
    estimated = Estimated(share, least, share - least, variance, of_mean, total, 0.0, 0.0, 0.0, 0.0)
    thresholds = np.broadcast_to(threshold, share.shape)
    p_values[both] = conditional_p_values(estimated.only(both), thresholds[both], of_others(thresholds)[both])
    # A difference is certain beyond all that the others may have, or below what they have at least.
    certain = np.where(
        above, np.maximum(share - most, 0.0) - np.maximum(least - share, 0.0), -np.maximum(least - threshold, 0.0)
    )
    chosen_from = np.array([max(side.size, 1) / max(int(side.above.sum()), 1) for side in sides])[:, None]
    bounded = testable & ~both
    p_values[bounded] = tail_p_values(np.abs(certain), total, np.broadcast_to(chosen_from, share.shape))[bounded]
    difference = np.where(both, share - least, np.nan)
    listed, size = int((above & known).sum()), sum(side.size for side in sides)
    lower, upper = intervals(difference, np.sqrt(total), adjusted_level(confidence, listed, size))
    return Contrasts(
        np.where(testable & complete, least, np.nan),
        least,
        most,
        difference,
        lower,
        upper,
        p_values,
        np.where(testable, np.sign(np.where(both, share - least, certain)), 0).astype(np.int8),
    )


def _variance(estimator: Estimator, count: Floats, side: PublishedSide) -> Floats:
    """Return the variance of a share, over noise, hash functions and who reported."""
    found: Floats = (estimator.variance(count, side.n, side.f2) + sampling_variance(count, side.n)) / side.n**2
    return found


def _of_mean(
    estimator: Estimator, sides: Sequence[PublishedSide], common: Floats, weight: Floats, rest: Floats
) -> Floats:
    """Return the variance of the mean of the others, if each of them has the share that is common to a contrast."""
    found = np.zeros(common.shape)
    for place, side in enumerate(sides):
        at_common = _variance(side.own(estimator), common * side.n, side)
        at_common *= (weight[place] / rest) ** 2
        at_common[place] = 0.0
        found += at_common
    return found
