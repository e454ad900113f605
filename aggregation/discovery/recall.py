"""Recall of words by their share: how rare one may be and still be found."""

from statistics import NormalDist
from typing import Final

import numpy as np

from ..arrays import Floats
from ..estimation import Estimator, smallest_detectable
from ..registry import DiscoveryMechanism
from .fragment_cut import Cut

_cdf: Final = np.vectorize(NormalDist().cdf, otypes=[float])


def detection_probability(
    mechanism: DiscoveryMechanism, share: float | Floats, n: int, f2: float, threshold: float, cut: Cut
) -> Floats:
    """Return the probability that a word passes the word sketch's threshold and the cut of each position.

    Parameters
    ----------
    mechanism : DiscoveryMechanism
        Gives the variances.
    share : float or ndarray of float64
        Of all reports, those of a word: 0 to 1.
    n : int
        Reports.
    f2, threshold : float
        F2 of the words, in squared reports, and their threshold, in reports.
    cut : Cut
        Reports, F2 and thresholds of each position, these as joining raised them.

    Returns
    -------
    ndarray of float64
        For each share; 0 if n, or the reports of any position, are 0.

    Notes
    -----
    Normal approximation. The noises of the P + 1 sketches are independent. Of the word's f reports, those from a
    position are drawn like n_q of n without putting back, which adds n_q·s·(1 - s)·(n - n_q)/(n - 1), s = f/n, to the
    variance of their number. More at one position are fewer at the others; with that left out, a word just above the
    cuts is found a little less often than is stated.
    """
    share = np.asarray(share, np.float64)
    words = mechanism.word_estimator(n, mechanism.word_reports(n, cut.reports.tolist()))
    found = _passes(words, share * n, n, f2, threshold, np.zeros(share.shape))
    for reports, cut_off, squares in zip(cut.reports.tolist(), cut.thresholds.tolist(), cut.f2.tolist(), strict=True):
        drawn = reports * share * (1 - share) * (n - reports) / max(n - 1, 1)
        found = found * _passes(mechanism.fragments.debiased, share * reports, reports, squares, cut_off, drawn)
    return found


def smallest_share(
    mechanism: DiscoveryMechanism, n: int, f2: float, threshold: float, cut: Cut, probability: float = 0.9
) -> float:
    """Return the smallest share that is found with this probability; 1 if none is.

    Parameters
    ----------
    mechanism, n, f2, threshold, cut
        As for `detection_probability`.
    probability : float
        Above 0 and below 1.
    """
    return smallest_detectable(
        lambda shares: detection_probability(mechanism, shares, n, f2, threshold, cut), probability
    )


def _passes(estimator: Estimator, count: Floats, n: int, f2: float, threshold: float, more: Floats) -> Floats:
    """Return how probably estimates of these counts reach the threshold, with more variance than the estimator's."""
    if not n:
        return np.zeros(count.shape)
    return np.asarray(_cdf((count - threshold) / np.sqrt(estimator.variance(count, n, f2) + more)), np.float64)
