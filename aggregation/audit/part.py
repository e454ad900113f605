"""The part of a mechanism that audits ask."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..arrays import Places
from ..registry import Mechanism, part_of
from .evidence import Measured

Seen = TypeVar("Seen")


class Tally(Protocol[Seen]):
    """Counts over the reports of a client, from which its loss and its faults follow."""

    runs: int

    def read(self, lines: Sequence[str], words: Places) -> Seen:
        """Look at good lines about the words 0 or 1, each word an even number of times in a row."""
        ...

    def add(self, seen: Seen) -> None:
        """Count them."""
        ...

    def add_twins(self, one: Seen, other: Seen) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        ...

    def loss(self) -> Measured:
        """The loss by the events that measure it best at this ε."""
        ...

    def faults(self) -> set[str]:
        """Return what is wrong, by name."""
        ...


@runtime_checkable
class AuditPart(Protocol):
    """Contract of a mechanism's module `audit`."""

    # Faults by the names that its tally's `faults` gives, in words for people.
    FAULTS: Mapping[str, str]

    def tally(self, mechanism: Any, elements: Sequence[str]) -> Tally[Any]:
        """Return empty counts for two elements."""
        ...

    def runs_needed(self, mechanism: Any) -> int:
        """Return the runs with which the estimate of the loss can be judged."""
        ...

    def log_chance_of_repeat(self, mechanism: Any) -> float:
        """Return the log of the probability of two equal reports about one element, at most."""
        ...


def audit_of(mechanism: Mechanism) -> AuditPart:
    """Return that part of a mechanism, or raise a ParameterError if it is not registered."""
    part: AuditPart = part_of(mechanism, "audit")
    return part


def tally_of(mechanism: Mechanism, elements: Sequence[str]) -> Tally[Any]:
    """Return empty counts for a mechanism and two elements; raises a ParameterError if it is not registered."""
    return audit_of(mechanism).tally(mechanism, elements)
