from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Self

from aggregation.errors import ParameterError
from aggregation.parameters import check_names, exact_epsilon, json_epsilon, parse_epsilon
from aggregation.registry import NoDictionary


@dataclass(frozen=True)
class Parameters(NoDictionary):
    """ε, and the letters there are."""

    algorithm: ClassVar[str] = "LetterBallot"
    kind: ClassVar[str] = "counting"
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {"epsilon": Decimal, "letters": str}
    has_seed: ClassVar[bool] = False
    in_browsers: ClassVar[bool] = False

    epsilon: Decimal
    letters: str

    def __post_init__(self) -> None:
        exact_epsilon("epsilon", self.epsilon)
        if len(set(self.letters)) < max(len(self.letters), 2):
            raise ParameterError("letters", "There must be two different letters or more.")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        check_names(parameters, cls.parameter_types)
        return cls(parse_epsilon("epsilon", parameters["epsilon"]), str(parameters["letters"]))

    def encoded_parameters(self) -> dict[str, int | float | str]:
        return {"epsilon": json_epsilon(self.epsilon), "letters": self.letters}

    @property
    def report_epsilon(self) -> Decimal:
        return self.epsilon

    @property
    def element_length(self) -> None:
        return None

    @property
    def other(self) -> float:
        """The probability q of each letter but the own one."""
        return 1 / (float(self.epsilon.exp()) + len(self.letters) - 1)

    @property
    def own(self) -> float:
        return 1 - (len(self.letters) - 1) * self.other

    def index_of(self, element: str) -> int:
        if element not in self.letters or len(element) != 1:
            raise ParameterError("element", "This is none of the letters.")
        return self.letters.index(element)
