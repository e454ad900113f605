"""Training as roles do it: each call is one of the algorithm that the task names."""

from typing import Final

import numpy as np

from ...arrays import Array, Integers
from ...randomness import device_below
from ..algorithms import (
    Contribution,
    Examples,
    InvalidContribution,
    Release,
    Shape,
    Shared,
    Sums,
    algorithm_for,
    broadcast_of,
)
from ..data import Features, Ratings
from ..metrics import HELD_OUT
from ..noise import Noise
from ..parameters import SAMPLED, InvalidTask, TrainingTask
from ..planning import plan_training
from ..predicting import predictor_for
from .contribution_bytes import NO_ITEM, Layout
from .refusals import Refusal, Refused, RoleError
from .work import Catalogue

# Error that rounding to single precision may add to a norm.
_ROUNDING: Final = 1e-4


def _drawn(count: int, items: int) -> Integers:
    return np.array([device_below(items) for _ in range(count)], np.int64)


class TrainingWork:
    """A training task.

    Parameters
    ----------
    task : TrainingTask
    catalogue : Catalogue
    noise : Noise
        Of all rounds: an algorithm may keep something of one for the next.
    """

    def __init__(self, task: TrainingTask, catalogue: Catalogue, noise: Noise) -> None:
        self._task = task
        self._algorithm = algorithm_for(task)
        self._noise = noise
        features = np.zeros((catalogue.items, catalogue.features), np.float32)
        names = [str(number) for number in range(catalogue.features)]
        self._shape = Shape(catalogue.items, Features(features, names) if catalogue.features else None)
        self.rounds = task.rounds
        self.report_goal = task.report_goal
        self.sampling_rate = task.sampling_rate if task.algorithm in SAMPLED else 1.0
        self.held_out_share = HELD_OUT[task.mode]
        self.separation = self._algorithm.separation(task)
        self.over_selection = task.over_selection
        self.counting_share = self.sampling_rate * (1 - self.held_out_share) / self.separation
        self.most_examples = self.most_rows = task.items_per_user
        initial = self._algorithm.initial(task, self._shape, np.random.default_rng(0))
        handed_out = (*self._algorithm.rows, *self._algorithm.whole)
        self._forms = {name: initial[name].shape for name in handed_out if name in initial}
        # A contribution has the form that a device without examples gives it.
        nothing = np.empty(0, np.int32)
        broadcast = broadcast_of(self._algorithm, initial, nothing)
        made = self._algorithm.contribution(task, broadcast, Examples(nothing, np.empty(0, np.float32)))
        self.layout = Layout(self.separation, len(made.items), len(made.values))

    def noise(self, number: int) -> dict[str, float]:
        try:
            planned = plan_training(self._task).releases
        except InvalidTask as error:
            raise RoleError(str(error)) from None
        return {each.name: each.noise_standard_deviation for each in planned if each.round == number}

    def check_shared(self, shared: Shared) -> None:
        if {name: array.shape for name, array in shared.items()} != self._forms:
            raise RoleError("Shared parameters are not of the forms that the task has.")
        if not all(array.dtype.kind == "f" and np.isfinite(array).all() for array in shared.values()):
            raise RoleError("Shared parameters are finite numbers.")

    def broadcast(self, shared: Shared, items: Array) -> Shared:
        if len(items) and not -1 <= items.min() <= items.max() < self._shape.items:
            raise Refused(Refusal.ITEMS)
        # Whatever stands where the padding is: the device has no examples of it.
        return broadcast_of(self._algorithm, shared, np.maximum(items, 0))

    def examples(self, own: Examples) -> Examples:
        owner, names = np.zeros(len(own.items), np.int32), [""] * self._shape.items
        found = predictor_for(self._task).examples(
            self._task, Ratings(owner, own.items, own.values, [""], names), _drawn
        )
        return Examples(found.items, found.values)

    def contribution(self, broadcast: Shared, examples: Examples) -> tuple[Array, Array]:
        # Without the rows of the padding.
        rows = {
            name: array[: len(examples.items)] if name in self._algorithm.rows else array
            for name, array in broadcast.items()
        }
        # The server chooses the parameters. None may bring a device to send nothing, or what the aggregator would
        # refuse and count, when it has certain examples.
        try:
            with np.errstate(all="ignore"):
                made = self._algorithm.contribution(self._task, rows, examples)
                finite = np.nan_to_num(made.values, nan=0.0, posinf=0.0, neginf=0.0)
                clipped = self._algorithm.clip(self._task, self._shape, Contribution(made.items, finite))
            return clipped.items, clipped.values
        except (ArithmeticError, ValueError):
            return np.full(self.layout.items, NO_ITEM), np.zeros(self.layout.numbers)

    def empty(self) -> Sums:
        return self._algorithm.sums(self._task, self._shape)

    def checked(self, items: Array, vector: Array) -> Contribution:
        if not np.isfinite(vector).all():
            raise Refused(Refusal.NOT_FINITE)
        try:
            clipped = self._algorithm.clip(self._task, self._shape, Contribution(items, vector))
        except InvalidContribution:
            raise Refused(Refusal.ITEMS) from None
        # A device that clips as it should has nothing left to be cut.
        if np.abs(clipped.values - vector).max() > _ROUNDING * np.abs(vector).max():
            raise Refused(Refusal.NORM)
        return clipped

    def add(self, sums: Sums, contribution: Contribution) -> None:
        self._algorithm.add(self._task, sums, contribution)

    def releases(self, sums: Sums, number: int) -> list[Release]:
        return self._algorithm.releases(self._task, sums, self._noise, number)
