"""On which days a word stands out by itself."""

import datetime
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import plug_in_f2
from aggregation.mechanisms import Mechanism

# The first and the last of them.
Seen = tuple[datetime.date, datetime.date]


def days_seen(
    mechanism: Mechanism,
    counts: NDArray[np.int64],
    days: Sequence[datetime.date],
    reports: Sequence[int],
    shown: Sequence[int],
    alpha: float,
    least_f2: Callable[[int], float],
    prescribed_threshold: float | None = None,
) -> list[Seen | None]:
    """Return the first and last day on which each word passes that day's own threshold.

    Parameters
    ----------
    mechanism : Mechanism
        Gives estimates and thresholds of words.
    counts : ndarray of int64, shape (S, C)
        Exact read-outs of C candidates in each of S sealings.
    days : sequence of date, length S
        The day of each sealing, ascending; a day may have several, which are added up.
    reports : sequence of int, length S
        Reports in each.
    shown : sequence of int
        Indices of the words that are asked about.
    alpha : float
        For each word that nobody used, the expected number of days on which it passes: it is spread over the days.
    least_f2 : callable
        What F2 of so many reports is taken for at least: the candidates alone would leave out all other words.
    prescribed_threshold : float, optional
        In reports: what the threshold of each day is at least.

    Returns
    -------
    list
        For each word shown a pair of days, or None if it stands out on none by itself.

    Notes
    -----
    That the words exist is known from all days together; asked is only when. So α is about one word: the expected
    number of days that are wrongly named for it, if it is well above the threshold of all days. Near that it is up to
    some times α, because noise that raised a day helped to select the word; `docs/mathematics.md` has figures. Of a
    long list some words have a wrong day.
    """
    found: list[Seen | None] = [None] * len(shown)
    distinct = dict.fromkeys(days)
    for day in distinct:
        of_day = np.array([each == day for each in days])
        n = int(np.array(reports)[of_day].sum())
        estimate = mechanism.debiased.estimate(counts[of_day].sum(axis=0), n)
        f2 = max(plug_in_f2(mechanism.debiased, estimate, n), least_f2(n))
        threshold = max(mechanism.debiased.threshold(n, alpha / len(distinct), f2), prescribed_threshold or 0.0)
        for place, above in enumerate((estimate[list(shown)] >= threshold).tolist()):
            if above:
                before = found[place]
                found[place] = (day, day) if before is None else (before[0], day)
    return found
