"""Selection of fragments that stand out: those above a cut that lets an expected number of false ones through."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Flags, Floats, Integers
from ..estimation import plug_in_f2
from ..registry import FALSE_FRAGMENTS, DiscoveryMechanism

# The most kept at a position, so that an alphabet of noise cannot fill the memory.
MOST_FRAGMENTS: Final = 4096


@dataclass(frozen=True, eq=False)
class Cut:
    """Fragments that are kept at each of P positions.

    Parameters
    ----------
    kept : list of ndarray of int64
        Indices of keys, the most frequent first.
    estimates : list of ndarray of float64
        How often each was reported from this position, estimated.
    reports : ndarray of int64, shape (P,)
        Reports from each position.
    thresholds : ndarray of float64, shape (P,)
        The cuts, in reports from that position: what is kept reaches them, and what is not does not.
    f2 : ndarray of float64, shape (P,)
        The plug-in F2 of each position, over all keys.
    capped : ndarray of bool, shape (P,)
        Where so many stood out that the cut was raised.
    """

    kept: list[Integers]
    estimates: list[Floats]
    reports: Integers
    thresholds: Floats
    f2: Floats
    capped: Flags


def cut_fragments(
    mechanism: DiscoveryMechanism, read_outs: Integers, reports: Sequence[int], most: int = MOST_FRAGMENTS
) -> Cut:
    """Keep the fragments that stand out at each position.

    Parameters
    ----------
    mechanism : DiscoveryMechanism
        Estimates and thresholds are those of its fragment sketch.
    read_outs : ndarray of int64, shape (P, K)
        Of every position and all keys, over all rows.
    reports : sequence of int, length P
        Reports from each position, n_q.
    most : int
        How many are kept at a position at most.

    Returns
    -------
    Cut
        At the exact quantile of a key without reports at ``64/K``, moved out for collisions, so that 64 false fragments
        are expected at most: fewer where n_q is so small that a read-out takes few values, none if n_q is 0. Where more
        than ``most`` reach it, the cut is raised just so that no more do, which of equals at the end keeps none.
    """
    # A twelfth, of an alphabet of one letter.
    rate = FALSE_FRAGMENTS / read_outs.shape[1]
    kept, estimates, thresholds, squares, capped = [], [], [], [], []
    for counts, n in zip(read_outs, reports, strict=True):
        estimate = mechanism.fragments.debiased.estimate(counts, n)
        f2 = plug_in_f2(mechanism.fragments.debiased, estimate, n)
        threshold = mechanism.fragments.debiased.threshold(n, rate, f2)
        above = np.flatnonzero(estimate >= threshold)
        order = above[np.argsort(-estimate[above], kind="stable")]
        capped.append(len(order) > most)
        if capped[-1]:
            # Just above the first that is one too many, and whatever equals it.
            threshold = float(np.nextafter(estimate[order[most]], np.inf))
            order = order[:most][estimate[order[:most]] >= threshold]
        kept.append(order)
        estimates.append(estimate[order])
        thresholds.append(threshold)
        squares.append(f2)
    return Cut(kept, estimates, np.array(reports), np.array(thresholds), np.array(squares), np.array(capped))
