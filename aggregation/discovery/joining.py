"""Joining fragments to words: for each puzzle byte, whatever fits together from all positions and solves the puzzle."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from ..arrays import Integers
from ..normalization import PAD
from ..registry import PUZZLES, DiscoveryMechanism
from ..sketches import puzzle_byte
from .fragment_cut import Cut
from .keys import FragmentKeys

# The most words that are put together; each takes a hash.
MOST_JOINED: Final = 2**20


@dataclass(frozen=True, eq=False)
class Joined:
    """The words that fit.

    Parameters
    ----------
    words : list of str
        Padded candidates whose puzzle byte is that of their fragments, sorted, none twice.
    kept : list of int, length P
        Of how many fragments at each position.
    tried : int
        How many were put together to find them.
    strictness : float
        By what factor the cuts were raised so as not to put together more than the ceiling; 1 if it did not bind.
    """

    words: list[str]
    kept: list[int]
    tried: int
    strictness: float


def join_fragments(mechanism: DiscoveryMechanism, keys: FragmentKeys, cut: Cut, most: int = MOST_JOINED) -> Joined:
    """Put the kept fragments together.

    Parameters
    ----------
    mechanism : DiscoveryMechanism
        Has the seed of the puzzle.
    keys : FragmentKeys
        What the indices in the cut are of.
    cut : Cut
        The fragments that stand out at each position.
    most : int
        How many words are put together at most.

    Returns
    -------
    Joined

    Notes
    -----
    A word takes one fragment of the same puzzle byte from every position, and after its first pad there are only pads;
    of these every one is made, and nothing that could not be completed. How many they are is counted before any is
    made. If they are more than ``most``, the cuts of all positions are raised by one factor, the least of those that
    leave no more: rarer words are then missing, never some at random. Fragments equally far above their cuts stay or go
    together, so that nothing is left where all are equal and too many.

    Of the words put together that were not reported, one in 256 solves the puzzle by chance.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Sequence Fragment Puzzle".
    """
    shapes = np.array([_shape(fragment) for fragment in keys.fragments])
    strengths = [own / threshold for own, threshold in zip(cut.estimates, cut.thresholds, strict=True)]

    def kept(level: float) -> list[Integers]:
        return [own[strength >= level] for own, strength in zip(cut.kept, strengths, strict=True)]

    level = 1.0
    if _count(cut.kept, shapes) > most:
        levels = np.unique(np.concatenate(strengths))
        # At the last of them nothing is left.
        levels = np.append(levels, np.nextafter(levels[-1], np.inf))
        level = float(levels[bisect_left(levels[:-1], True, key=lambda level: _count(kept(level), shapes) <= most)])
    tried, words, put_together = 0, [], kept(level) if level > 1 else cut.kept
    seed = mechanism.seed
    for puzzle, positions in _by_puzzle(put_together, keys):
        for word in _words(positions):
            tried += 1
            if puzzle_byte(seed, word) == puzzle:
                words.append(word)
    return Joined(sorted(words), [len(own) for own in put_together], tried, level)


def _shape(fragment: str) -> int:
    """Return how many letters a fragment has."""
    return len(fragment.rstrip(PAD))


def _count(kept: Sequence[Integers], shapes: Integers) -> float:
    """Return how many words fit together, over all puzzle bytes; in float64, because they may be 10^28."""
    of_shape = np.zeros((len(kept), 3, PUZZLES))
    for position, own in enumerate(kept):
        np.add.at(of_shape[position], (shapes[own % len(shapes)], own // len(shapes)), 1)
    pads, halves, full = of_shape[:, 0], of_shape[:, 1], of_shape[:, 2]
    # From the end: in how many ways a word goes on here, and in how many it is over.
    on, over = np.ones(PUZZLES), np.ones(PUZZLES)
    for position in reversed(range(len(kept))):
        on = full[position] * on + halves[position] * over
        over = pads[position] * over
        if position:  # a word has a letter at the first one
            on += over
    return float(on.sum())


def _by_puzzle(kept: Sequence[Integers], keys: FragmentKeys) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield each puzzle byte and its fragments at every position, unless some position has none."""
    found: list[list[list[str]]] = [[[] for _ in kept] for _ in range(PUZZLES)]
    for position, own in enumerate(kept):
        for key in own.tolist():
            puzzle, fragment = divmod(key, len(keys.fragments))
            found[puzzle][position].append(keys.fragments[fragment])
    for puzzle, positions in enumerate(found):
        if all(positions):
            yield puzzle, positions


def _words(positions: list[list[str]]) -> Iterator[str]:
    """Yield the words of one fragment from each position that pads only close."""
    full = [[fragment for fragment in own if PAD not in fragment] for own in positions]
    padded = [PAD * 2 in own for own in positions]
    for last in range(len(positions)):
        if all(padded[last + 1 :]):
            # The word ends in this fragment, or with it.
            ends = full[last] + [fragment for fragment in positions[last] if _shape(fragment) == 1]
            rest = PAD * 2 * (len(positions) - last - 1)
            for parts in product(*full[:last], ends):
                yield "".join(parts) + rest
