"""Exact tails of sums of independent numbers that are alike and small."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from ...arrays import Floats

# Standard deviations of a sum that are looked at to either side: beyond are 1e-32 of it.
_REACH: Final = 12
_HALVINGS: Final = 200


@dataclass(frozen=True)
class Tail:
    """Upper tail of a sum around a place: ``log_probability[i]`` is log P(S ≥ first + i)."""

    first: int
    log_probability: Floats


def upper_tail_of(chances: Floats, n: int, around: float) -> Tail:
    """Return the upper tail of a sum of n independent numbers.

    Parameters
    ----------
    chances : ndarray of float64
        The probabilities of 0, 1, 2, … for each of them.
    n : int
        How many.
    around : float
        A value above the mean; near it the tail is exact to about twelve digits, however small it is.

    Returns
    -------
    Tail

    Notes
    -----
    With chances in proportion to x's times e^(θx), θ such that ``around`` is the mean, the sum has probabilities that
    are not small there, which a Fourier transform finds; each of them times M(θ)^n·e^(-θs) is that of S = s, M being
    the moment generating function (Esscher 1932).
    """
    values = np.arange(len(chances))
    possible = chances > 0
    low, high = int(values[possible][0]), int(values[possible][-1])
    weights, log_moment, theta = _tilted(chances, (around / n) if n else 0.0)
    mean = float(weights @ values)
    deviation = math.sqrt(n * float(weights @ (values - mean) ** 2))
    reach = math.ceil(_REACH * deviation) + 64 * len(chances)
    first, last = max(n * low, math.floor(n * mean) - reach), min(n * high, math.ceil(n * mean) + reach)
    size = 1 << (last - first).bit_length()
    found = np.fft.irfft(np.fft.rfft(_folded(weights, size)) ** n, size)
    places = np.arange(first, last + 1)
    probability = np.maximum(found[places % size], 0.0)
    with np.errstate(divide="ignore"):
        logs = n * log_moment - theta * places + np.log(probability)
    # From the largest on, so that small ones are added up first.
    return Tail(first, np.minimum(np.logaddexp.accumulate(logs[::-1])[::-1], 0.0))


def log_upper_tail(chances: Floats, n: int, s: int) -> float:
    """Return log P(S ≥ s) for a sum of n, as of `upper_tail_of`: 0, a bound, if s is not above its mean."""
    if s <= n * float(chances @ np.arange(len(chances))):
        return 0.0
    if s > n * int(np.flatnonzero(chances)[-1]):
        return -math.inf
    tail = upper_tail_of(chances, n, s)
    return float(tail.log_probability[s - tail.first])


def upper_quantile_of_sum(chances: Floats, n: int, alpha: float) -> int:
    """Return the smallest s that a sum as of `upper_tail_of` reaches with a probability of at most alpha, below 1/2."""
    values = np.arange(len(chances))
    mean = float(chances @ values)
    deviation = math.sqrt(n * float(chances @ (values - mean) ** 2))
    tail = upper_tail_of(chances, n, n * mean - NormalDist().inv_cdf(alpha) * deviation)
    rare = np.flatnonzero(tail.log_probability <= math.log(alpha))
    return tail.first + (int(rare[0]) if len(rare) else len(tail.log_probability))


def _folded(weights: Floats, size: int) -> Floats:
    """Return probabilities by what is left of values after division by a number."""
    folded: Floats = np.bincount(np.arange(len(weights)) % size, weights, size).astype(np.float64)
    return folded


def _tilted(chances: Floats, target: float) -> tuple[Floats, float, float]:
    """Return chances whose mean is the target or near it, the log of the moment generating function, and θ ≥ 0."""
    values = np.arange(len(chances))
    with np.errstate(divide="ignore"):
        logs = np.log(chances)

    def tilted(theta: float) -> tuple[Floats, float]:
        exponents = logs + theta * values
        top = float(exponents.max())
        weights = np.exp(exponents - top)
        total = float(weights.sum())
        return weights / total, top + math.log(total)

    low, high = 0.0, 1.0
    while float(tilted(high)[0] @ values) < target and high < 64:
        high *= 2
    for _ in range(_HALVINGS if target > float(chances @ values) else 0):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if float(tilted(middle)[0] @ values) < target:
            low = middle
        else:
            high = middle
    return *tilted(low), low
