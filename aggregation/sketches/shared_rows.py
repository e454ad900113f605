"""Rows of a hash family in which elements share their buckets."""

from typing import Final

import numpy as np

from ..arrays import Array, Integers, Places
from .hashing import HashFamily

# Pairs of a row and an element whose buckets are held at once.
_PAIRS: Final = 2**19


def shared_rows(family: HashFamily, points: Array, chosen: Places, k: int, m: int) -> Integers:
    """Count the rows in which chosen elements share a bucket with each element.

    Parameters
    ----------
    family : HashFamily
        The hash functions.
    points : ndarray, first axis of length D
        ``family.points`` of all elements.
    chosen : ndarray of int, shape (T,)
        Places of the chosen elements.
    k, m : int
        Rows, and buckets of a row.

    Returns
    -------
    ndarray of int64, shape (T, D)
        From 0 to k; k where an element meets itself.
    """
    shared = np.zeros((len(chosen), len(points)), np.int64)
    step = max(1, _PAIRS // max(len(points), 1))
    narrow = np.min_scalar_type(m - 1)
    for start in range(0, k, step):
        buckets = family.buckets(points, start, min(start + step, k), m).astype(narrow)
        for place, own in enumerate(chosen.tolist()):
            shared[place] += np.count_nonzero(buckets == buckets[:, own, None], axis=0)
    return shared
