"""Errors from collisions of elements, whatever the noise: all mechanisms over one hash family share them.

A group of g distinct elements is counted by the sum of its members' read-outs; a single element is a group of one.
"""

import numpy as np

from ..arrays import Floats, Integers


def collision_variance(
    count: Floats, n: int | Integers, f2: float | Floats, k: int, m: int, members: int | Integers = 1
) -> Floats:
    """Return the variance that collisions add to estimates.

    Parameters
    ----------
    count : ndarray of float64, shape (D,)
        True counts F of the groups, 0 … n.
    n : int or ndarray of int64, shape (D,)
        Number of reports.
    f2 : float or ndarray of float64, shape (D,)
        F2, the sum of the squared true counts of all elements.
    k, m : int
        Rows and buckets of a row.
    members : int or ndarray of int64, shape (D,)
        How many elements each group has: g.

    Returns
    -------
    ndarray of float64, shape (D,)
        [(g(n-F) + (g-1)F)(1-1/k) + (g·F2 + F² - 2·F²/g)/k]/(m-1), in squared reports. The last term stands for
        -2·Σf² over the members, which is no smaller: an upper bound, exact where all members are equally frequent.

    Notes
    -----
    A report collides with g members, or with g - 1 if it is about one of them; in different rows independently of other
    reports. In one row, reports of the same element collide together, and so do reports of two members with each
    other. All else is uncorrelated if the hashing is three-wise independent, but for two members that meet two other
    elements, which takes four-wise independence. For g = 1 there is no such pair.
    """
    squares = count * count
    # g(n-F) + (g-1)F
    once = members * n - count
    # F2 is at least F²/g, whatever was put in for it.
    together = np.maximum(members * f2, squares) + squares * (1 - 2 / members)
    return (once * (1 - 1 / k) + together / k) / (m - 1)


def null_collisions(n: int, f2: float, k: int, m: int, members: int = 1) -> tuple[float, float]:
    """Return what reports that collide together add to the estimate of a group without reports.

    The first is the variance, g(F2-n)/(k(m-1)), the second a bound on the third cumulant: g·F3/(k²m), where F3, the sum
    of the cubed counts, is at most F2^(3/2). Collisions of single reports are left to the binomial distribution.
    """
    return members * max(f2 - n, 0.0) / (k * (m - 1)), members * f2**1.5 / (k**2 * m)


def shared_buckets(members: int | Integers, m: int) -> float | Floats:
    """Return how many pairs of members share a bucket on average, in order, beside each with itself: g(g-1)/m.

    Members that share a bucket share its noise: with N of them in a bucket, the mean of Σ N² is g + g(g-1)/m.
    """
    return members * (members - 1) / m
