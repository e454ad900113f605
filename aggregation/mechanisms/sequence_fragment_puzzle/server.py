"""The server's half: words are counted as Count Mean Sketch counts them, and so are fragments of each position.

Finding words is `discovery`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...estimation import Estimator, detection_power
from ...registry import State
from ..count_mean_sketch import CountMeanSketch
from .encoding import WORDS, Encoding

# Values of the puzzle byte.
PUZZLES: Final = 256
# Expected number of keys at each position without reports that pass. Joining and the word sketch deal with
# them; a stricter cut would cost true words.
FALSE_FRAGMENTS: Final = 64


class Server(Encoding):
    """Counts words and fragments; elements are the words."""

    @property
    def debiased(self) -> Estimator:
        return self.words.debiased

    @property
    def collisions(self) -> None:
        return None

    @property
    def divisions(self) -> int:
        return self.words.divisions

    def points(self, elements: Sequence[str]) -> NDArray[Any]:
        return self.words.points(elements)

    def read_out(
        self, shards: Sequence[NDArray[Any]], points: NDArray[Any], start: int, stop: int, stream: str = WORDS
    ) -> NDArray[np.int64]:
        return self.words.read_out(shards, points, start, stop, stream)

    def candidate_probability(
        self, shares: NDArray[np.float64], n: int, f2: float, letters: int
    ) -> NDArray[np.float64]:
        """Return how probably all fragments of words pass their cuts, each planned to have its part of the reports."""
        positions = len(self.positions)
        own, own_f2, cut = _position(self.fragments, positions, n, f2, letters)
        drawn = own * shares * (1 - shares) * (n - own) / max(n - 1, 1)
        found = detection_power(self.fragments.debiased, shares * own, own, own_f2, cut, drawn)
        return np.asarray(found**positions, np.float64)

    def empty_state(self) -> State:
        return {stream: array for stream in self.streams for array in self.sketch_of(stream).empty_state().values()}

    def add_to_state(self, state: State, streams: Mapping[str, NDArray[Any]]) -> None:
        for stream, records in streams.items():
            self.sketch_of(stream).add_to_state({WORDS: state[stream]}, {WORDS: records})

    def read_state(self, state: State, points: NDArray[Any]) -> NDArray[np.int64]:
        return self.words.read_state(state, points)


def num_keys(letters: int) -> int:
    """Return how many keys fragments of so many letters have: every puzzle byte with two letters, one, or none."""
    return PUZZLES * (letters**2 + letters + 1)


@lru_cache(maxsize=16)
def _position(fragments: CountMeanSketch, positions: int, n: int, f2: float, letters: int) -> tuple[int, float, float]:
    """Return the reports from one position, their F2, and the cut.

    A word has a fragment of its own, but for a few. Remembered, because it is asked for often while a limit is sought.
    """
    own = max(round(n / positions), 1)
    own_f2 = max(f2 * (own / n) ** 2, float(own))
    return own, own_f2, fragments.debiased.threshold(own, FALSE_FRAGMENTS / num_keys(letters), own_f2)
