"""Evidence of a privacy loss: its limit and estimate, and when these are too much."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Flags
from ..registry import Measured
from .limits import ALPHA, are_binomial, highest, lowest


class Events:
    """Counts, by word, of reports that said their own word, or the opposite, where the two can be told apart."""

    def __init__(self) -> None:
        self.trials, self.said, self.unsaid = np.zeros((3, 2), np.int64)

    def add(self, words: Array, apart: Flags, said: Flags, unsaid: Flags) -> None:
        self.trials += np.bincount(words[apart], minlength=2)
        self.said += np.bincount(words[said], minlength=2)
        self.unsaid += np.bincount(words[unsaid], minlength=2)

    def measured(self, error: float) -> Measured:
        """The loss over both words."""
        trials, said, unsaid = (int(counts.sum()) for counts in (self.trials, self.said, self.unsaid))
        low = lowest(said, trials)
        limit = math.log(low / highest(unsaid, trials)) if low else -math.inf
        return Measured(limit, _log_ratio(said, unsaid), error)

    def limit_one_way(self) -> float:
        """The larger of the limits by what is said of the one word and by what is said of the other."""
        limits = [-math.inf]
        for own, other in ((0, 1), (1, 0)):
            low = lowest(int(self.said[own]), int(self.trials[own]), ALPHA / 4)
            if low:
                limits.append(math.log(low / highest(int(self.unsaid[other]), int(self.trials[other]), ALPHA / 4)))
        return max(limits)


def loss_of_flips(counts: Iterable[tuple[int, int]], error: float) -> Measured:
    """The loss by bits that are flipped independently, from flips and trials of each kind of bit."""
    kinds = list(counts)
    limit = estimate = 0.0
    for flipped, trials in kinds:
        most = highest(flipped, trials, ALPHA / len(kinds))
        limit += math.log((1 - most) / most) if most < 1 else -math.inf
        estimate += _log_ratio(trials - flipped, flipped)
    return Measured(limit, estimate, error)


def _log_ratio(one: int, other: int) -> float:
    if not other:
        return math.inf
    return math.log(one / other) if one else -math.inf


class Together:
    """Test of whether two series of reports, drawn independently, agree by no more than chance.

    Parameters
    ----------
    flip : float
        The probability of a flip.
    sizes : int
        How many values each number has that a report draws beside its flips.
    """

    def __init__(self, flip: float, *sizes: int) -> None:
        self._flip, self._sizes = flip, sizes
        self._pairs = self._places = self._flipped = 0
        self._equal = np.zeros(len(sizes), np.int64)

    def add(self, one: "Drawn", other: "Drawn") -> None:
        """Compare reports in order: flips place by place, and each number."""
        self._pairs, self._places = self._pairs + len(one.flips), self._places + one.flips.size
        self._flipped += int(np.count_nonzero(one.flips & other.flips))
        numbers = zip(one.numbers, other.numbers, strict=True)
        self._equal += np.array([np.count_nonzero(left == right) for left, right in numbers], np.int64)

    def is_chance(self) -> bool:
        """Say whether the agreement is what chance makes it, with a false alarm of at most α."""
        share = ALPHA / (1 + len(self._sizes))
        return are_binomial(self._flipped, self._places, self._flip**2, share) and all(
            are_binomial(equal, self._pairs, 1 / size, share)
            for equal, size in zip(self._equal.tolist(), self._sizes, strict=True)
        )


@dataclass(frozen=True)
class Drawn:
    """Random draws of reports: their flips, along the first axis, and numbers such as rows."""

    flips: Flags
    numbers: tuple[Array, ...]

    def every(self, part: slice) -> "Drawn":
        return Drawn(self.flips[part], tuple(drawn[part] for drawn in self.numbers))

    def add_successive(self, together: Together) -> None:
        """Compare each report with the next, in pairs; of an odd number the last is left out."""
        together.add(self.every(slice(0, len(self.flips) // 2 * 2, 2)), self.every(slice(1, None, 2)))
