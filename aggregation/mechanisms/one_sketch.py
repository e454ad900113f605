"""What mechanisms with one sketch and one stream of records have in common: their parameters, on the wire and off."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from ..errors import ParameterError, shown
from ..parameters import (
    check_epsilon,
    check_names,
    check_shape,
    family_parameters,
    json_epsilon,
    wire_epsilon,
    wire_family,
    wire_integer,
)
from ..sketches import HashFamily


@dataclass(frozen=True)
class OneSketch:
    """The parameters of a mechanism whose reports are one record each, in one sketch.

    Parameters
    ----------
    epsilon : Decimal
        Privacy loss of one report. Wire parameters are held to 16; a simulation may go above.
    k : int
        Rows of the sketch, that is, hash functions.
    m : int
        Buckets of a row, a power of two.
    family : HashFamily
        The hash functions.

    Raises
    ------
    ParameterError
        If epsilon is not a Decimal above 0, or k and m make no sketch.
    """

    algorithm: ClassVar[str]
    parameter_names: ClassVar[tuple[str, ...]] = ("epsilon", "k", "m")

    epsilon: Decimal
    k: int
    m: int
    family: HashFamily

    def __post_init__(self) -> None:
        check_epsilon("epsilon", self.epsilon)
        check_shape(self.k, self.m)

    @property
    def streams(self) -> tuple[str, ...]:
        return ("element",)

    @property
    def report_epsilon(self) -> Decimal:
        return self.epsilon

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        check_names(parameters, (*cls.parameter_names, "seed"), ("hash",))
        epsilon = wire_epsilon("epsilon", parameters["epsilon"])
        k, m = wire_integer("k", parameters["k"]), wire_integer("m", parameters["m"])
        return cls(epsilon, k, m, wire_family(parameters, "element"))

    def wire_parameters(self) -> dict[str, int | float | str]:
        return {"epsilon": json_epsilon(self.epsilon), "k": self.k, "m": self.m, **family_parameters(self.family)}

    def num_rows(self, stream: str) -> int:
        self._check_stream(stream)
        return self.k

    def split(self, parts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        return dict(parts)

    def _check_stream(self, stream: str) -> None:
        if stream not in self.streams:
            raise ParameterError("stream", f"{self.algorithm} has no stream {shown(stream)}, only {self.streams[0]}.")
