"""The parameters of a sampled fragment puzzle: two sketches of one ε, the length of a word, and a share of reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final, Self

from ...errors import ParameterError
from ...parameters import check_names, family_parameters, json_epsilon, parse_integer, parse_share
from ..fragment_puzzle import FragmentPuzzle
from ..local_hashing import LocalHashing

# Near the best from 100,000 to 10 million reports.
SHARE: Final = Decimal("0.8")


@dataclass(frozen=True)
class Parameters(FragmentPuzzle[LocalHashing]):
    """Two sketches by local hashing, the length of a padded word, and how many reports are about fragments."""

    algorithm: ClassVar[str] = "SampledFragmentPuzzle"
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {
        "epsilon": Decimal,
        "k": int,
        "g": int,
        "fragment_k": int,
        "fragment_g": int,
        "fragment_share": Decimal,
        "length": int,
    }

    fragment_share: Decimal = SHARE

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "fragment_share", parse_share("fragment_share", self.fragment_share))
        if self.words.epsilon != self.fragments.epsilon:
            raise ParameterError("epsilon", "Words and fragments need one ε: a report is about one of both.")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        given: dict[str, object] = {"fragment_share": SHARE, **parameters}
        check_names(given, (*cls.parameter_types, "seed"), ("hash",))
        words = LocalHashing.from_prefixed(given, "", "element")
        fragments = LocalHashing.from_prefixed({**given, "fragment_epsilon": given["epsilon"]}, "fragment_", "fragment")
        share = parse_share("fragment_share", given["fragment_share"])
        return cls(words, fragments, parse_integer("length", given["length"]), share)

    def encoded_parameters(self) -> dict[str, int | float | str]:
        fragments = self.fragments.shape("fragment_")
        del fragments["fragment_epsilon"]
        both = {**self.words.shape(), **fragments, "fragment_share": json_epsilon(self.fragment_share)}
        return {**both, "length": self.length, **family_parameters(self.words.family)}

    @property
    def report_epsilon(self) -> Decimal:
        return self.words.epsilon

    @property
    def epsilon_parts(self) -> Mapping[str, Decimal]:
        return {}

    @cached_property
    def fragment_threshold(self) -> int:
        """t, with which a report is about a fragment with probability t/2⁶⁴: ⌈2⁶⁴·fragment_share⌉."""
        return -(-(2**64) * Fraction(self.fragment_share) // 1)

    def planned_fragments(self, n: int) -> float:
        return n * float(self.fragment_share) / len(self.positions)

    def word_reports(self, n: int, fragments: Sequence[int]) -> int:
        return n - sum(fragments)
