"""Keys of a fragment sketch: every puzzle byte with every two letters that a padded word can have."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from ..arrays import Array
from ..normalization import PAD
from ..registry import PUZZLES, fragment_element, num_keys
from ..sketches import HashFamily


@dataclass(frozen=True, eq=False)
class FragmentKeys:
    """The keys of an alphabet: key ``w·F + i`` is puzzle byte w and fragment i of ``fragments``.

    Parameters
    ----------
    fragments : tuple of str
        The F = n² + n + 1 fragments of n letters: two letters, a letter and a pad, or two pads. A pad before a letter
        is in no word.
    points : ndarray, first axis of length 256·F
        The keys' points of the fragment family.
    """

    fragments: tuple[str, ...]
    points: Array

    def __len__(self) -> int:
        return PUZZLES * len(self.fragments)


def num_fragment_keys(alphabet: str) -> int:
    """Return how many keys an alphabet has, without making them."""
    return num_keys(len(set(alphabet)))


def fragment_keys(alphabet: str, family: HashFamily) -> FragmentKeys:
    """Return the keys of an alphabet.

    Parameters
    ----------
    alphabet : str
        The n letters of a locale, in any order; the pad is no letter.
    family : HashFamily
        The family of the mechanism's fragment sketch.

    Returns
    -------
    FragmentKeys
        256·(n² + n + 1) keys, the same for all positions. No word begins with two pads, but 256 keys too many at one
        position, one in 757 of 27 letters, cost less than a read-out of its own would.

    Notes
    -----
    The last two are remembered, because hashing them takes as long as a twentieth of reading them out. Of 64 letters
    they are 1,065,216, whose points take 77 MB (twice that while they are made).

    References
    ----------
    The report format, section 4.
    """
    # The type checker does not see that families can be hashed, because theirs is a protocol.
    return _remembered(alphabet, cast(Hashable, family))


@lru_cache(maxsize=2)
def _remembered(alphabet: str, family: HashFamily) -> FragmentKeys:
    letters = sorted(set(alphabet))
    fragments = [a + b for a in letters for b in [*letters, PAD]]
    fragments.append(PAD + PAD)
    points = np.concatenate(
        [family.points([fragment_element(puzzle, fragment) for fragment in fragments]) for puzzle in range(PUZZLES)]
    )
    points.flags.writeable = False
    return FragmentKeys(tuple(fragments), points)
