"""The face of an algorithm: what devices, the aggregator and the server each compute, without any of these roles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Flags, Floats
from ..data import Features, Ratings
from ..noise import Noise
from ..parameters import TrainingTask
from ..plan import PlannedRelease, TrainingPlan

# Arrays by name: published parameters, and sums of contributions.
Shared = dict[str, Array]
Sums = dict[str, Array]


class InvalidContribution(ValueError):
    """A contribution that no honest device sends; the aggregator refuses it."""


@dataclass(frozen=True)
class Shape:
    """Facts that are public before training begins: how many items there are, and their features."""

    items: int
    features: Features | None = None


@dataclass(frozen=True, eq=False)
class Examples:
    """Ratings of one person: numbers of items, ascending, and values; shape (k,), k at most `items_per_user`."""

    items: NDArray[np.int32]
    values: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Contribution:
    """Contribution of a device to the aggregator.

    Parameters
    ----------
    items : ndarray of int32
        The items that it is about, ascending, then -1 up to the length that all contributions of the task have.
    values : ndarray of float32
        Numbers of the algorithm's own, of one length for the task.
    """

    items: NDArray[np.int32]
    values: Array


@dataclass(frozen=True, eq=False)
class Release:
    """A noisy sum that leaves the aggregator."""

    name: str
    round: int
    sensitivity: float
    noise_standard_deviation: float
    array: Floats

    def without_numbers(self, round_number: int | None = None) -> PlannedRelease:
        """Return what is told of it beside its numbers, under its own round or another."""
        number = self.round if round_number is None else round_number
        size, length = self.array.size, self.array.nbytes
        return PlannedRelease(self.name, number, self.sensitivity, self.noise_standard_deviation, size, length)


class Algorithm(Protocol):
    """An algorithm of training.

    Attributes
    ----------
    rows : tuple of str
        Names of shared arrays of which a device needs the rows of its items.
    whole : tuple of str
        Names of shared arrays that every device needs. All others are the server's own.
    """

    rows: tuple[str, ...]
    whole: tuple[str, ...]

    def plan(self, task: TrainingTask) -> TrainingPlan:
        """Return what is released, and what it costs."""

    def initial(self, task: TrainingTask, shape: Shape, rng: np.random.Generator) -> Shared:
        """Return parameters to begin with; they depend on no data."""

    def separation(self, task: TrainingTask) -> int:
        """Return the least distance of two rounds of one person, which devices keep."""

    def participants(self, task: TrainingTask, number: int, people: int, rng: np.random.Generator) -> Flags:
        """Return who takes part in a round, drawn as the plan assumes; shape (people,)."""

    def contribution(self, task: TrainingTask, broadcast: Shared, examples: Examples) -> Contribution:
        """Return a device's contribution, already clipped; `broadcast` is what `broadcast_of` made for its items."""

    def lengths(self, task: TrainingTask, shape: Shape) -> tuple[int, int]:
        """Return how many items, and how many values, every contribution of the task has."""

    def clip(self, task: TrainingTask, shape: Shape, contribution: Contribution) -> Contribution:
        """Bound a contribution, without trust in the device that made it.

        Raises InvalidContribution for one that cannot be read: a wrong length, a number that is not finite, an item
        that is unknown or named twice.
        """

    def sums(self, task: TrainingTask, shape: Shape) -> Sums:
        """Return sums of nothing."""

    def add(self, task: TrainingTask, sums: Sums, contribution: Contribution) -> None:
        """Add a clipped contribution to sums, in place."""

    def batch(self, task: TrainingTask, shared: Shared, ratings: Ratings) -> Sums:
        """Return the sums of clipped contributions of all users who have ratings, vectorised."""

    def releases(self, task: TrainingTask, sums: Sums, noise: Noise, number: int) -> list[Release]:
        """Return sums with the noise that the plan has for the round; rounds are numbered from 1."""

    def update(self, task: TrainingTask, shared: Shared, releases: Sequence[Release]) -> Shared:
        """Return the next parameters, from the last ones and what was released: the server sees nothing else."""


def rows_needed(examples: Examples) -> NDArray[np.int32]:
    """Return the items whose rows a device asks the distributor for."""
    return examples.items


def broadcast_of(algorithm: Algorithm, shared: Shared, items: NDArray[np.int32]) -> Shared:
    """Return what the distributor sends a device: rows of these items, and what everybody gets whole."""
    rows = {name: shared[name][items] for name in algorithm.rows if name in shared}
    return rows | {name: shared[name] for name in algorithm.whole if name in shared}


def padded(items: NDArray[np.int32], length: int) -> NDArray[np.int32]:
    """Return numbers of items, then -1 up to a length."""
    found = np.full(length, -1, np.int32)
    found[: len(items)] = items
    return found


def checked_items(contribution: Contribution, items: int, lengths: tuple[int, int]) -> NDArray[np.int32]:
    """Return the items that a contribution is about, without padding.

    Raises
    ------
    InvalidContribution
        Unless it has the right lengths, finite values, and items that are known and ascending, so that none is twice.
    """
    if (contribution.items.shape, contribution.values.shape) != ((lengths[0],), (lengths[1],)):
        raise InvalidContribution("It has a wrong length.")
    if not np.isfinite(contribution.values).all():
        raise InvalidContribution("It has a number that is not finite.")
    used = contribution.items[contribution.items >= 0]
    is_padded = (contribution.items[len(used) :] == -1).all()
    if not is_padded or (np.diff(used) <= 0).any() or (len(used) and used[-1] >= items):
        raise InvalidContribution("Its items are unknown, out of order or named twice.")
    return used
