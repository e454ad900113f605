"""Tests of the number of one-bits in noised vectors: its distribution is the same whatever they are about."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Integers
from ..registry import Finding
from .findings import of_counts
from .summaries import VectorSummary
from .tails import Count, bounded, probabilities, upper_tail_of_sum


class Weights(NamedTuple):
    """P(W = w), P(W ≤ w) and P(W ≥ w) for w = 0 … m."""

    equal: Floats
    at_most: Floats
    at_least: Floats


@lru_cache(maxsize=16)
def weights(m: int, flip: float) -> Weights:
    """Return the exact distribution of W, the one-bits of one vector.

    Parameters
    ----------
    m : int
        Bits.
    flip : float
        π, the flip probability of a bit.

    Returns
    -------
    Weights
        Of W ~ Binomial(m - 1, π) + Bernoulli(1 - π): m - 1 bits are 1 if flipped, the hot one if it is not. Which one
        is hot does not matter, so that the W of honest reports are independent and identically distributed whatever the
        devices saw.
    """
    cold = np.concatenate((probabilities(0, m, m - 1, flip), [0.0]))
    equal = flip * cold
    equal[1:] += (1 - flip) * cold[:-1]
    return Weights(equal, np.cumsum(equal), np.cumsum(equal[::-1])[::-1])


def judge_ones(stream: str, summary: VectorSummary, m: int, flip: float) -> list[Finding]:
    """Test for vectors with too few, too many, too often the same, and altogether too few or too many ones.

    The first three look at all m + 1 values w, for how many vectors have W ≤ w, W ≥ w, W = w: Binomial(n, P) each. So a
    single vector far out is seen, and also many that are not remarkable one by one.
    """
    n, ones, chance = summary.n, summary.ones, weights(m, flip)
    few = _counts(np.cumsum(ones), n, chance.at_most)
    many = _counts(np.cumsum(ones[::-1])[::-1], n, chance.at_least)
    same = _counts(ones, n, chance.equal)
    return [
        of_counts("few_ones", stream, few),
        of_counts("many_ones", stream, many),
        of_counts("same_ones", stream, same),
        _total(stream, int(np.dot(ones, np.arange(m + 1))), n, m, flip),
    ]


def _counts(seen: Integers, n: int, chance: Floats) -> list[Count]:
    """Return the one count of the m + 1 that Chernoff's bound, computed for all at once, says is most surprising."""
    p = np.clip(chance, 1e-300, 1.0)
    part = seen / n
    high = np.flatnonzero((part > p) & (p < 1))
    if not len(high):
        return []
    a, q = part[high], p[high]
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(a < 1, (1 - a) * (np.log1p(-a) - np.log1p(-q)), 0.0)
    w = int(high[np.argmax(a * np.log(a / q) + rest)])
    facts = {"ones": w, "seen": int(seen[w]), "expected": n * float(chance[w]), "records": n}
    return [Count(int(seen[w]), n, float(chance[w]), len(chance), facts)]


def _total(stream: str, total: int, n: int, m: int, flip: float) -> Finding:
    """Test the ones of all vectors together: Binomial(n(m - 1), π) + Binomial(n, 1 - π), on both sides."""
    mean = (m - 1) * flip + (1 - flip)
    facts = {"mean": total / n, "expected": mean, "records": n}
    if total > n * mean:
        tail = upper_tail_of_sum(total, (n * (m - 1), flip), (n, 1 - flip))
    else:
        # Too few ones are too many zeros, each with the chance that a one has not.
        tail = upper_tail_of_sum(n * m - total, (n * (m - 1), 1 - flip), (n, flip))
    return Finding("total_ones", stream, bounded(2 * tail), facts)
