"""Test for signs of one cell that agree more often than noise lets them."""

import math

from .findings import Finding
from .summaries import Pairs
from .tails import bounded, divergence


def judge_agreement(stream: str, pairs: Pairs, flip: float) -> Finding:
    """Test how many pairs of records with the same row and coordinate have the same sign.

    Parameters
    ----------
    stream : str
        For the finding.
    pairs : Pairs
        Of the records' cells.
    flip : float
        π, the flip probability of a sign.

    Returns
    -------
    Finding
        Two honest signs of a cell agree with probability q = π² + (1-π)² if their elements have the same sign there,
        else with 1 - q < q. Matched at random, pairs are independent given the cells, so that the agreeing ones of M
        pairs are stochastically at most Binomial(M, q), whatever the elements; equal if all saw the same. ``agreeing``
        is the mean over all matchings. By Jensen's inequality Chernoff's bound of the binomial, exp(-M·KL(A/M ‖ q)),
        holds for it as well, so that no matching is drawn.

    References
    ----------
    W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables" (1963), section 5.
    """
    same = flip**2 + (1 - flip) ** 2
    facts = {"seen": pairs.agreeing, "expected": pairs.pairs * same, "pairs": pairs.pairs}
    if not pairs.pairs:
        return Finding("agreeing_signs", stream, 1.0, facts)
    return Finding("agreeing_signs", stream, bounded(math.exp(-divergence(pairs.agreeing, pairs.pairs, same))), facts)
