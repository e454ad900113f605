"""Audit of reports of bit vectors; each half of a Sequence Fragment Puzzle is one, too."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Flags, Places
from ...audit import (
    MOST_EPSILON_OF_EVENTS,
    Drawn,
    Events,
    JointFlips,
    Measured,
    Together,
    Uniformity,
    are_binomial,
    error_of_bits,
    error_of_events,
    failed,
    flip_chance,
    loss_of_flips,
    runs_for,
)
from ...randomness import flip_threshold
from .mechanism import CountMeanSketch

# Rows are taken together to see whether bits are flipped as often in all.
_ROW_CLASSES: Final = 16

FAULTS: Final = {
    "epsilon of pairs": "the bits of two elements tell them apart by more than ε",
    "estimate of pairs": "the estimate from the bits of two elements is above ε + 0.05",
    "epsilon of bits": "bits are flipped too seldom: together they give away more than ε",
    "estimate of bits": "the estimate from all flips is above ε + 0.05",
    "rate of a bit": "a bit is not flipped as often as ε says",
    "dependent bits": "flips of two bits depend on each other",
}


def runs_needed(mechanism: CountMeanSketch) -> int:
    return runs_for_vectors([mechanism])


def log_chance_of_repeat(mechanism: CountMeanSketch) -> float:
    return log_chance_of_equal([mechanism])


def runs_for_vectors(sketches: Sequence[CountMeanSketch]) -> int:
    """Return the runs with which the loss of a report of several bit vectors can be judged."""
    error = error_of_events if sum(sketch.epsilon for sketch in sketches) <= MOST_EPSILON_OF_EVENTS else error_of_bits
    return runs_for(error(sketches, 1))


def log_chance_of_equal(sketches: Sequence[CountMeanSketch]) -> float:
    """Return the log of Π 1/k·(π² + (1 - π)²)^m over the bit vectors of a report."""
    chance = 0.0
    for sketch in sketches:
        p = flip_chance(float(sketch.epsilon) / 2)
        chance += sketch.m * math.log(p**2 + (1 - p) ** 2) - math.log(sketch.k)
    return chance


@dataclass(frozen=True)
class BitReports:
    """Bit vectors about one of two words each, and which of their bits were flipped.

    ``words`` tells the two words apart, 0 or 1; ``own`` and ``other`` are the buckets of what the vector is about, and
    of what it would have been about with the other word.
    """

    words: Places
    rows: Places
    own: NDArray[np.uint32]
    other: NDArray[np.uint32]
    flips: Flags

    @cached_property
    def hot(self) -> Flags:
        """Tell of each report whether its own bit was flipped."""
        return self._at(self.own)

    @cached_property
    def pairs(self) -> tuple[Flags, Flags, Flags]:
        """Masks: where the two words can be told apart, and where their bits then say the own one, and the opposite."""
        other, apart = self._at(self.other), self.own != self.other
        return apart, ~self.hot & ~other & apart, self.hot & other & apart

    @property
    def drawn(self) -> Drawn:
        return Drawn(self.flips, (self.rows,))

    def _at(self, buckets: NDArray[np.uint32]) -> Flags:
        flipped: Flags = self.flips[np.arange(len(self.flips)), buckets]
        return flipped


class VectorLoss:
    """The loss by reports of one or several bit vectors."""

    runs = 0
    sketches: Sequence[CountMeanSketch]
    events: Events

    @property
    def flips(self) -> list[tuple[int, int]]:
        """Flips and trials of the own bits of each vector, and of all others."""
        raise NotImplementedError

    def by_pairs(self) -> Measured:
        """The loss where all vectors have two bits that tell the words apart, by these saying the same."""
        return self.events.measured(error_of_events(self.sketches, self.runs))

    def by_bits(self) -> Measured:
        """The loss by own and other bits, each by itself."""
        return loss_of_flips(self.flips, error_of_bits(self.sketches, self.runs))

    def loss(self) -> Measured:
        return self.by_pairs() if sum(self._epsilons) <= MOST_EPSILON_OF_EVENTS else self.by_bits()

    def loss_faults(self, pairs: str, bits: str) -> set[str]:
        """Return what is wrong with the loss by either, which the names of faults end with."""
        epsilon = float(sum(self._epsilons))
        wrong = self.by_pairs().faults(pairs, epsilon) | self.by_bits().faults(bits, epsilon)
        return wrong | ({f"epsilon of {pairs}"} if self.events.limit_one_way() > epsilon else set())

    @property
    def _epsilons(self) -> list[Decimal]:
        return [sketch.epsilon for sketch in self.sketches]


class BitTally(VectorLoss):
    """Counts over reports of one sketch, a batch at a time.

    Parameters
    ----------
    sketch : CountMeanSketch
        Mechanism that the client was given.
    elements : sequence of str
        All that reports may be about.
    """

    def __init__(self, sketch: CountMeanSketch, elements: Sequence[str]) -> None:
        self.sketch, self.sketches = sketch, [sketch]
        self.flip = flip_threshold(sketch.epsilon / 2) / 2**64
        self.events = Events()
        self._buckets = sketch.family.buckets(sketch.family.points(elements), 0, sketch.k, sketch.m)
        self._hot, self._flips_of_bit = 0, np.zeros(sketch.m, np.int64)
        self._row_classes = min(sketch.k, _ROW_CLASSES)
        self._runs_of_rows, self._flips_of_rows = np.zeros((2, self._row_classes), np.int64)
        self._joint = JointFlips(sketch.m, sketch.m)
        self._rows = Uniformity(sketch.k)
        self._successive, self._twins = (Together(self.flip, sketch.k) for _ in range(2))

    def observe(self, records: Array, own: Places, other: Places, words: Places) -> BitReports:
        """Look at records about the elements ``own``, of which the other word would have said ``other``."""
        rows = records["row"].astype(np.intp)
        own_bucket = self._buckets[rows, own]
        flips = np.unpackbits(records["bits"], axis=1).view(bool)
        flips[np.arange(len(records)), own_bucket] ^= True
        return BitReports(words, rows, own_bucket, self._buckets[rows, other], flips)

    def read(self, lines: Sequence[str], words: Places) -> BitReports:
        """Look at the lines of a client that sends nothing else."""
        return self.observe(self.sketch.parse_records(lines).streams["element"], words, 1 - words, words)

    def add(self, seen: BitReports) -> None:
        """Count an even number of successive reports of one client."""
        self.runs += len(seen.rows)
        self.events.add(seen.words, *seen.pairs)
        self._hot += int(seen.hot.sum())
        self._flips_of_bit += seen.flips.sum(axis=0)
        classes = seen.rows % self._row_classes
        self._runs_of_rows += np.bincount(classes, minlength=self._row_classes)
        flipped = np.bincount(classes, seen.flips.sum(axis=1), self._row_classes)
        self._flips_of_rows += flipped.astype(np.int64)  # exact: far below 2^53
        self._joint.add(seen.flips, seen.flips)
        self._rows.add(seen.words, seen.rows)
        seen.drawn.add_successive(self._successive)

    def add_twins(self, one: BitReports, other: BitReports) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        self._twins.add(one.drawn, other.drawn)

    @property
    def flips(self) -> list[tuple[int, int]]:
        """Flips and trials of own bits, and of all others."""
        cold = int(self._flips_of_bit.sum()) - self._hot
        return [(self._hot, self.runs), (cold, self.runs * (self.sketch.m - 1))]

    def faults(self) -> set[str]:
        """Return what is wrong, each with a chance of at most α with an honest client; there are eleven checks."""
        checks = {
            "rate of a bit": are_binomial(self._flips_of_bit, self.runs, self.flip),
            "rate in a row": are_binomial(self._flips_of_rows, self._runs_of_rows * self.sketch.m, self.flip),
            "dependent bits": self._joint.is_independent(self.flip, self.flip, apart=True),
            "dependent reports": self._successive.is_chance(),
            "replayed": self._twins.is_chance(),
            "rows": self._rows.is_uniform(),
        }
        return self.loss_faults("pairs", "bits") | failed(checks)


tally = BitTally
