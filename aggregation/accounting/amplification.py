"""Privacy amplification by shuffling: the cost of reports whose senders cannot be told apart any more."""

import math
from functools import lru_cache
from typing import Final

import numpy as np

from ..arrays import Floats, Integers
from ..errors import ParameterError
from ..estimation import log_pmf_of_each, upper_quantile, upper_tail

# Numbers of clones so rare are not looked at, and counted as if they gave a person away: this part of δ, twice.
_RARE: Final = 1e-9
# More than what rounding can take from a term; added, so that the bound stays above the truth.
_ROUNDING: Final = 1e-8
# ε is found to this part of itself, from above.
_PRECISION: Final = 1e-5
# More reports are counted as so many, for time grows with their root. To know the others one by one hides no better.
_COUNTED: Final = 10**7
# A bound that is hardly smaller than the local one says nothing but that there is none.
_WORTH_SAYING: Final = 0.9


def amplified(epsilon0: float, n: int, delta: float) -> float | None:
    """Bound what one report in a shuffled batch costs its sender.

    Parameters
    ----------
    epsilon0 : float
        ε₀, the loss of the report by itself: it was privatised on the device.
    n : int
        Reports in the batch, this one included. The others are of any contents, privatised alike.
    delta : float
        δ, the probability for which the bound need not hold.

    Returns
    -------
    float or None
        A central ε: batches that differ in this one report are (ε, δ)-indistinguishable in both directions. None if
        the bound is less than a tenth below ε₀, which is not worth saying: then the local ε₀ alone holds.

    Raises
    ------
    ParameterError
        If ε₀ is not above 0 and at most 50, n is below 1, or δ is not between 0 and 1.

    Notes
    -----
    Every other report is, with probability e^(-ε₀), a clone of this one: drawn just as the report under either of its
    two contents, by the toss of a fair coin. All that the batch tells is told by (A + Δ, C - A + 1 - Δ), where
    C ~ Binomial(n - 1, e^(-ε₀)) is the number of clones, A ~ Binomial(C, 1/2) and Δ ~ Bernoulli(e^ε₀/(e^ε₀ + 1)),
    against the same with Δ and 1 - Δ exchanged. Found is the ε for which their hockey-stick divergence is at most δ.

    References
    ----------
    Feldman, McMillan, Talwar, "Hiding among the clones" (2020), theorem 3.2 and the numerical bound of section 3.

    Examples
    --------
    >>> round(amplified(4.0, n=1_000_000, delta=1e-6), 3)
    0.049
    >>> amplified(4.0, n=10, delta=1e-6) is None
    True
    """
    return composed(epsilon0, n, 1, delta)


@lru_cache(maxsize=1024)
def composed(epsilon0: float, n: int, reports_per_user: int, delta: float) -> float | None:
    """Bound what all reports of one person in a shuffled batch cost together.

    Parameters
    ----------
    epsilon0, n, delta
        As for `amplified`; n counts all reports of the batch, those of this person included.
    reports_per_user : int
        r: how many of them are the person's, at most.

    Returns
    -------
    float or None
        A central ε for batches that differ in all of the person's reports; None if it is less than a tenth below r·ε₀.

    Raises
    ------
    ParameterError
        As for `amplified`, and if r is not from 1 to n.

    Notes
    -----
    The reports are exchanged one after the other. In each step the batch has n reports of which one changes, so that
    (ε₁, δ₁) holds for it, and for r steps r·ε₁ with δ₁·(1 + e^ε₁ + … + e^((r-1)·ε₁)). To see the batch as r batches of
    n/r reports, each with one of the person's, and add up their losses would be valid too, and gives more: n/r reports
    hide a person worse than n do.
    """
    _check(epsilon0, n, reports_per_user)
    if not 0 < delta < 1:
        raise ParameterError("delta", f"delta must be above 0 and below 1, not {delta}.")
    clones, chances = _clones(epsilon0, min(n, _COUNTED), _RARE * delta)

    def holds(epsilon: float) -> bool:
        found = _divergence(epsilon0, epsilon, clones, chances) + 2 * _RARE * delta
        return found * _steps(epsilon, reports_per_user) <= delta

    # From below, because for many reports it may hold for a while only: the steps outgrow what is rounded up.
    high = epsilon0 * 2.0**-24
    while high <= _WORTH_SAYING * epsilon0 and not holds(high):
        high *= 2
    low = high / 2
    while high - low > _PRECISION * high and low < _WORTH_SAYING * epsilon0:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return reports_per_user * high if high <= _WORTH_SAYING * epsilon0 else None


def divergence(epsilon0: float, n: int, epsilon: float, rare: float = 1e-15) -> float:
    """Bound the δ that belongs to an ε.

    Parameters
    ----------
    epsilon0, n
        As for `amplified`.
    epsilon : float
        A central ε, from 0 to ε₀.
    rare : float
        Numbers of clones outside of two quantiles, of this probability, are counted as if they gave a person away.

    Returns
    -------
    float
        The hockey-stick divergence of two batches that differ in one report; more by at most 2·rare and rounding.

    Raises
    ------
    ParameterError
        As for `amplified`, and if ε is not from 0 to ε₀.
    """
    _check(epsilon0, n, 1)
    if not 0 <= epsilon <= epsilon0:
        raise ParameterError("epsilon", f"epsilon must be from 0 to epsilon0={epsilon0}, not {epsilon}.")
    return _divergence(epsilon0, epsilon, *_clones(epsilon0, n, rare)) + 2 * rare


def _check(epsilon0: float, n: int, reports_per_user: int) -> None:
    if not 0 < epsilon0 <= 50:
        raise ParameterError("epsilon0", f"epsilon0 must be above 0 and at most 50, not {epsilon0}.")
    if not 1 <= reports_per_user <= n:
        raise ParameterError(
            "n", f"One person must have at least one of the n={n} reports and at most all, not {reports_per_user}."
        )


def _steps(epsilon: float, count: int) -> float:
    """Return 1 + e^ε + … + e^((count-1)·ε), infinity where that is too large to be written."""
    if count * epsilon > 700:
        return math.inf
    return math.expm1(count * epsilon) / math.expm1(epsilon)


def _clones(epsilon0: float, n: int, rare: float) -> tuple[Integers, Floats]:
    """Return the numbers of clones that are likely enough, ascending without a gap, and their probabilities."""
    chance = math.exp(-epsilon0)
    fewest = n - upper_quantile(n - 1, -math.expm1(-epsilon0), rare)
    most = upper_quantile(n - 1, chance, rare) - 1
    clones = np.arange(fewest, max(most, fewest) + 1)
    return clones, np.exp(log_pmf_of_each(clones, n - 1, chance))


def _divergence(epsilon0: float, epsilon: float, clones: Integers, chances: Floats) -> float:
    """Return the divergence over these numbers of clones.

    With c clones, x of c + 1 coins show one side: P(x) = q·b(x-1) + (1-q)·b(x), b being Binomial(c, 1/2) and
    q = e^ε₀/(e^ε₀ + 1), and Q(x) the same with q and 1-q exchanged. P(x) > e^ε·Q(x) for x above (c+1)·τ, so with j the
    largest integer up to there, Σ P(x) - e^ε·Q(x) over x > j is (q - e^ε·(1-q))·b(j) - (e^ε - 1)·P(X > j) for
    X ~ Binomial(c, 1/2). By symmetry it is the same from Q to P.
    """
    share = 1 / (1 + math.exp(-epsilon0))
    tau = -math.expm1(-epsilon0 - epsilon) / (-math.expm1(-epsilon0) * (1 + math.exp(-epsilon)))
    j = np.minimum(np.floor((clones + 1) * tau).astype(np.int64), clones)
    coins = np.exp(log_pmf_of_each(j, clones, 0.5))
    more = math.expm1(epsilon) * _tails(j, clones, coins)
    just = max(share - math.exp(epsilon) * (1 - share), 0.0) * coins
    found = np.maximum(just - more + _ROUNDING * (just + more), 0)
    return float((1 + _ROUNDING) * (chances @ found))


def _tails(j: Integers, clones: Integers, coins: Floats) -> Floats:
    """Return P(Binomial(c, 1/2) > j) for each number of clones, from the last, which is the smallest, downwards.

    One coin less: P(Binomial(c, 1/2) > j) = P(Binomial(c+1, 1/2) > j) - b_c(j)/2. And where j is one less as well, the
    probability of that place is added.
    """
    last = upper_tail(int(j[-1]) + 1, int(clones[-1]), 0.5)
    steps = np.where(np.diff(j) > 0, coins[1:], 0) - coins[:-1] / 2
    tails: Floats = np.maximum(np.append(last + np.cumsum(steps[::-1])[::-1], last), 0)
    return tails
