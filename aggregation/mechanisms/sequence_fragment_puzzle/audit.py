"""Audit of reports of two bit vectors, one of a word and one of a fragment of it: Sequence Fragment Puzzle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Array, Places
from ...audit import COMMON_FAULTS, Events, JointFlips, Uniformity, failed
from ..count_mean_sketch import audit as vectors
from .encoding import parse_fragments
from .mechanism import SequenceFragmentPuzzle

FAULTS: Final = {
    **{
        f"{half}: {fault}": f"{half}: {words}"
        for half in ("words", "fragments")
        for fault, words in {**COMMON_FAULTS, **vectors.FAULTS}.items()
    },
    "epsilon of both": "word and fragment together tell two words apart by more than ε + ε′",
    "estimate of both": "the estimate from word and fragment together is above ε + ε′ + 0.05",
    "epsilon of all bits": "bits are flipped too seldom: both halves together give away more than ε + ε′",
    "estimate of all bits": "the estimate from the flips of both halves is above ε + ε′ + 0.05",
    "dependent halves": "flips of the word and of its fragment depend on each other",
    "positions": "positions are not uniform, or depend on the word",
    "positions and rows": "positions and rows depend on each other or on the word",
}


def runs_needed(mechanism: SequenceFragmentPuzzle) -> int:
    return vectors.runs_for_vectors([mechanism.words, mechanism.fragments])


def log_chance_of_repeat(mechanism: SequenceFragmentPuzzle) -> float:
    return vectors.log_chance_of_equal([mechanism.words, mechanism.fragments])


@dataclass(frozen=True)
class HalvedReports:
    """Both halves of each report, with the link between them that the server does not keep, and its place."""

    places: Places
    word: vectors.BitReports
    fragment: vectors.BitReports


class HalvesTally(vectors.VectorLoss):
    """Counts over reports of two sketches, a batch at a time.

    Parameters
    ----------
    mechanism : SequenceFragmentPuzzle
        Mechanism that the client was given.
    elements : sequence of str
        The two words, padded.
    """

    def __init__(self, mechanism: SequenceFragmentPuzzle, elements: Sequence[str]) -> None:
        self.mechanism, self.sketches = mechanism, [mechanism.words, mechanism.fragments]
        # The fragment of a word at a place is ``word · places + place`` of these.
        fragments = [mechanism.fragment_of(word, position) for word in elements for position in mechanism.positions]
        self.word = vectors.BitTally(mechanism.words, elements)
        self.fragment = vectors.BitTally(mechanism.fragments, fragments)
        self.events = Events()
        self._joint = JointFlips(mechanism.fragments.m, mechanism.words.m)
        places = len(mechanism.positions)
        self._places = Uniformity(places)
        self._drawn = Uniformity(places, mechanism.fragments.k, mechanism.words.k)

    def read(self, lines: Sequence[str], words: Places) -> HalvedReports:
        """Look at the lines of a client, as an observer sees them before the server splits them."""
        shapes = [(sketch.k, sketch.m) for sketch in (self.mechanism.fragments, self.mechanism.words)]
        parts, _rejected = parse_fragments(lines, self.mechanism.positions, *shapes)
        return self.observe(parts, words)

    def observe(self, parts: Mapping[str, Array], words: Places) -> HalvedReports:
        """Look at the parts of reports, those of one report in the same place."""
        places, size = (parts["position"].astype(np.intp) - 1) // 2, len(self.mechanism.positions)
        others = 1 - words
        word = self.word.observe(parts["element"], words, others, words)
        fragment = self.fragment.observe(parts["fragment"], words * size + places, others * size + places, words)
        return HalvedReports(places, word, fragment)

    def add(self, seen: HalvedReports) -> None:
        """Count an even number of successive reports of one client."""
        self.runs += len(seen.places)
        self.word.add(seen.word)
        self.fragment.add(seen.fragment)
        both = (one & other for one, other in zip(seen.word.pairs, seen.fragment.pairs, strict=True))
        self.events.add(seen.word.words, *both)
        self._joint.add(seen.fragment.flips, seen.word.flips)
        self._places.add(seen.word.words, seen.places)
        self._drawn.add(seen.word.words, seen.places, seen.fragment.rows, seen.word.rows)

    def add_twins(self, one: HalvedReports, other: HalvedReports) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        self.word.add_twins(one.word, other.word)
        self.fragment.add_twins(one.fragment, other.fragment)

    @property
    def flips(self) -> list[tuple[int, int]]:
        return [*self.word.flips, *self.fragment.flips]

    def faults(self) -> set[str]:
        """Return what is wrong, each with a chance of at most α with an honest client; there are 30 checks."""
        wrong = self.loss_faults("both", "all bits")
        wrong |= {f"words: {fault}" for fault in self.word.faults()}
        wrong |= {f"fragments: {fault}" for fault in self.fragment.faults()}
        checks = {
            "dependent halves": self._joint.is_independent(self.fragment.flip, self.word.flip),
            "positions": self._places.is_uniform(),
            "positions and rows": self._drawn.is_uniform(),
        }
        return wrong | failed(checks)


tally = HalvesTally
