"""The parameters of local hashing: ε, k rows, g buckets, and the hash functions."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Final

from ...errors import ParameterError, shown
from ...parameters import parse_integer
from ...sketches import HashFamily
from ..one_sketch import OneSketch

FEWEST: Final = 2
MOST: Final = 2**16


class Parameters(OneSketch):
    """A sketch whose reports are a row and one of its g buckets."""

    algorithm: ClassVar[str] = "LocalHashing"
    parameter_types: ClassVar[Mapping[str, type[Any]]] = {"epsilon": Decimal, "k": int, "g": int}
    buckets: ClassVar[str] = "g"

    def __init__(
        self,
        epsilon: Decimal | float,
        k: int,
        g: int,
        family: HashFamily | None = None,
        *,
        seed: int | bytes | None = None,
    ) -> None:
        super().__init__(epsilon, k, g, family, seed=seed)

    @property
    def g(self) -> int:
        """Buckets of a row."""
        return self.m

    @classmethod
    def check_shape(cls, k: int, m: int, prefix: str = "") -> None:
        for name, value, hint in ((f"{prefix}g", m, "; best is the integer nearest e^ε + 1"), (f"{prefix}k", k, "")):
            if not FEWEST <= parse_integer(name, value) <= MOST:
                raise ParameterError(name, f"{name} must be from {FEWEST} to {MOST}, not {shown(value)}{hint}.")


def best_buckets(epsilon: float) -> int:
    """Return the g of the smallest variance of a rare element: the integer nearest e^ε + 1, from 2 to 65,536.

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation" (USENIX
    Security 2017), section 4.3: optimised local hashing.
    """
    return min(max(round(math.exp(epsilon)) + 1, FEWEST), MOST)
