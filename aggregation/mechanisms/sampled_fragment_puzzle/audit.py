"""Audit of reports of one bucket, of a word or of a fragment of it: sampled fragment puzzle.

Which of both a report is about, and the position, are drawn without looking at the word. So all that tells two words
apart is the bucket, and the loss is the larger one of the two sketches'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Flags, Places
from ...audit import COMMON_FAULTS, Drawn, Measured, Together, Uniformity, are_binomial, failed
from ..local_hashing import audit as buckets
from .encoding import WHOLE, parse_sampled
from .mechanism import SampledFragmentPuzzle

FAULTS: Final = {
    **{
        f"{half}: {fault}": f"{half}: {words}"
        for half in ("words", "fragments")
        for fault, words in {**COMMON_FAULTS, **buckets.FAULTS}.items()
    },
    "kinds": "reports are not about fragments as often as fragment_share says, or that depends on the word",
    "dependent kinds": "whether a report is about a fragment depends on the one before",
    "kinds replayed": "two clients that were started anew draw the same kinds of reports",
    "positions": "positions are not uniform, or depend on the word",
    "positions and rows": "positions and rows depend on each other or on the word",
}


def runs_needed(mechanism: SampledFragmentPuzzle) -> int:
    """Return the runs of which enough are about words, and enough about fragments."""
    share = float(mechanism.fragment_share)
    words, fragments = buckets.runs_needed(mechanism.words), buckets.runs_needed(mechanism.fragments)
    return round(max(words / (1 - share), fragments / share))


def log_chance_of_repeat(mechanism: SampledFragmentPuzzle) -> float:
    """Return the larger one of both sketches': that of two reports about the same."""
    return max(buckets.log_chance_of_repeat(sketch) for sketch in (mechanism.words, mechanism.fragments))


@dataclass(frozen=True)
class SampledReports:
    """Reports about one of two words each, their positions, and what is seen of those about words and fragments."""

    positions: NDArray[np.uint8]
    words: Places
    of_words: buckets.BucketReports
    of_fragments: buckets.BucketReports

    @property
    def whole(self) -> Flags:
        return np.asarray(self.positions == WHOLE)

    @property
    def kinds(self) -> Drawn:
        return Drawn(~self.whole, ())


class SampledTally:
    """Counts over reports of a word or a fragment, a batch at a time.

    Parameters
    ----------
    mechanism : SampledFragmentPuzzle
        Mechanism that the client was given.
    elements : sequence of str
        The two words, padded.
    """

    def __init__(self, mechanism: SampledFragmentPuzzle, elements: Sequence[str]) -> None:
        self.mechanism, self.runs = mechanism, 0
        self.share = mechanism.fragment_threshold / 2**64
        # The fragment of a word at a place is ``word · places + place`` of these.
        fragments = [mechanism.fragment_of(word, position) for word in elements for position in mechanism.positions]
        self.word = buckets.BucketTally(mechanism.words, elements)
        self.fragment = buckets.BucketTally(mechanism.fragments, fragments)
        self._runs_of_words, self._fragments_of_words = np.zeros((2, 2), np.int64)
        places = len(mechanism.positions)
        self._places, self._drawn = Uniformity(places), Uniformity(places, mechanism.fragments.k)
        self._successive, self._twins = (Together(self.share) for _ in range(2))

    def read(self, lines: Sequence[str], words: Places) -> SampledReports:
        """Look at the lines of a client."""
        mechanism = self.mechanism
        shapes = mechanism.fragment_shape, mechanism.word_shape
        parts, _rejected = parse_sampled(lines, mechanism.positions, *shapes)
        return self.observe(parts, words)

    def observe(self, parts: Mapping[str, Array], words: Places) -> SampledReports:
        """Look at the parts of reports."""
        positions, records = parts["position"], parts["record"]
        whole, size = positions == WHOLE, len(self.mechanism.positions)
        places = (positions[~whole].astype(np.intp) - 1) // 2
        own, other = words[~whole] * size + places, (1 - words[~whole]) * size + places
        of_words = self.word.observe(records[whole], words[whole], 1 - words[whole], words[whole])
        of_fragments = self.fragment.observe(records[~whole], own, other, words[~whole])
        return SampledReports(positions, words, of_words, of_fragments)

    def add(self, seen: SampledReports) -> None:
        """Count an even number of successive reports of one client."""
        self.runs += len(seen.words)
        self.word.add(seen.of_words)
        self.fragment.add(seen.of_fragments)
        self._runs_of_words += np.bincount(seen.words, minlength=2)
        about, places = seen.words[~seen.whole], (seen.positions[~seen.whole].astype(np.intp) - 1) // 2
        self._fragments_of_words += np.bincount(about, minlength=2)
        self._places.add(about, places)
        self._drawn.add(about, places, seen.of_fragments.rows)
        seen.kinds.add_successive(self._successive)

    def add_twins(self, one: SampledReports, other: SampledReports) -> None:
        """Compare what two clients, each started anew, sent in the same order, where both are about the same."""
        self._twins.add(one.kinds, other.kinds)
        self.word.add_twins(*(each.of_words.only((one.whole & other.whole)[each.whole]) for each in (one, other)))
        both = ~one.whole & ~other.whole
        self.fragment.add_twins(*(each.of_fragments.only(both[~each.whole]) for each in (one, other)))

    def loss(self) -> Measured:
        """The larger one of the losses by words and by fragments."""
        return max((each.loss() for each in self._halves.values()), key=lambda measured: measured.estimate)

    def faults(self) -> set[str]:
        """Return what is wrong, each with a chance of at most α with an honest client; there are 27 checks."""
        wrong = {f"{half}: {fault}" for half, each in self._halves.items() for fault in each.faults()}
        checks = {
            "kinds": are_binomial(self._fragments_of_words, self._runs_of_words, self.share),
            "dependent kinds": self._successive.is_chance(),
            "kinds replayed": self._twins.is_chance(),
            "positions": self._places.is_uniform(),
            "positions and rows": self._drawn.is_uniform(),
        }
        return wrong | failed(checks)

    @property
    def _halves(self) -> dict[str, buckets.BucketTally]:
        """Tallies of the kinds that there are reports of; a client without any of one kind is found by that."""
        halves = {"words": self.word, "fragments": self.fragment}
        return {half: each for half, each in halves.items() if each.runs}


tally = SampledTally
