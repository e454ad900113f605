"""How rare a word may be and still be found."""

import math
from statistics import NormalDist
from typing import Final

import numpy as np

from ..mechanisms import SequenceFragmentPuzzle
from ..mechanisms.count_mean_sketch import CountMeanSketch
from .cutting import Cut

_STEPS: Final = 60


def detection_probability(
    mechanism: SequenceFragmentPuzzle,
    share: float,
    n: int,
    f2: float,
    threshold: float,
    cut: Cut,
) -> float:
    """Return the probability that a word passes the word sketch's threshold and the cut of each position.

    Parameters
    ----------
    mechanism : SequenceFragmentPuzzle
        Gives the variances.
    share : float
        Of all reports, those of this word: 0 to 1.
    n : int
        Reports.
    f2, threshold : float
        F2 of the words, in squared reports, and their threshold, in reports.
    cut : Cut
        Reports, F2 and thresholds of each position, these as joining raised them.

    Returns
    -------
    float
        0 if n, or the reports of any position, are 0.

    Notes
    -----
    Normal approximation. The noises of the P + 1 sketches are independent. Of the word's f reports, those from a
    position are drawn like n_q of n without putting back, which adds n_q·s·(1 - s)·(n - n_q)/(n - 1), s = f/n, to the
    variance of their number. More at one position are fewer at the others; with that left out, a word just above the
    cuts is found a little less often than is stated.
    """
    found = _passes(mechanism.words, share * n, n, f2, threshold, 0.0)
    for reports, cut_off, squares in zip(cut.reports.tolist(), cut.thresholds.tolist(), cut.f2.tolist(), strict=True):
        drawn = reports * share * (1 - share) * (n - reports) / max(n - 1, 1)
        found *= _passes(mechanism.fragments, share * reports, reports, squares, cut_off, drawn)
    return found


def smallest_share(
    mechanism: SequenceFragmentPuzzle,
    n: int,
    f2: float,
    threshold: float,
    cut: Cut,
    probability: float = 0.9,
) -> float:
    """Return the smallest share that is found with this probability, by bisection; 1 if none is.

    Parameters
    ----------
    mechanism, n, f2, threshold, cut
        As for `detection_probability`.
    probability : float
        Above 0 and below 1.
    """
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if detection_probability(mechanism, middle, n, f2, threshold, cut) >= probability:
            high = middle
        else:
            low = middle
    return high


def _passes(sketch: CountMeanSketch, count: float, n: int, f2: float, threshold: float, more: float) -> float:
    """Return how probably an estimate of this count reaches the threshold, with more variance than the sketch's."""
    if not n:
        return 0.0
    variance = float(sketch.debiased.variance(np.array([count]), n, f2)[0]) + more
    return NormalDist().cdf((count - threshold) / math.sqrt(variance))
