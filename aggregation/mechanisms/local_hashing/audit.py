"""Audit of reports of one bucket: local hashing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Array, Flags, Places
from ...audit import (
    ALPHA,
    MOST_EPSILON_OF_EVENTS,
    Drawn,
    Events,
    Measured,
    Together,
    Uniformity,
    are_binomial,
    failed,
    highest,
    runs_for,
)
from ...encoding import unpack_buckets
from .mechanism import LocalHashing

# Rows are taken together to see whether devices lie as often in all.
_CLASSES: Final = 16

FAULTS: Final = {
    "epsilon of buckets": "the buckets of two elements tell them apart by more than ε",
    "estimate of buckets": "the estimate from the buckets of two elements is above ε + 0.05",
    "epsilon of lies": "devices lie too seldom: buckets give away more than ε",
    "estimate of lies": "the estimate from all lies is above ε + 0.05",
    "rate of lies": "devices do not lie as often as ε says",
    "lies": "lies are not uniform among the other buckets, or depend on the element",
}


def runs_needed(mechanism: LocalHashing) -> int:
    by_events = mechanism.epsilon <= MOST_EPSILON_OF_EVENTS
    return runs_for((error_of_buckets if by_events else error_of_lies)(mechanism, 1))


def log_chance_of_repeat(mechanism: LocalHashing) -> float:
    """Return the log of (p² + (1 - p)²/(g - 1))/k."""
    p, q = mechanism.debiased.support
    return math.log((p**2 + (mechanism.g - 1) * q**2) / mechanism.k)


def error_of_buckets(mechanism: LocalHashing, runs: int) -> float:
    """Return the standard error of the log ratio of {the own bucket} and {that of the other word}: √((1/p + 1/q)/N).

    N are the runs in which the two words have different buckets, as they have in 1 - 1/g of the rows.
    """
    p, q = mechanism.debiased.support
    return math.sqrt((1 / p + 1 / q) / (runs * (1 - 1 / mechanism.g)))


def error_of_lies(mechanism: LocalHashing, runs: int) -> float:
    """Return the standard error of the log odds of a lie."""
    p, _ = mechanism.debiased.support
    return math.sqrt(1 / (p * (1 - p) * runs))


@dataclass(frozen=True)
class BucketReports:
    """Reports about one of two words each, both words' buckets there, and how far behind the own one is what was sent.

    ``steps`` is (y - own) mod g, which is 0 where a device did not lie.
    """

    words: Places
    rows: Places
    own: Places
    other: Places
    steps: Places
    g: int

    @property
    def lies(self) -> Flags:
        return self.steps > 0

    @property
    def drawn(self) -> Drawn:
        return Drawn(self.lies, (self.rows,))

    def only(self, chosen: Flags) -> "BucketReports":
        """Return some of the reports."""
        words, rows, own, other, steps = (
            array[chosen] for array in (self.words, self.rows, self.own, self.other, self.steps)
        )
        return BucketReports(words, rows, own, other, steps, self.g)


class BucketTally:
    """Counts over reports of one sketch, a batch at a time.

    Parameters
    ----------
    sketch : LocalHashing
        Mechanism that the client was given.
    elements : sequence of str
        All that reports may be about.
    """

    def __init__(self, sketch: LocalHashing, elements: Sequence[str]) -> None:
        self.sketch, self.runs = sketch, 0
        self.lie = sketch.lie_threshold / 2**64
        self.events = Events()
        self._buckets = sketch.family.buckets(sketch.family.points(elements), 0, sketch.k, sketch.g).astype(np.intp)
        self._lies, self._runs_of_words = np.zeros((2, 2), np.int64)
        self._lies_of_class, self._runs_of_class = np.zeros((2, _CLASSES), np.int64)
        self._rows, self._steps = Uniformity(sketch.k), Uniformity(sketch.g - 1)
        self._successive, self._twins = (Together(self.lie, sketch.k) for _ in range(2))

    def read(self, lines: Sequence[str], words: Places) -> BucketReports:
        """Look at the lines of a client that sends nothing else."""
        return self.observe(self.sketch.parse_records(lines).streams["element"], words, 1 - words, words)

    def observe(self, records: Array, own: Places, other: Places, words: Places) -> BucketReports:
        """Look at records about the elements ``own``, of which the other word would have said ``other``."""
        rows, sent = (column.astype(np.intp) for column in unpack_buckets(records, self.sketch.g))
        own, other = self._buckets[rows, own], self._buckets[rows, other]
        return BucketReports(words, rows, own, other, (sent - own) % self.sketch.g, self.sketch.g)

    def add(self, seen: BucketReports) -> None:
        """Count successive reports of one client."""
        self.runs += len(seen.rows)
        apart, to_other = seen.own != seen.other, seen.steps == (seen.other - seen.own) % seen.g
        self.events.add(seen.words, apart, ~seen.lies & apart, to_other & apart)
        self._runs_of_words += np.bincount(seen.words, minlength=2)
        self._lies += np.bincount(seen.words[seen.lies], minlength=2)
        classes = seen.rows % _CLASSES
        self._runs_of_class += np.bincount(classes, minlength=_CLASSES)
        self._lies_of_class += np.bincount(classes[seen.lies], minlength=_CLASSES)
        self._rows.add(seen.words, seen.rows)
        self._steps.add(seen.words[seen.lies], seen.steps[seen.lies] - 1)
        seen.drawn.add_successive(self._successive)

    def add_twins(self, one: BucketReports, other: BucketReports) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        self._twins.add(one.drawn, other.drawn)

    def by_buckets(self) -> Measured:
        """The loss where the two words have different buckets, by these two."""
        return self.events.measured(error_of_buckets(self.sketch, self.runs))

    def by_lies(self) -> Measured:
        """The loss by how often devices lie, where every other bucket has the same part of the lies."""
        lies, others = int(self._lies.sum()), self.sketch.g - 1
        most = highest(lies, self.runs, ALPHA)
        limit = math.log(others * (1 - most) / most) if most < 1 else -math.inf
        told = math.inf if not lies else math.log(others * (self.runs - lies) / lies) if lies < self.runs else -math.inf
        return Measured(limit, told, error_of_lies(self.sketch, self.runs))

    def loss(self) -> Measured:
        return self.by_buckets() if self.sketch.epsilon <= MOST_EPSILON_OF_EVENTS else self.by_lies()

    def faults(self) -> set[str]:
        """Return what is wrong, each with a chance of at most α with an honest client; there are eleven checks."""
        epsilon = float(self.sketch.epsilon)
        wrong = self.by_buckets().faults("buckets", epsilon) | self.by_lies().faults("lies", epsilon)
        if self.events.limit_one_way() > epsilon:
            wrong.add("epsilon of buckets")
        checks = {
            "rate of lies": are_binomial(self._lies, self._runs_of_words, self.lie),
            "rate in a row": are_binomial(self._lies_of_class, self._runs_of_class, self.lie),
            "dependent reports": self._successive.is_chance(),
            "replayed": self._twins.is_chance(),
            "rows": self._rows.is_uniform(),
            "lies": self._steps.is_uniform(),
        }
        return wrong | failed(checks)


tally = BucketTally
