"""What screening asks of a mechanism."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from ..registry import Mechanism, part_of
from .findings import Finding
from .poisoning import Effect, MissingNoise


@runtime_checkable
class ScreeningPart(Protocol):
    """What a mechanism's module `screening` has."""

    def outcomes(self, mechanism: Any, streams: Mapping[str, NDArray[Any]]) -> list[Finding]:
        """Return the outcome of every test of sorted records, failed or not; none of the streams is empty."""
        ...

    def likeliest_record(self, mechanism: Any) -> float:
        """Return the most that any record of the report streams has as its probability, whatever the element."""
        ...

    def cells(self, mechanism: Any) -> int:
        """Return among how many equally likely values a record of the report streams is drawn, such as rows."""
        ...

    def effect(self, mechanism: Any) -> Effect:
        """Return what one fake report does to estimates, at most."""
        ...

    def missing_noise(self, mechanism: Any, alpha: float) -> MissingNoise | None:
        """Return when reports that all lack their noise are found at a rate of false alarms; None if always at once."""
        ...


def screening_of(mechanism: Mechanism) -> ScreeningPart:
    """Return that part of a mechanism, or raise a ParameterError if it is not registered."""
    part: ScreeningPart = part_of(mechanism, "screening")
    return part
