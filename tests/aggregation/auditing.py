"""What the audits of all clients share: the bounds of what may be seen, and the honest clients."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, chi2

from aggregation.mechanisms import Mechanism
from aggregation.mechanisms.count_mean_sketch import CountMeanSketch
from aggregation.randomness import flip_threshold

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


def are_uniform(counts: Any) -> bool:
    """Whether counts differ by no more than chance makes them, by χ² at α; each is expected to be 50 at least."""
    counts = np.asarray(counts)
    expected = counts.mean()
    assert expected >= 50
    return bool(chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1) >= ALPHA)


@dataclass(frozen=True)
class Observed:
    """Bit vectors about one of two elements each, and which of their bits were flipped.

    ``words`` tells the two words apart that the reports are about, whichever element of a word a vector is of.
    """

    sketch: CountMeanSketch
    words: NDArray[np.intp]
    rows: NDArray[np.intp]
    own: NDArray[np.uint32]
    other: NDArray[np.uint32]
    flips: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        sketch: CountMeanSketch,
        records: NDArray[Any],
        elements: list[str],
        own: NDArray[np.intp],
        other: NDArray[np.intp],
        words: NDArray[np.intp],
    ) -> "Observed":
        """Look at records about the elements ``own``, of which the other word would have said ``other``."""
        rows = records["row"].astype(np.intp)
        buckets = sketch.family.buckets(sketch.family.points(elements), 0, sketch.k, sketch.m)
        flips = np.unpackbits(records["bits"], axis=1).astype(bool)
        flips[np.arange(len(records)), buckets[rows, own]] ^= True
        return cls(sketch, words, rows, buckets[rows, own], buckets[rows, other], flips)

    def at(self, buckets: NDArray[np.uint32]) -> NDArray[np.bool_]:
        flipped: NDArray[np.bool_] = self.flips[np.arange(len(self.flips)), buckets]
        return flipped

    def pairs(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Where the two elements can be told apart, and where their bits then say the one, and the opposite."""
        own, other, apart = self.at(self.own), self.at(self.other), self.own != self.other
        return apart, ~own & ~other & apart, own & other & apart

    def epsilon_of_bits(self) -> tuple[float, float]:
        """The limit and the estimate from the flips of the own bit and those of all others, each by itself."""
        hot = int(self.at(self.own).sum())
        cold = int(self.flips.sum()) - hot
        limit = estimate = 0.0
        for seen, trials in ((hot, len(self.flips)), (cold, len(self.flips) * (self.sketch.m - 1))):
            limit += np.log(1 / highest(seen, trials) - 1)
            estimate += np.log(trials / seen - 1) if seen else np.inf
        return limit, estimate


def epsilon_of_events(
    apart: NDArray[np.bool_], true: NDArray[np.bool_], false: NDArray[np.bool_]
) -> tuple[float, float]:
    """The lower limit, and the estimate, from how often a report says one word and how often the opposite."""
    trials, said, unsaid = int(apart.sum()), int(true.sum()), int(false.sum())
    estimate = np.log(said / unsaid) if unsaid else np.inf
    return float(np.log(lowest(said, trials) / highest(unsaid, trials))), float(estimate)


def joint_flips(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How often every bit of the one and every bit of the other were flipped together."""
    joint = np.zeros((first.shape[1], second.shape[1]), np.int64)
    for start in range(0, len(first), 50_000):
        part = slice(start, start + 50_000)
        joint += (first[part].astype(np.float32).T @ second[part]).astype(np.int64)  # exact: far below 2^24
    return joint


def bit_faults(seen: Observed) -> set[str]:
    """Return what is wrong with bit vectors; eight checks, each at α."""
    runs, sketch = len(seen.flips), seen.sketch
    epsilon, flip = float(sketch.epsilon), flip_threshold(sketch.epsilon / 2) / 2**64
    wrong = set()
    for name, (limit, estimate) in (("pairs", epsilon_of_events(*seen.pairs())), ("bits", seen.epsilon_of_bits())):
        wrong |= epsilon_faults(name, limit, estimate, epsilon)
    joint = joint_flips(seen.flips, seen.flips)  # on the diagonal, each by itself
    if not are_binomial(np.diag(joint), runs, flip):
        wrong.add("rate of a bit")
    if not are_binomial(joint[np.triu_indices(sketch.m, 1)], runs, flip**2):
        wrong.add("dependent bits")
    again = int((seen.flips[0::2] & seen.flips[1::2]).sum())
    if not are_binomial(again, runs // 2 * sketch.m, flip**2):
        wrong.add("dependent reports")
    rows = [np.bincount(seen.rows[seen.words == word], minlength=sketch.k) for word in (0, 1)]
    if not are_binomial(rows, runs // 2, 1 / sketch.k):
        wrong.add("rows")
    return wrong


def epsilon_faults(name: str, limit: float, estimate: float, epsilon: float) -> set[str]:
    """Return which of limit and estimate are above ε; an estimate only up to where there are the runs for it."""
    wrong = {f"epsilon of {name}"} if limit > epsilon else set()
    return wrong | ({f"estimate of {name}"} if epsilon <= MOST_EPSILON and estimate > epsilon + TOLERANCE else set())


def devices(mechanism: Mechanism, index: NDArray[np.intp]) -> NDArray[Any]:
    lines: list[object] = [mechanism.privatize(WORDS[word]) for word in index.tolist()]
    parsed = mechanism.parse_records(lines)
    assert not parsed.rejected
    return parsed.streams["element"]


def fleet(mechanism: Mechanism, index: NDArray[np.intp]) -> NDArray[Any]:
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(0))["element"]
