"""Test for answers to one question that agree more often than noise lets them."""

import math

from ..registry import Finding
from .summaries import Pairs
from .tails import bounded, divergence


def judge_agreement(test: str, stream: str, pairs: Pairs, same: float) -> Finding:
    """Test how many pairs of records that answer the same question have the same answer.

    Parameters
    ----------
    test, stream : str
        For the finding.
    pairs : Pairs
        Of records with the same row and coordinate, which have a sign each, or the same row, which have a bucket each.
    same : float
        q, the chance that two honest answers agree if both are about the same element; those about different ones must
        not agree more often.

    Returns
    -------
    Finding
        Two honest signs of a cell, flipped with probability π, agree with probability q = π² + (1-π)² if their elements
        have the same sign there, else with 1 - q < q; two buckets of a row with q = p² + (1-p)²/(g-1) or less.
        Matched at random, pairs are independent given the questions, so that the agreeing ones of M pairs are
        stochastically at most Binomial(M, q), whatever the elements; equal if all saw the same. ``agreeing`` is the
        mean over all matchings. By Jensen's inequality Chernoff's bound of the binomial, exp(-M·KL(A/M ‖ q)),
        holds for it as well, so that no matching is drawn.

    References
    ----------
    W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables" (1963), section 5.
    """
    facts = {"seen": pairs.agreeing, "expected": pairs.pairs * same, "pairs": pairs.pairs}
    if not pairs.pairs:
        return Finding(test, stream, 1.0, facts)
    return Finding(test, stream, bounded(math.exp(-divergence(pairs.agreeing, pairs.pairs, same))), facts)
