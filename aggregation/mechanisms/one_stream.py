"""Common base of mechanisms that count a dictionary, and whose reports are one record each, in one stream."""

from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar, Final

import numpy as np

from ..arrays import Array, Floats
from ..errors import ParameterError, shown
from ..estimation import Collisions
from ..registry import Mechanism

STREAM: Final = "element"


class OneStream(Mechanism):
    """A mechanism with one stream, whose reports spend one ε on elements of any length."""

    kind: ClassVar[str] = "counting"

    epsilon: Decimal

    @property
    def report_epsilon(self) -> Decimal:
        return self.epsilon

    @property
    def element_length(self) -> None:
        return None

    @property
    def collisions(self) -> Collisions | None:
        return None

    @property
    def streams(self) -> tuple[str, ...]:
        return (STREAM,)

    @property
    def report_streams(self) -> tuple[str, ...]:
        return self.streams

    @property
    def report_bytes(self) -> int:
        return self.record_dtype(STREAM).itemsize

    def reports_in(self, sizes: Mapping[str, int]) -> int:
        return sizes.get(STREAM, 0)

    def split(self, parts: Mapping[str, Array]) -> dict[str, Array]:
        return dict(parts)

    def candidate_probability(self, shares: Floats, n: int, f2: float, letters: int) -> Floats:
        return np.ones(len(shares))

    def check_stream(self, stream: str) -> None:
        """Raise a ParameterError unless there is such a stream."""
        if stream not in self.streams:
            raise ParameterError("stream", f"{self.algorithm} has no stream {shown(stream)}, only {STREAM}.")
