"""Common base of mechanisms with one sketch and one stream of records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Final, Self

import numpy as np

from ..arrays import Array, Integers
from ..encoding import LineFormat
from ..errors import ParameterError
from ..estimation import Collisions, Estimator
from ..parameters import (
    check_names,
    check_shape,
    exact_epsilon,
    family_parameters,
    json_epsilon,
    parse_epsilon,
    parse_family,
    parse_integer,
)
from ..registry import NoDictionary, ParsedRecords, State
from ..sketches import HashFamily, QuadraticM31, add_read_out
from .one_stream import STREAM, OneStream

__all__ = ["STREAM", "OneSketch", "SketchEstimator"]

# Rows, so many that no two reports of an element meet in one.
_MANY: Final = 2**60
# Cells of a kept sketch that are read at once.
_CELLS: Final = 2**20


@dataclass(frozen=True)
class SketchEstimator(Estimator):
    """Base of estimators of one sketch.

    Parameters
    ----------
    epsilon : Decimal
        ε, the privacy loss of one report.
    k, m : int
        Rows, and buckets of a row.
    """

    epsilon: Decimal
    k: int
    m: int


@dataclass(frozen=True, init=False)
class OneSketch(NoDictionary, OneStream):
    """The parameters of a mechanism whose reports are one record each, in one sketch.

    Parameters
    ----------
    epsilon : int, float or Decimal
        ε, the privacy loss of one report, kept as an exact Decimal: a float stands for the shortest decimal that prints
        as it. Wire parameters are held to 16; a simulation may go above.
    k : int
        Rows of the sketch, that is, hash functions.
    m : int
        Buckets of a row, whatever a mechanism calls them.
    family : HashFamily, optional
        The hash functions.
    seed : int or bytes, optional
        Of the family ``quadratic-m31-v1``, in the place of a family: 16 bytes, or an integer below 2^128.

    Raises
    ------
    ParameterError
        If epsilon is no number above 0, k and m make no sketch, or there is not one of a family and a seed.
    """

    algorithm: ClassVar[str]
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {"epsilon": Decimal, "k": int, "m": int}
    has_seed: ClassVar[bool] = True
    in_browsers: ClassVar[bool] = True
    # The name of m on the wire.
    buckets: ClassVar[str] = "m"

    epsilon: Decimal
    k: int
    m: int
    family: HashFamily

    def __init__(
        self,
        epsilon: Decimal | float,
        k: int,
        m: int,
        family: HashFamily | None = None,
        *,
        seed: int | bytes | None = None,
    ) -> None:
        if (family is None) == (seed is None):
            raise ParameterError("seed", "There must be a seed or a hash family, one of the two.")
        object.__setattr__(self, "epsilon", exact_epsilon("epsilon", epsilon))
        self.check_shape(k, m)
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "m", m)
        object.__setattr__(self, "family", family if seed is None else QuadraticM31(seed))

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        check_names(parameters, (*cls.parameter_types, "seed"), ("hash",))
        return cls.from_prefixed(parameters, "", "element")

    @classmethod
    def from_prefixed(cls, parameters: Mapping[str, object], prefix: str, label: str) -> Self:
        """Return one of several sketches; errors name its parameters with the prefix they have on the wire."""
        epsilon = parse_epsilon(f"{prefix}epsilon", parameters[f"{prefix}epsilon"])
        k, m = (parse_integer(f"{prefix}{name}", parameters[f"{prefix}{name}"]) for name in ("k", cls.buckets))
        cls.check_shape(k, m, prefix)
        return cls(epsilon, k, m, parse_family(parameters, label))

    @classmethod
    def check_shape(cls, k: int, m: int, prefix: str = "") -> None:
        """Raise a ParameterError unless such sketches can be counted."""
        check_shape(k, m, f"{prefix}k", f"{prefix}m")

    def encoded_parameters(self) -> dict[str, int | float | str]:
        return {**self.shape(), **family_parameters(self.family)}

    def shape(self, prefix: str = "") -> dict[str, int | float | str]:
        """Return ε, k and the buckets as they are written on the wire."""
        return {
            f"{prefix}epsilon": json_epsilon(self.epsilon),
            f"{prefix}k": self.k,
            f"{prefix}{self.buckets}": self.m,
        }

    @property
    def divisions(self) -> int:
        return self.k

    def points(self, elements: Sequence[str]) -> Array:
        return self.family.points(elements)

    @property
    def debiased(self) -> SketchEstimator:
        raise NotImplementedError

    @property
    def collisions(self) -> Collisions:
        return Collisions(self.family, self.k, self.m, replace(self.debiased, k=_MANY))

    @property
    def line_format(self) -> LineFormat:
        """Format of record lines; what it reads is one column of records."""
        raise NotImplementedError

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        (parsed,), rejected = self.line_format.parse(records)
        return ParsedRecords({STREAM: parsed}, rejected)

    def read_state(self, state: State, points: Array) -> Integers:
        totals, step = np.zeros((len(points), 1), np.int64), max(1, _CELLS // self.m)
        for start in range(0, self.k, step):
            stop = min(start + step, self.k)
            table = self.cells(state[STREAM][start:stop])
            add_read_out(totals, [table], np.arange(start, stop), self.family, points)
        return totals[:, 0]

    def cells(self, table: Array) -> Array:
        """Return what elements are read out of, of the sums of some rows."""
        return table

    def empty_state(self) -> State:
        return {STREAM: np.zeros((self.k, self.m), np.int32)}
