"""Tails of counts: exact, or bounds that hold at any size, never a normal approximation."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ..arrays import Floats
from ..estimation import log_pmf, upper_tail

# No chance is stated as smaller: below it, what is left out of a sum or lost to rounding might count.
SMALLEST: Final = 1e-100
# A probability is never taken as smaller; that makes a tail larger, so that it stays a bound.
_SMALLEST_SUCCESS: Final = 1e-300
_HALVINGS: Final = 100


@dataclass(frozen=True)
class Count:
    """A count that is at least ``seen`` of n with a success probability of p each, looked at for being large.

    ``ways`` is how many such counts were looked at: the chance that any of them is as surprising is at most ``ways``
    times the chance of this one (Bonferroni).
    """

    seen: int
    n: int
    p: float
    ways: float
    facts: Mapping[str, float] = field(default_factory=dict)

    def log_bound(self) -> float:
        """Return the log of Chernoff's bound, exp(-n·KL(seen/n ‖ p)), times the ways: to choose by, cheaply."""
        return math.log(self.ways) - divergence(self.seen, self.n, self.p)

    def chance(self) -> float:
        """Return the exact binomial tail times the ways."""
        p = max(self.p, _SMALLEST_SUCCESS)
        if self.seen <= self.n * p or p >= 1:
            return 1.0
        return bounded(self.ways * upper_tail(self.seen, self.n, p))


def bounded(chance: float) -> float:
    """Return a chance between the smallest that is stated and 1."""
    return min(1.0, max(chance, SMALLEST))


def most_surprising(counts: Iterable[Count]) -> Count | None:
    """Return the count with the smallest bound, which is the only one whose exact tail is worth its time."""
    return min(counts, key=Count.log_bound, default=None)


def divergence(seen: float, n: int, p: float) -> float:
    """Return n·KL(seen/n ‖ p), in nats; 0 if the count is not above its mean."""
    p = max(p, _SMALLEST_SUCCESS)
    if seen <= n * p or p >= 1:
        return 0.0
    part = seen / n
    rest = (n - seen) * (math.log1p(-part) - math.log1p(-p)) if seen < n else 0.0
    return max(0.0, seen * (math.log(part) - math.log(p)) + rest)


def probabilities(start: int, stop: int, n: int, p: float) -> Floats:
    """Return P(S = s) for s = start … stop - 1, within 0 … n, for S ~ Binomial(n, p), 0 < p < 1.

    From the largest of them outwards, by the ratios of successive terms: the relative error is near 1e-16 a term.
    """
    peak = min(max(int((n + 1) * p), start), stop - 1)
    odds = p / (1 - p)
    up = np.arange(peak, stop - 1, dtype=np.float64)
    down = np.arange(peak, start, -1, dtype=np.float64)
    above = np.cumprod((n - up) / (up + 1) * odds)
    below = np.cumprod(down / (n - down + 1) / odds)
    relative: Floats = np.concatenate([below[::-1], [1.0], above])
    return relative * math.exp(log_pmf(peak, n, p))


def upper_tail_of_sum(s: int, first: tuple[int, float], second: tuple[int, float]) -> float:
    """Return P(A + B ≥ s) for independent binomial A and B.

    Parameters
    ----------
    s : int
        The sum.
    first, second : tuple of int and float
        n and p of A, and of B; 0 < p < 1.

    Returns
    -------
    float
        Σ_b P(B = b)·P(A ≥ s - b), over all b but those further from the mean of B than 40 standard deviations and 400:
        by Bernstein's inequality these have less than 1e-140 together, and no chance below `SMALLEST` is stated.
    """
    (n, p), (trials, q) = first, second
    mean, reach = trials * q, 40 * math.sqrt(trials * q * (1 - q)) + 400
    low, high = max(0, math.floor(mean - reach)), min(trials, math.ceil(mean + reach))
    of_second = probabilities(low, high + 1, trials, q)
    # P(A ≥ s - b) for b from low on: from s - low downwards, each with one more term.
    tops = np.full(high - low + 1, upper_tail(s - low, n, p))
    start, stop = max(s - high, 0), min(s - low, n + 1)
    if start < stop:
        terms = np.zeros(high - low + 1)
        place = s - low - np.arange(start, stop)
        terms[place] = probabilities(start, stop, n, p)
        tops += np.cumsum(terms)
    return bounded(float(np.dot(of_second, np.minimum(tops, 1.0))))


def few_occupied(occupied: int, n: int, cells: int) -> float:
    """Bound the chance that n balls in equally likely cells occupy so few of them, or fewer.

    Parameters
    ----------
    occupied : int
        Cells with at least one ball, d.
    n : int
        Balls.
    cells : int
        Cells, K.

    Returns
    -------
    float
        inf over t ≥ 0 of exp(-t·(n - d))·Π_{i ≤ d} (1 - i/K)/(1 - i·eᵗ/K): Chernoff's bound on P(T > n), where T is the
        number of balls until d + 1 cells are occupied, a sum of independent geometric waiting times.
    """
    if occupied >= cells:
        return 1.0
    return _waiting_bound(n - occupied, occupied + 1, cells, math.log(cells / occupied) * (1 - 1e-6))


def many_occupied(occupied: int, n: int, cells: int) -> float:
    """Bound the chance that n balls in equally likely cells occupy so many of them, or more.

    As `few_occupied`, with P(T ≤ n) for the number T of balls until d cells are occupied, and t ≤ 0.
    """
    return _waiting_bound(n - occupied, occupied, cells, -60.0)


def _waiting_bound(surplus: int, steps: int, cells: int, furthest: float) -> float:
    """Minimise ``-t·surplus + Σ_{i < steps} log((1 - i/K)/(1 - i·eᵗ/K))``, convex in t, from 0 to the furthest t.

    Any t gives a bound, so that nothing depends on how near the minimum the search comes.
    """
    own = _log_product(steps, float(cells))

    def exponent(t: float) -> float:
        return -t * surplus + own - _log_product(steps, cells * math.exp(-t))

    low, high = 0.0, furthest
    for _ in range(_HALVINGS):
        third = (high - low) / 3
        if exponent(low + third) < exponent(high - third):
            high -= third
        else:
            low += third
    return bounded(math.exp(min(0.0, exponent((low + high) / 2))))


def _log_product(steps: int, x: float) -> float:
    """Return Σ_{i < steps} log(1 - i/x) for x > steps - 1, in closed form."""
    if steps * 1000.0 < x:
        # Where the terms are small, the difference of log-gammas would lose them: three terms of the series, and the
        # fourth powers add up to less than steps/5·1e-12.
        s = float(steps)
        squares, cubes = (s - 1) * s * (2 * s - 1) / 6, (s * (s - 1) / 2) ** 2
        return -(s * (s - 1) / 2 / x + squares / (2 * x * x) + cubes / (3 * x**3))
    return math.lgamma(x + 1) - math.lgamma(x + 1 - steps) - steps * math.log(x)
