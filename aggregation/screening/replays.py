"""Tests for records that occur more than once."""

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ..registry import Finding, Mechanism, part_of
from .summaries import VectorSummary
from .tails import Count, bounded


def judge_replays(stream: str, summary: VectorSummary, k: int, m: int, flip: float) -> list[Finding]:
    """Test how often any one bit vector occurs, and how many equal an earlier one.

    Parameters
    ----------
    stream : str
        For the findings.
    summary : VectorSummary
        Of the n records.
    k, m : int
        Rows and bits.
    flip : float
        π, the flip probability of a bit.

    Notes
    -----
    r reports are equal with probability k^(1-r)·(π^r + (1-π)^r)^m at most. If s of them have their hot bit in one
    place, all r agree there with probability π^s·(1-π)^(r-s) + (1-π)^s·π^(r-s): convex in s, so largest at s = 0 or r,
    where it is π^r + (1-π)^r. No record is likelier than an un-noised one, (1-π)^m/k.
    """

    def log_chance_of_equal(r: int) -> float:
        agree = r * math.log1p(-flip) + math.log1p(math.exp(r * (math.log(flip) - math.log1p(-flip))))
        return (1 - r) * math.log(k) + m * agree

    return [
        judge_most_repeated(stream, summary.n, summary.most_repeated, log_chance_of_equal),
        judge_repeats(stream, summary.n, summary.repeats, math.exp(m * math.log1p(-flip) - math.log(k))),
    ]


# Uploads that are equal by chance more often than that are not taken for one sent again: a thousand of equal size have
# half a million pairs.
_EQUAL_BY_CHANCE: Final = 1e-9
# From here on the Bessel function is its asymptote within a thousandth.
_LARGE: Final = 200.0


def can_be_recognised(mechanism: Mechanism, n: int) -> bool:
    """Tell whether an upload of n reports or more that equals another was sent twice, and is not equal by chance.

    Mechanisms whose records may be few say in their part of screening which there are (`kinds_of_record`).
    """
    kinds = getattr(part_of(mechanism, "screening"), "kinds_of_record", None)
    return kinds is None or log_chance_of_equal_uploads(n, kinds(mechanism)) <= math.log(_EQUAL_BY_CHANCE)


def log_chance_of_equal_uploads(n: int, kinds: Sequence[tuple[int, float]]) -> float:
    """Return the log of the chance that n reports equal n others but for their order, all about one element.

    Parameters
    ----------
    n : int
        Reports of each upload.
    kinds : sequence of (int, float)
        How many records there are of each kind, and the probability of any one of them.

    Notes
    -----
    How often each record occurs is taken for a Poisson number, but for one of the likeliest, which follows from the
    others; two such numbers of mean λ are equal with probability e^(-2λ)·I₀(2λ). That they depend on each other makes
    it 1/√π times as likely, π being the probability of the likeliest: of normal numbers, by the determinant of their
    covariances.
    """
    likeliest = max(range(len(kinds)), key=lambda place: kinds[place][1])
    apart = sum(
        (number - (place == likeliest)) * _log_chance_of_equal(n * chance)
        for place, (number, chance) in enumerate(kinds)
    )
    return apart - math.log(kinds[likeliest][1]) / 2


def _log_chance_of_equal(mean: float) -> float:
    if 2 * mean > _LARGE:
        return -math.log(4 * math.pi * mean) / 2
    return math.log(np.i0(2 * mean)) - 2 * mean


def judge_most_repeated(stream: str, n: int, r: int, log_chance_of_equal: Callable[[int], float]) -> Finding:
    """Test that some record occurs r times among n, by the log of the most that r given reports are all equal with.

    P(some record occurs r times) ≤ C(n, r) times that chance, over all sets of r reports.
    """
    facts = {"seen": r, "records": n}
    if r < 2:
        return Finding("repeated_record", stream, 1.0, facts)
    sets = math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)
    return Finding("repeated_record", stream, bounded(math.exp(min(0.0, sets + log_chance_of_equal(r)))), facts)


def judge_repeats(stream: str, n: int, seen: int, likeliest: float) -> Finding:
    """Test that so many of n records equal an earlier one, by the most that any record has as its probability.

    The i-th equals one of at most i - 1 different earlier ones, whatever these are, with probability at most
    p_i = min(1, (i - 1)·likeliest). So the repeats are stochastically at most a sum of independent indicators with
    these p_i, and beyond its mean + 1 the tail of that is at most the binomial's with the same mean (Hoeffding 1956,
    theorem 4).
    """
    certain = n if likeliest * (n - 1) <= 1 else math.floor(1 / likeliest) + 1
    mean = likeliest * certain * (certain - 1) / 2 + (n - certain)
    facts = {"seen": seen, "expected": mean, "records": n}
    chance = Count(seen, n, mean / n, 1).chance() if seen >= mean + 1 else 1.0
    return Finding("repeats", stream, chance, facts)
