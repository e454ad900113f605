"""The parameters of a Sequence Fragment Puzzle: two sketches and the length of a word."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Final, Self

from ...errors import ParameterError, shown
from ...normalization import check_length
from ...parameters import check_names, family_parameters, wire_integer
from ...registry import Mechanism, NoDictionary
from ...sketches import HashFamily
from ..count_mean_sketch import CountMeanSketch

# The sketches of a day are kept whole, one for words and one for every position.
MAX_CELLS: Final = 2**24
# Every fragment is hashed in each row: with more of them, parts of a run of a large alphabet would take minutes.
MAX_ROWS: Final = 2**16


@dataclass(frozen=True)
class Parameters(NoDictionary, Mechanism):
    """Two Count Mean Sketches, of words and of fragments, and the length of a padded word."""

    algorithm: ClassVar[str] = "SequenceFragmentPuzzle"
    kind: ClassVar[str] = "discovery"
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {
        "epsilon": Decimal,
        "k": int,
        "m": int,
        "fragment_epsilon": Decimal,
        "fragment_k": int,
        "fragment_m": int,
        "length": int,
    }
    has_seed: ClassVar[bool] = True
    in_browsers: ClassVar[bool] = True

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
        check_names(parameters, (*cls.parameter_types, "seed"), ("hash",))
        words = CountMeanSketch.from_prefixed(parameters, "", "element")
        fragments = CountMeanSketch.from_prefixed(parameters, "fragment_", "fragment")
        return cls(words, fragments, wire_integer("length", parameters["length"]))

    def wire_parameters(self) -> dict[str, int | float | str]:
        both = {**self.words.shape(), **self.fragments.shape("fragment_")}
        return {**both, "length": self.length, **family_parameters(self.words.family)}

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
    def report_epsilon(self) -> Decimal:
        return self.words.epsilon + self.fragments.epsilon

    @property
    def element_length(self) -> int:
        return self.length


def _seed_of(family: HashFamily) -> bytes:
    seed: bytes = getattr(family, "seed", b"")
    return seed
