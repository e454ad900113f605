"""Exact binomial tails, from no trial to a billion, for thresholds that hold at small n too."""

import math
from bisect import bisect_left
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import ParameterError

# Terms are summed in chunks that grow: most tails end after a few hundred terms, some after a million.
_FIRST_CHUNK: Final = 2**8
_CHUNK: Final = 2**15
# The rest of a tail is dropped once its terms are below this part of the sum.
_NEGLIGIBLE: Final = 1e-18


def log_pmf(s: int, n: int, p: float) -> float:
    """Return the log of P(S = s) for S ~ Binomial(n, p), 0 < p < 1, with a relative error near 1e-14.

    References
    ----------
    C. Loader, "Fast and accurate computation of binomial probabilities" (2000): the saddle-point form, which does not
    lose digits to the difference of large log-factorials.
    """
    if not 0 <= s <= n:
        return -math.inf
    if s == 0:
        return n * math.log1p(-p)
    if s == n:
        return n * math.log(p)
    rest = n - s
    exponent = _stirling_error(n) - _stirling_error(s) - _stirling_error(rest)
    exponent -= _deviance(s, n * p) + _deviance(rest, n * (1 - p))
    return exponent - 0.5 * math.log(2 * math.pi * s * rest / n)


def log_pmf_of_each(s: ArrayLike, n: ArrayLike, p: float) -> Floats:
    """Return `log_pmf` for arrays of s and n, 0 ≤ s ≤ n, in the shape that they are broadcast to.

    The absolute error is near 1e-11. Saddle-point expansion with Stirling's errors, after Loader (2000).
    """
    s, n = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(n, np.float64))
    inner = (s > 0) & (s < n)
    # Where one of them is 0 the formula has no meaning, and is not used.
    k, rest = np.where(inner, s, 1.0), np.where(inner, n - s, 1.0)
    exponent = _stirling_errors(k + rest) - _stirling_errors(k) - _stirling_errors(rest)
    for count, mean in ((k, (k + rest) * p), (rest, (k + rest) * (1 - p))):
        exponent -= count * np.log1p((count - mean) / mean) - (count - mean)
    exponent -= 0.5 * np.log(2 * math.pi * k * (rest / (k + rest)))
    return np.where(inner, exponent, np.where(s > 0, n * math.log(p), n * math.log1p(-p)))


def upper_tail(s: int, n: int, p: float) -> float:
    """Return P(S ≥ s) for S ~ Binomial(n, p)."""
    if s <= 0:
        return 1.0
    if s > n:
        return 0.0
    if s > n * p:
        return math.exp(log_pmf(s, n, p)) * _relative_tail(s, n, p)
    # The lower tail of S is the upper tail of the failures.
    failures = n - s + 1
    return 1.0 - math.exp(log_pmf(s - 1, n, p)) * _relative_tail(failures, n, 1 - p)


def upper_quantile(n: int, p: float, alpha: float) -> int:
    """Find the smallest count that is reached with a probability of at most alpha.

    Parameters
    ----------
    n : int
        Trials, at least 0.
    p : float
        Chance of success, above 0 and below 1.
    alpha : float
        The probability, one-sided.

    Returns
    -------
    int
        The smallest s in 0 … n + 1 with P(S ≥ s) ≤ alpha for S ~ Binomial(n, p); n + 1, which S never reaches, if no
        possible count is rare enough.

    Raises
    ------
    ParameterError
        If n is negative, p is not between 0 and 1, or alpha is not a number.
    """
    if n < 0 or not 0 < p < 1 or math.isnan(alpha):
        raise ParameterError("n", f"No binomial quantile for n={n}, p={p}, alpha={alpha}.")
    low, high = _bracket(n, p, alpha)
    return low + bisect_left(range(low, high), True, key=lambda s: upper_tail(s, n, p) <= alpha)


def _bracket(n: int, p: float, alpha: float) -> tuple[int, int]:
    """Return bounds of the quantile, which is near the normal distribution's: there are then few tails to sum."""
    if not 0 < alpha < 1:
        return 0, n + 1
    z, spread = -NormalDist().inv_cdf(alpha), math.sqrt(n * p * (1 - p))
    low = high = min(max(round(n * p + z * spread + (1 - 2 * p) * (z * z - 1) / 6), 0), n + 1)
    step = 1
    while high <= n and upper_tail(high, n, p) > alpha:
        low, high, step = high + 1, min(high + step, n + 1), 4 * step
    while low > 0 and upper_tail(low - 1, n, p) <= alpha:
        low, high, step = max(low - step, 0), low - 1, 4 * step
    return low, high


def widened_quantile(n: int, p: float, alpha: float, extra_variance: float, third_cumulant: float) -> int:
    """Find the smallest count that is rare for a binomial number with something independent added to it.

    Parameters
    ----------
    n, p, alpha
        As for `upper_quantile`.
    extra_variance : float
        Variance of what is added; its mean is 0.
    third_cumulant : float
        Its third cumulant, or a bound on it, at least 0; looked at only where there is extra variance.

    Returns
    -------
    int
        `upper_quantile` where nothing is added. Else its distance from the mean grows by the ratio of the standard
        deviations, and by (z² - 1)/6 times the skewness, the next term of Cornish and Fisher (1938).
    """
    s = upper_quantile(n, p, alpha)
    if not extra_variance or s > n or s <= n * p:
        return s
    variance = n * p * (1 - p)
    z = (s - n * p) / math.sqrt(variance)
    deviation = math.sqrt(variance + extra_variance)
    skewness = third_cumulant / deviation**3
    return max(s, math.ceil(n * p + deviation * (z + skewness * max(z * z - 1, 0) / 6)))


def _relative_tail(s: int, n: int, p: float) -> float:
    """Return P(S ≥ s) / P(S = s) by summing the ratios of successive terms."""
    odds = p / (1 - p)
    total, term = 1.0, 1.0
    start, size = s, _FIRST_CHUNK
    while start < n:
        i = np.arange(start, min(start + size, n), dtype=np.float64)
        terms = term * np.cumprod((n - i) / (i + 1) * odds)
        total += float(terms.sum())
        term = float(terms[-1])
        if term < _NEGLIGIBLE * total:
            break
        start, size = start + size, min(2 * size, _CHUNK)
    return total


def _stirling_error(n: int) -> float:
    """Return log(n!) less Stirling's approximation to it."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    square = n * n
    series = 1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square
    return (1 / 12 - (1 / 360 - series / square) / square) / n


def _stirling_errors(n: Floats) -> Floats:
    small = np.array([math.nan, *(_stirling_error(each) for each in range(1, 16))])
    square = n * n
    series = 1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square
    return np.where(
        n < 16, small[np.minimum(n, 15).astype(np.intp)], (1 / 12 - (1 / 360 - series / square) / square) / n
    )


def _deviance(x: float, mean: float) -> float:
    """Return x·log(x/mean) + mean - x without cancellation where x is near the mean."""
    difference = x - mean
    if abs(difference) >= 0.1 * (x + mean):
        return x * math.log(x / mean) - difference
    v = difference / (x + mean)
    total, term, square = difference * v, 2 * x * v, v * v
    for j in range(1, 1000):
        term *= square
        following = total + term / (2 * j + 1)
        if following == total:
            break
        total = following
    return total
