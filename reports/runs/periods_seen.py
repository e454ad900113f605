"""Periods in which a word stands out by itself."""

import datetime
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Estimator, plug_in_f2
from reports.publication import Released

# The first day of the first of them, and the last day of the last.
Seen = tuple[datetime.date, datetime.date]


def periods_seen(
    estimators: Sequence[Estimator],
    counts: NDArray[np.int64],
    periods: Sequence[Released],
    shown: Sequence[int],
    alpha: float,
    least_f2: Callable[[int], float],
    prescribed_threshold: float | None = None,
) -> list[Seen | None]:
    """Return the days from the first to the last period in which each word passes that period's own threshold.

    Parameters
    ----------
    estimators : sequence of Estimator, length P
        Of the words of each period.
    counts : ndarray of int64, shape (P, C)
        Exact read-outs of C candidates in each of P periods.
    periods : sequence of Released, length P
        The periods.
    shown : sequence of int
        Indices of the words that are asked about.
    alpha : float
        For each word that was not used, the expected number of periods in which it passes: it is spread over them.
    least_f2 : callable
        What F2 of so many reports is taken for at least: the candidates alone would leave out all other words.
    prescribed_threshold : float, optional
        In reports: what the threshold of each period is at least.

    Returns
    -------
    list
        For each word shown a pair of days, or None if it stands out in no period by itself.

    Notes
    -----
    That the words exist is known from all periods together; asked is only when. So α is about one word: the expected
    number of periods that are wrongly named for it, if it is well above the threshold of all of them. Near that it is
    up to some times α, because noise that raised a period helped to select the word; `docs/mathematics.md` has figures.
    Of a long list some words have a wrong day.
    """
    found: list[Seen | None] = [None] * len(shown)
    for estimator, of_period, period in zip(estimators, counts, periods, strict=True):
        estimate = estimator.estimate(of_period, period.n)
        f2 = max(plug_in_f2(estimator, estimate, period.n), least_f2(period.n))
        threshold = estimator.threshold(period.n, alpha / len(periods), f2)
        above = estimate[list(shown)] >= max(threshold, prescribed_threshold or 0.0)
        for word in np.flatnonzero(above).tolist():
            before = found[word] or (period.first_day, period.last_day)
            found[word] = (min(before[0], period.first_day), max(before[1], period.last_day))
    return found
