"""The part of a mechanism that screening asks: tests of its reports, and what fakes can do that no test sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..arrays import Array
from ..registry import Mechanism, part_of
from .findings import Finding


@dataclass(frozen=True)
class Effect:
    """By how much one fake report can move the estimates of a window, in reports.

    A fake that an unchanged client made about a chosen element adds 1 to it on average and nothing to others: it cannot
    be told from an honest report. ``raised`` and ``lowered`` are the most that any well-formed report whatever can add
    to the estimate of one element and take away from it. ``at_once`` is how many elements a crafted report can raise by
    that much together without being conspicuous; where it is None, those others that it raises it has not chosen.
    """

    raised: float
    lowered: float
    at_once: int | None


@dataclass(frozen=True)
class MissingNoise:
    """When short reports that all lack their noise are found.

    From some number on if one element has more than this ``share`` of them, or, whatever they are about, if about so
    many ``reports`` come together; None if no number is enough. Otherwise honest devices that saw other shares could
    have sent the same.
    """

    share: float
    reports: int | None


@runtime_checkable
class ScreeningPart(Protocol):
    """Contract of a mechanism's module `screening`."""

    def outcomes(self, mechanism: Any, streams: Mapping[str, Array]) -> list[Finding]:
        """Return the outcome of every test of sorted records, failed or not; none of the streams is empty."""
        ...

    def likeliest_record(self, mechanism: Any) -> float:
        """Return the most that any record of the report streams has as its probability, whatever the element."""
        ...

    def cells(self, mechanism: Any) -> list[tuple[int, float]]:
        """Return cells that devices draw for records of the report streams whatever the element, such as rows.

        How many there are of each kind, and the probability of any one of them.
        """
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


def effect_of_fakes(mechanism: Mechanism) -> Effect:
    """Bound what one fake report does to estimates.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism with its parameters.

    Returns
    -------
    Effect
        What the mechanism's module `screening` derives.

    Raises
    ------
    ParameterError
        If the mechanism is not registered.

    References
    ----------
    X. Cao, J. Jia, N. Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols" (2021).
    """
    return screening_of(mechanism).effect(mechanism)


def missing_noise(mechanism: Mechanism, alpha: float) -> MissingNoise | None:
    """Return when a batch without noise is found at a rate of false alarms; None if it always is, whatever it says.

    Raises a ParameterError if the mechanism is not registered.
    """
    return screening_of(mechanism).missing_noise(mechanism, alpha)
