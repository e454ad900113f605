import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aggregation.audit import Events, Measured, Uniformity, runs_for

from .encoding import BOXES
from .mechanism import LetterBallot

FAULTS: Final = {
    "epsilon of letters": "the letters tell two elements apart by more than ε",
    "estimate of letters": "the estimate from the letters is above ε + 0.05",
    "boxes": "the boxes are not as likely as each other, or depend on the element",
}
# For each report: which of the two words it is about, its box, and its letter.
Seen = tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]


def tally(mechanism: LetterBallot, elements: Sequence[str]) -> "Tally":
    return Tally(mechanism, elements)


def runs_needed(mechanism: LetterBallot) -> int:
    return runs_for(_error(mechanism, 1))


def log_chance_of_repeat(mechanism: LetterBallot) -> float:
    return 0.0


def _error(mechanism: LetterBallot, runs: int) -> float:
    return math.sqrt((1 / mechanism.own + 1 / mechanism.other) / runs)


class Tally:
    def __init__(self, mechanism: LetterBallot, elements: Sequence[str]) -> None:
        self.mechanism, self.runs = mechanism, 0
        self._letters = np.array([mechanism.index_of(element) for element in elements])
        self._events, self._boxes = Events(), Uniformity(len(BOXES))

    def read(self, lines: Sequence[str], words: NDArray[np.intp]) -> Seen:
        boxes, letters = zip(*(line.split(",") for line in lines), strict=True)
        return words, np.array([BOXES.index(box) for box in boxes]), np.array(letters, np.int64)

    def add(self, seen: Seen) -> None:
        words, boxes, letters = seen
        self.runs += len(words)
        own, other = self._letters[words], self._letters[1 - words]
        self._events.add(words, np.ones(len(words), bool), letters == own, letters == other)
        self._boxes.add(words, boxes)

    def add_twins(self, one: Seen, other: Seen) -> None:
        """Letters repeat by chance: nothing is concluded."""

    def loss(self) -> Measured:
        return self._events.measured(_error(self.mechanism, self.runs))

    def faults(self) -> set[str]:
        wrong = self.loss().faults("letters", float(self.mechanism.epsilon))
        return wrong if self._boxes.is_uniform() else wrong | {"boxes"}
