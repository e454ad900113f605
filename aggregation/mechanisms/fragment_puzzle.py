"""Common base of mechanisms that find words by their fragments, which one byte of the whole word holds together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Generic, TypeVar

import numpy as np

from ..arrays import Array, Floats, Integers
from ..errors import ParameterError, shown
from ..estimation import detection_power
from ..normalization import PAD, check_length
from ..registry import FALSE_FRAGMENTS, Mechanism, NoDictionary, State, fragment_element, num_keys
from ..sketches import HashFamily, puzzle_byte
from .one_sketch import STREAM, OneSketch

# The stream of words; of fragments there is one for every position.
WORDS: Final = STREAM
# The sketches of a day are kept whole, one for words and one for every position.
MAX_CELLS: Final = 2**24
# Every fragment is hashed in each row: with more of them, parts of a run of a large alphabet would take minutes.
MAX_ROWS: Final = 2**16

Sketch = TypeVar("Sketch", bound=OneSketch)


@dataclass(frozen=True)
class FragmentPuzzle(NoDictionary, Mechanism, Generic[Sketch]):
    """Two sketches, of words and of fragments, and the length of a padded word."""

    kind: ClassVar[str] = "discovery"
    has_seed: ClassVar[bool] = True
    in_browsers: ClassVar[bool] = True

    words: Sketch
    fragments: Sketch
    length: int

    def __post_init__(self) -> None:
        check_length(self.length)
        for prefix, (rows, buckets) in (("", self.word_shape), ("fragment_", self.fragment_shape)):
            most = min(MAX_CELLS // buckets, MAX_ROWS)
            if rows > most:
                columns = f"{prefix}{self.words.buckets}={buckets}"
                raise ParameterError(
                    f"{prefix}k", f"{prefix}k may be at most {most} with {columns}, not {shown(rows)}."
                )
        if self.words.family == self.fragments.family or self.seed != _seed_of(self.fragments.family):
            raise ParameterError("seed", "Words and fragments need two families, of one seed.")

    @property
    def word_shape(self) -> tuple[int, int]:
        return self.words.k, self.words.m

    @property
    def fragment_shape(self) -> tuple[int, int]:
        return self.fragments.k, self.fragments.m

    @property
    def positions(self) -> range:
        """Positions at which fragments begin, counted from 1."""
        return range(1, self.length, 2)

    @property
    def family(self) -> HashFamily:
        return self.words.family

    @property
    def seed(self) -> bytes:
        """Seed of both families, which the puzzle is made with; empty if they have none, as a table in a test."""
        return _seed_of(self.words.family)

    @property
    def element_length(self) -> int:
        return self.length

    @property
    def word_stream(self) -> str:
        return WORDS

    def fragment_stream(self, position: int) -> str:
        """Return the name of the stream of fragments from this position."""
        return f"fragment-{position}"

    @property
    def streams(self) -> tuple[str, ...]:
        return (WORDS, *map(self.fragment_stream, self.positions))

    def sketch_of(self, stream: str) -> Sketch:
        """Return the sketch that a stream's records are of."""
        if stream not in self.streams:
            raise ParameterError("stream", f"{self.algorithm} has no stream {shown(stream)}.")
        return self.words if stream == WORDS else self.fragments

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        return self.sketch_of(stream).record_dtype(STREAM)

    def fragment_of(self, element: str, position: int) -> str:
        """Return what a report about a padded word says in the fragment sketch of a position.

        Raises a ParameterError, which does not repeat the word, if it is not padded or has a pad inside.
        """
        self.check_element(element)
        return fragment_element(puzzle_byte(self.seed, element), element[position - 1 : position + 1])

    def check_element(self, element: str) -> None:
        """Raise a ParameterError, which does not repeat the element, unless it is a padded word."""
        word = element.rstrip(PAD)
        if len(element) != self.length or not word or PAD in word:
            raise ParameterError("element", f"An element must be a word padded to {self.length} characters.")

    @property
    def collisions(self) -> None:
        return None

    @property
    def divisions(self) -> int:
        return self.words.divisions

    def points(self, elements: Sequence[str]) -> Array:
        return self.words.points(elements)

    def planned_fragments(self, n: int) -> float:
        raise NotImplementedError

    def candidate_probability(self, shares: Floats, n: int, f2: float, letters: int) -> Floats:
        """Return how probably all fragments of words pass their cuts, each planned to have its part of the reports."""
        planned = max(round(self.planned_fragments(n)), 1)
        own, own_f2, cut = _position(self.fragments, planned, n, f2, letters)
        drawn = own * shares * (1 - shares) * (n - own) / max(n - 1, 1)
        found = detection_power(self.fragments.debiased, shares * own, own, own_f2, cut, drawn)
        return np.asarray(found ** len(self.positions), np.float64)

    def empty_state(self) -> State:
        return {stream: array for stream in self.streams for array in self.sketch_of(stream).empty_state().values()}

    def add_to_state(self, state: State, streams: Mapping[str, Array]) -> None:
        for stream, records in streams.items():
            self.sketch_of(stream).add_to_state({STREAM: state[stream]}, {STREAM: records})

    def read_state(self, state: State, points: Array) -> Integers:
        return self.words.read_state(state, points)


@lru_cache(maxsize=16)
def _position(fragments: OneSketch, planned: int, n: int, f2: float, letters: int) -> tuple[int, float, float]:
    """Return the reports from one position, their F2, and the cut.

    A word has a fragment of its own, but for a few. Remembered, because it is asked for often while a limit is sought.
    """
    own_f2 = max(f2 * (planned / n) ** 2, float(planned))
    return planned, own_f2, fragments.debiased.threshold(planned, FALSE_FRAGMENTS / num_keys(letters), own_f2)


def _seed_of(family: HashFamily) -> bytes:
    seed: bytes = getattr(family, "seed", b"")
    return seed
