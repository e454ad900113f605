"""Sequence Fragment Puzzle: a word and two of its letters, in two sketches, so that words nobody knew can be found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ..encoding import fragment_line, fragment_lines, opaque, parse_fragments
from ..errors import ParameterError, shown
from ..normalization import PAD, check_length
from ..parameters import (
    check_names,
    check_shape,
    family_parameters,
    json_epsilon,
    wire_epsilon,
    wire_family,
    wire_integer,
)
from ..randomness import device_below
from ..registry import Members, ParsedRecords, Reports, Squares
from ..sketches import HashFamily, puzzle_byte
from .count_mean_sketch import CountMeanSketch

# The sketches of a day are kept whole, one for words and one for every position.
MAX_CELLS: Final = 2**24
# Every fragment is hashed in each row: with more of them, parts of a run of a large alphabet would take minutes.
MAX_ROWS: Final = 2**16
WORDS: Final = "element"


def fragment_element(puzzle: int, fragment: str) -> str:
    """Return what the fragment sketch counts: a puzzle byte and two letters (report format, section 4)."""
    return f"{puzzle:02x}:{fragment}"


@dataclass(frozen=True)
class SequenceFragmentPuzzle:
    """Sequence Fragment Puzzle.

    Parameters
    ----------
    words : CountMeanSketch
        The sketch of whole words, with ε, k and m.
    fragments : CountMeanSketch
        The sketch of fragments, with ε', k' and m', over a family of its own. The server has one for each position.
    length : int
        L, the characters of a padded word; even, from 2 to 16.

    Raises
    ------
    ParameterError
        If the length is odd or out of range, a sketch has more than 2^16 rows or 2^24 cells, or the two families are
        one or differ in their seeds.

    Notes
    -----
    A report is two Count Mean Sketch reports about the same word, one of the whole word and one of two of its letters
    under the word's puzzle byte, so its loss is ε + ε'. The position does not depend on the word and costs nothing.
    Fragments that stand out at every position under one puzzle byte are joined to candidates; how often these were
    reported is estimated from the sketch of words, as Count Mean Sketch does it.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Sequence Fragment Puzzle"; the report format,
    section 4.
    """

    algorithm: ClassVar[str] = "SequenceFragmentPuzzle"
    parameter_names: ClassVar[tuple[str, ...]] = (
        "epsilon",
        "k",
        "m",
        "fragment_epsilon",
        "fragment_k",
        "fragment_m",
        "length",
    )

    words: CountMeanSketch
    fragments: CountMeanSketch
    length: int

    def __post_init__(self) -> None:
        check_length(self.length)
        for prefix, sketch in (("", self.words), ("fragment_", self.fragments)):
            most = min(MAX_CELLS // sketch.m, MAX_ROWS)
            if sketch.k > most:
                raise ParameterError(
                    f"{prefix}k", f"{prefix}k may be at most {most} with {prefix}m={sketch.m}, not {shown(sketch.k)}."
                )
        if self.words.family == self.fragments.family or self.seed != _seed_of(self.fragments.family):
            raise ParameterError("seed", "Words and fragments need two families, of one seed.")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        check_names(parameters, (*cls.parameter_names, "seed"), ("hash",))
        words = _wire_sketch(parameters, "", "element")
        fragments = _wire_sketch(parameters, "fragment_", "fragment")
        return cls(words, fragments, wire_integer("length", parameters["length"]))

    def wire_parameters(self) -> dict[str, int | float | str]:
        return {
            "epsilon": json_epsilon(self.words.epsilon),
            "k": self.words.k,
            "m": self.words.m,
            "fragment_epsilon": json_epsilon(self.fragments.epsilon),
            "fragment_k": self.fragments.k,
            "fragment_m": self.fragments.m,
            "length": self.length,
            **family_parameters(self.words.family),
        }

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Where fragments begin, counted from 1."""
        return tuple(range(1, self.length, 2))

    @property
    def streams(self) -> tuple[str, ...]:
        return (WORDS, *map(self.fragment_stream, self.positions))

    def fragment_stream(self, position: int) -> str:
        """Return the name of the stream of fragments from this position."""
        return f"fragment-{position}"

    @property
    def family(self) -> HashFamily:
        return self.words.family

    @property
    def seed(self) -> bytes:
        """What the puzzle is made with: the seed of both families; empty if they have none, as a table in a test."""
        return _seed_of(self.words.family)

    @property
    def report_epsilon(self) -> Decimal:
        return self.words.epsilon + self.fragments.epsilon

    @property
    def report_characters(self) -> int:
        longest = len(str(self.positions[-1]))
        return longest + len(",,") + self.fragments.report_characters + self.words.report_characters

    # The device's half.

    def privatize(self, element: str) -> str:
        position = self.positions[device_below(len(self.positions))]
        fragment = self.fragments.privatize(self.fragment_of(element, position))
        return fragment_line(position, fragment, self.words.privatize(element))

    def privatize_fleet(
        self, elements: Sequence[str], element_index: NDArray[Any], rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        index = np.asarray(element_index, np.intp)
        place = rng.integers(0, len(self.positions), size=len(index))
        # Every element has as many fragments as there are positions.
        fragments = [self.fragment_of(element, position) for element in elements for position in self.positions]
        return {
            "position": np.asarray(self.positions, np.uint8)[place],
            "fragment": self.fragments.privatize_fleet(fragments, index * len(self.positions) + place, rng)["element"],
            "element": self.words.privatize_fleet(elements, index, rng)["element"],
        }

    def fragment_of(self, element: str, position: int) -> str:
        """Return what a report about a padded word says in the fragment sketch of a position.

        Raises a ParameterError, which does not repeat the word, if it is not padded or has a pad inside.
        """
        word = element.rstrip(PAD)
        if len(element) != self.length or not word or PAD in word:
            raise ParameterError("element", f"An element must be a word padded to {self.length} characters.")
        return fragment_element(puzzle_byte(self.seed, element), element[position - 1 : position + 1])

    # Records.

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        return fragment_lines(parts)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        fragments, words = self.fragments, self.words
        parts, rejected = parse_fragments(records, self.positions, (fragments.k, fragments.m), (words.k, words.m))
        return ParsedRecords(self.split(parts), rejected)

    def split(self, parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        items, dtype = opaque(parts["fragment"]), parts["fragment"].dtype
        streams = {WORDS: parts["element"]}
        for position in self.positions:
            mine = np.flatnonzero(parts["position"] == position)
            streams[self.fragment_stream(position)] = items.take(mine).view(dtype)
        return streams

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        return self._sketch_of(stream).record_dtype("element")

    def num_rows(self, stream: str) -> int:
        return self._sketch_of(stream).k

    def _sketch_of(self, stream: str) -> CountMeanSketch:
        if stream not in self.streams:
            raise ParameterError("stream", f"{self.algorithm} has no stream {shown(stream)}.")
        return self.words if stream == WORDS else self.fragments

    # The server's half: words are counted as Count Mean Sketch counts; finding them is `aggregation.discovery`.

    def read_out(
        self, shards: Sequence[NDArray[Any]], points: NDArray[Any], start_row: int, stop_row: int
    ) -> NDArray[np.int64]:
        return self.words.read_out(shards, points, start_row, stop_row)

    def estimate(self, read_out: NDArray[Any], n: int, members: Members = 1) -> NDArray[np.float64]:
        return self.words.estimate(read_out, n, members)

    def variance(
        self, count: NDArray[np.float64], n: Reports, f2: Squares, members: Members = 1
    ) -> NDArray[np.float64]:
        return self.words.variance(count, n, f2, members)

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        return self.words.threshold(n, alpha, f2, members)


def _wire_sketch(parameters: Mapping[str, object], prefix: str, label: str) -> CountMeanSketch:
    """Return one of the two sketches; errors name the parameters with the prefix they have on the wire."""
    epsilon = wire_epsilon(f"{prefix}epsilon", parameters[f"{prefix}epsilon"])
    k, m = (wire_integer(f"{prefix}{name}", parameters[f"{prefix}{name}"]) for name in ("k", "m"))
    check_shape(k, m, f"{prefix}k", f"{prefix}m")
    return CountMeanSketch(epsilon, k, m, wire_family(parameters, label))


def _seed_of(family: HashFamily) -> bytes:
    seed: bytes = getattr(family, "seed", b"")
    return seed
