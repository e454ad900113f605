"""Numbers of members of a group in a subset: dependent, for a subset has w elements."""

import math

import numpy as np

from ...arrays import Floats
from ...estimation import Members


def hypergeometric(size: int, marked: int, drawn: int, length: int) -> Floats:
    """Return the probabilities of 0 … length - 1 marked ones among so many drawn of `size`, without replacement."""
    found = np.zeros(length)
    total = _log_choose(size, drawn)
    for x in range(max(0, drawn - (size - marked)), min(marked, drawn) + 1):
        found[x] = math.exp(_log_choose(marked, x) + _log_choose(size - marked, drawn - x) - total)
    # Log-factorials are off in the twelfth digit, which the sum over a billion reports would show.
    found /= found.sum()
    return found


def members_in_subset(size: int, w: int, own: float, members: int, *, inside: bool) -> Floats:
    """Return the probabilities of 0 … w members of a group in the subset of one report.

    Parameters
    ----------
    size, w : int
        D and w.
    own : float
        p, the probability of the own element.
    members : int
        Elements of the group, at most D.
    inside : bool
        Whether the own element is one of them.
    """
    others = min(members - inside, size - 1)
    kept = hypergeometric(size - 1, others, w - 1, w + 1)
    if inside:
        kept = np.concatenate([[0.0], kept[:-1]])
    return own * kept + (1 - own) * hypergeometric(size - 1, others, w, w + 1)


def member_variance(size: int, w: int, own: float, members: Members, *, inside: bool) -> Floats:
    """Return the variance of the number of members in the subset of one report, as of `members_in_subset`.

    That number is 1 + H(g - 1, w - 1) with probability p, and else H(g - 1, w), if the own element is a member;
    H(g, w - 1) or H(g, w) if not, H(K, m) being hypergeometric: of m out of D - 1, so many out of K. Its variance is
    the mean of both variances and p(1-p) times the squared difference of their means.
    """
    n = size - 1
    share = np.minimum(np.asarray(members, np.float64) - inside, n) / n
    spread = share * (1 - share) / max(n - 1, 1)
    within = own * (w - 1) * (n - w + 1) + (1 - own) * w * (n - w)
    return spread * within + own * (1 - own) * (inside - share) ** 2


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def log_subsets(size: int, w: int) -> float:
    """Return the log of the number of subsets of w out of so many."""
    return _log_choose(size, w)
