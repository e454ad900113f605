"""Work of a round, as roles need it; the roles are not in it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from ...arrays import Array
from ..algorithms import Examples, Release, Shared
from .contribution_bytes import Layout
from .refusals import RoleError


@dataclass(frozen=True)
class Catalogue:
    """Numbers of items, and of public features of each."""

    items: int
    features: int = 0

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Catalogue":
        numbers = [mapping.get("items"), mapping.get("features")]
        if set(mapping) != {"items", "features"} or any(type(each) is not int or each < 0 for each in numbers):
            raise RoleError("A catalogue has a number of items and of features.")
        return cls(**mapping)

    def to_mapping(self) -> dict[str, int]:
        return asdict(self)


class Work(Protocol):
    """One task, with one purpose.

    Attributes
    ----------
    rounds : int
    report_goal : int
        Contributions below which nothing is released.
    over_selection : float
        By what share more than its goal a round waits for.
    counting_share : float
        Share of a round's messages that count, as it is expected: all devices send, also those that were not drawn, are
        held out, or come too early.
    sampling_rate : float
        Chance of a device to take part in a round; 1 where the accounting counts on no draw.
    held_out_share : float
        Share of devices that only evaluate.
    separation : int
        Least distance of two rounds of one device.
    most_examples, most_rows : int
        Examples that a device uses, and rows that it asks for.
    layout : Layout
        Of all contributions.
    """

    rounds: int
    report_goal: int
    over_selection: float
    counting_share: float
    sampling_rate: float
    held_out_share: float
    separation: int
    most_examples: int
    most_rows: int
    layout: Layout

    def noise(self, number: int) -> dict[str, float]:
        """Return the standard deviation of the noise in each release of a round."""

    def check_shared(self, shared: Shared) -> None:
        """Raise a RoleError unless shared parameters have the forms of the task, and are finite."""

    def broadcast(self, shared: Shared, items: Array) -> Shared:
        """Return what the distributor sends to a device that asks for items, some of which are −1."""

    def examples(self, own: Examples) -> Examples:
        """Return what a device contributes by, made of what its owner did."""

    def contribution(self, broadcast: Shared, examples: Examples) -> tuple[Array, Array]:
        """Return item numbers and numbers of one device, clipped; whatever was broadcast, something that is counted."""

    def empty(self) -> Any:
        """Return sums of no contributions."""

    def checked(self, items: Array, vector: Array) -> Any:
        """Return a contribution that was clipped again, or raise a Refused."""

    def add(self, sums: Any, contribution: Any) -> None:
        """Add a contribution to sums, in place."""

    def releases(self, sums: Any, number: int) -> list[Release]:
        """Return noisy sums, with noise of the operating system's randomness."""


def goal_messages(work: Work) -> float:
    """Return among how many messages the report goal is expected to count; infinite where none does."""
    return _messages(work, work.report_goal)


def awaited_messages(work: Work) -> float:
    """Return after how many messages a round need not wait for more; infinite where none counts."""
    return _messages(work, work.report_goal * (1 + work.over_selection))


def _messages(work: Work, counting: float) -> float:
    return math.ceil(counting / work.counting_share) if work.counting_share else math.inf


WorkFor = Callable[[Mapping[str, Any], Catalogue, str], Work]
"""From a task's parameters, its catalogue and a purpose; raises a RoleError if there is no such work."""
