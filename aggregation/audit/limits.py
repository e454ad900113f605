"""Limits from exact binomial tails: of a probability, and of counts that chance makes."""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..estimation import upper_quantile, upper_tail

# The chance that a check finds fault with an honest client.
ALPHA: Final = 1e-6
_PRECISION: Final = 1e-15


def lowest(seen: int, trials: int, tail: float = ALPHA / 2) -> float:
    """Find the lower confidence limit of a probability.

    Parameters
    ----------
    seen, trials : int
        Successes among how many independent trials.
    tail : float
        The chance, below 1/2, that a limit so made lies above the truth.

    Returns
    -------
    float
        The p with P(S ≥ seen) = tail for S ~ Binomial(trials, p), by bisection from below; 0 if nothing was seen.

    References
    ----------
    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits" (1934).
    """
    if not seen:
        return 0.0
    low, high = 0.0, seen / trials
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if upper_tail(seen, trials, middle) > tail:
            high = middle
        else:
            low = middle
    return low


def highest(seen: int, trials: int, tail: float = ALPHA / 2) -> float:
    """Find the upper confidence limit of a probability: what `lowest` leaves of the failures."""
    return 1 - lowest(trials - seen, trials, tail)


def are_binomial(counts: ArrayLike, trials: ArrayLike, chance: ArrayLike, alpha: float = ALPHA) -> bool:
    """Say whether all of some counts are what they may be.

    Parameters
    ----------
    counts : array of int
        Each Binomial(trials, chance) if all is well; they need not be independent.
    trials, chance : array of int, and of float above 0 and at most 1
        Of each count, or of all.
    alpha : float
        The chance, at most, that any of the counts of an honest client is not (Bonferroni over counts and both tails).
    """
    seen = np.asarray(counts, np.int64)
    tail = alpha / 2 / seen.size
    if np.ndim(trials) == np.ndim(chance) == 0:
        return _are_within(seen, *_bounds(int(np.asarray(trials)), float(np.asarray(chance)), tail))
    seen, of, by = np.broadcast_arrays(seen, trials, chance)
    return all(
        _are_within(seen[(of == n) & (by == p)], *_bounds(int(n), float(p), tail))
        for n in np.unique(of)
        for p in np.unique(by[of == n])
    )


def _are_within(counts: Array, least: int, most: int) -> bool:
    return bool((counts >= least).all() and (counts <= most).all())


@lru_cache(maxsize=4096)
def _bounds(trials: int, chance: float, tail: float) -> tuple[int, int]:
    """Return the least and the most that are not too rare on their side."""
    if chance >= 1:
        return trials, trials
    return trials - upper_quantile(trials, 1 - chance, tail) + 1, upper_quantile(trials, chance, tail) - 1
