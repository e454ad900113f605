"""What the audits of all clients share: the bounds of what may be seen, and the honest clients."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom

from aggregation.mechanisms import Mechanism

ALPHA: Final = 1e-6
WORDS: Final = ["d", "d'"]
K, M = 16, 64
# How far above ε a point estimate may lie, and up to which ε a test has the runs for it.
TOLERANCE, MOST_EPSILON = 0.05, 4


def lowest(seen: int, trials: int) -> float:
    """Clopper and Pearson's lower limit of a probability, at α/2."""
    return float(beta.ppf(ALPHA / 2, seen, trials - seen + 1)) if seen else 0.0


def highest(seen: int, trials: int) -> float:
    return float(beta.isf(ALPHA / 2, seen + 1, trials - seen)) if seen < trials else 1.0


def are_binomial(counts: Any, trials: Any, chance: float) -> bool:
    """Whether all of some counts are what they may be, with a chance of α that any honest one is not."""
    counts = np.asarray(counts)
    tail = ALPHA / 2 / counts.size
    return bool((counts >= binom.ppf(tail, trials, chance)).all() and (counts <= binom.isf(tail, trials, chance)).all())


def devices(mechanism: Mechanism, index: NDArray[np.intp]) -> NDArray[Any]:
    lines: list[object] = [mechanism.privatize(WORDS[word]) for word in index.tolist()]
    parsed = mechanism.parse_records(lines)
    assert not parsed.rejected
    return parsed.streams["element"]


def fleet(mechanism: Mechanism, index: NDArray[np.intp]) -> NDArray[Any]:
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(0))["element"]
