"""The parameters of a Sequence Fragment Puzzle: two sketches and the length of a word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Self

from ...parameters import check_names, family_parameters, parse_integer
from ..count_mean_sketch import CountMeanSketch
from ..fragment_puzzle import FragmentPuzzle


@dataclass(frozen=True)
class Parameters(FragmentPuzzle[CountMeanSketch]):
    """Two Count Mean Sketches, of words and of fragments, and the length of a padded word."""

    algorithm: ClassVar[str] = "SequenceFragmentPuzzle"
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {
        "epsilon": Decimal,
        "k": int,
        "m": int,
        "fragment_epsilon": Decimal,
        "fragment_k": int,
        "fragment_m": int,
        "length": int,
    }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        check_names(parameters, (*cls.parameter_types, "seed"), ("hash",))
        words = CountMeanSketch.from_prefixed(parameters, "", "element")
        fragments = CountMeanSketch.from_prefixed(parameters, "fragment_", "fragment")
        return cls(words, fragments, parse_integer("length", parameters["length"]))

    def encoded_parameters(self) -> dict[str, int | float | str]:
        both = {**self.words.shape(), **self.fragments.shape("fragment_")}
        return {**both, "length": self.length, **family_parameters(self.words.family)}

    @property
    def report_epsilon(self) -> Decimal:
        return self.words.epsilon + self.fragments.epsilon

    @property
    def epsilon_parts(self) -> Mapping[str, Decimal]:
        return {"word": self.words.epsilon, "letters": self.fragments.epsilon}

    def planned_fragments(self, n: int) -> float:
        return n / len(self.positions)

    def word_reports(self, n: int, fragments: Sequence[int]) -> int:
        """Return all of them: each report has its word beside a fragment."""
        return n
