"""Audit of reports of one sign: Hadamard Count Mean Sketch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Array, Flags, Places
from ...audit import Drawn, Measured, Together, Uniformity, are_binomial, failed, flip_chance, loss_of_flips, runs_for
from ...encoding import unpack_coordinates
from ...randomness import flip_threshold
from ...sketches import are_negative
from .mechanism import HadamardCountMeanSketch

# Rows, and coordinates, are taken together to see whether signs are flipped as often in all.
_CLASSES: Final = 16

FAULTS: Final = {
    "epsilon of signs": "signs are flipped too seldom: they give away more than ε",
    "estimate of signs": "the estimate from the signs is above ε + 0.05",
    "epsilon of all signs": "signs are flipped too seldom: they give away more than ε",
    "estimate of all signs": "the estimate from all signs is above ε + 0.05",
    "rate of a sign": "a sign is not flipped as often as ε says",
    "coordinates": "coordinates are not uniform, or depend on the element",
    "cells": "rows and coordinates depend on each other or on the element",
}


def runs_needed(mechanism: HadamardCountMeanSketch) -> int:
    return runs_for(error_of_signs(mechanism, 1))


def log_chance_of_repeat(mechanism: HadamardCountMeanSketch) -> float:
    """Return 0: signed coordinates come twice by chance."""
    return 0.0


def error_of_signs(mechanism: HadamardCountMeanSketch, runs: int) -> float:
    """Return the standard error of the log odds of a sign's flip, over the runs at which the signs of two words differ.

    Those are half of the coordinates where two buckets differ, as they do in 1 - 1/m of the rows.
    """
    p = flip_chance(float(mechanism.epsilon))
    return math.sqrt(1 / (p * (1 - p) * runs * (1 - 1 / mechanism.m) / 2))


@dataclass(frozen=True)
class SignReports:
    """Reports about one of two words each, both words' true signs there, and which reports were flipped."""

    words: Places
    rows: Places
    coordinates: Places
    own: Flags
    other: Flags
    flips: Flags

    @property
    def drawn(self) -> Drawn:
        return Drawn(self.flips, (self.rows, self.coordinates))


class SignTally:
    """Counts over reports of one sketch, a batch at a time.

    Parameters
    ----------
    sketch : HadamardCountMeanSketch
        Mechanism that the client was given.
    elements : sequence of str
        The two words.
    """

    def __init__(self, sketch: HadamardCountMeanSketch, elements: Sequence[str]) -> None:
        self.sketch, self.runs = sketch, 0
        self.flip = flip_threshold(sketch.epsilon) / 2**64
        self._buckets = sketch.family.buckets(sketch.family.points(elements), 0, sketch.k, sketch.m)
        # By word, its own sign, and that of the other.
        self._reports, self._flips = np.zeros((2, 8), np.int64)
        self._reports_of_class, self._flips_of_class = np.zeros((2, 2, _CLASSES), np.int64)
        k, m = sketch.k, sketch.m
        self._drawn = {"rows": Uniformity(k), "coordinates": Uniformity(m), "cells": Uniformity(k, m)}
        self._successive, self._twins = (Together(self.flip, k, m) for _ in range(2))

    def read(self, lines: Sequence[str], words: Places) -> SignReports:
        """Look at the lines of a client."""
        return self.observe(self.sketch.parse_records(lines).streams["element"], words)

    def observe(self, records: Array, words: Places) -> SignReports:
        rows, coordinates, positive = unpack_coordinates(records, self.sketch.m)
        own, other = (~are_negative(self._buckets[rows, word], coordinates) for word in (words, 1 - words))
        return SignReports(words, rows.astype(np.intp), coordinates.astype(np.intp), own, other, own != positive)

    def add(self, seen: SignReports) -> None:
        """Count an even number of successive reports of one client."""
        self.runs += len(seen.rows)
        kinds = seen.words * 4 + seen.own * 2 + seen.other
        self._reports += np.bincount(kinds, minlength=8)
        self._flips += np.bincount(kinds[seen.flips], minlength=8)
        for i, drawn in enumerate((seen.rows % _CLASSES, seen.coordinates % _CLASSES)):
            self._reports_of_class[i] += np.bincount(drawn, minlength=_CLASSES)
            self._flips_of_class[i] += np.bincount(drawn[seen.flips], minlength=_CLASSES)
        self._drawn["rows"].add(seen.words, seen.rows)
        self._drawn["coordinates"].add(seen.words, seen.coordinates)
        self._drawn["cells"].add(seen.words, seen.rows, seen.coordinates)
        seen.drawn.add_successive(self._successive)

    def add_twins(self, one: SignReports, other: SignReports) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        self._twins.add(one.drawn, other.drawn)

    def loss(self) -> Measured:
        """The loss where the two words' signs differ."""
        kinds = np.arange(8)
        apart = (kinds >> 1 & 1) != (kinds & 1)
        flips = [(int(self._flips[apart].sum()), int(self._reports[apart].sum()))]
        return loss_of_flips(flips, error_of_signs(self.sketch, self.runs))

    def by_all_signs(self) -> Measured:
        """The loss by all signs: there are words that differ at any coordinate."""
        error = error_of_signs(self.sketch, 2 * self.runs)
        return loss_of_flips([(int(self._flips.sum()), self.runs)], error)

    def faults(self) -> set[str]:
        """Return what is wrong, each with a chance of at most α with an honest client; there are eleven checks."""
        epsilon = float(self.sketch.epsilon)
        wrong = self.loss().faults("signs", epsilon) | self.by_all_signs().faults("all signs", epsilon)
        checks = {
            # A flip depends on nothing: not on the sign, nor on whether it tells the words apart.
            "rate of a sign": are_binomial(self._flips, self._reports, self.flip),
            "rate in a row": are_binomial(self._flips_of_class, self._reports_of_class, self.flip),
            "dependent reports": self._successive.is_chance(),
            "replayed": self._twins.is_chance(),
            **{name: drawn.is_uniform() for name, drawn in self._drawn.items()},
        }
        return wrong | failed(checks)


tally = SignTally
