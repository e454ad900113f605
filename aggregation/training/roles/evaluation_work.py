"""Metrics as roles release them: held-out devices add what the model is to their owners; of one alone none leaves."""

from typing import Final

import numpy as np

from ...arrays import Array
from ..algorithms import Examples, Release, Shared, Sums
from ..data import Ratings
from ..metrics import METRICS, Evaluations, metric_contributions
from ..noise import Noise
from ..parameters import Mode, TrainingTask
from .contribution_bytes import Layout
from .refusals import Refusal, Refused, RoleError
from .training_work import TrainingWork
from .work import Catalogue

_ROUNDING: Final = 1e-4


class EvaluationWork:
    """The metrics of a task.

    Parameters
    ----------
    task : TrainingTask
    catalogue : Catalogue
    noise : Noise
    """

    def __init__(self, task: TrainingTask, catalogue: Catalogue, noise: Noise) -> None:
        if task.mode is Mode.TRAIN_ONLY:
            raise RoleError("This task only trains.")
        self._task = task
        self._items = catalogue.items
        self._noise = noise
        self._evaluations = Evaluations(task)
        self._training = TrainingWork(task, catalogue, noise)
        self.rounds = self._evaluations.count
        self.report_goal = task.report_goal
        self.over_selection = task.over_selection
        self.sampling_rate = 1.0
        self.held_out_share = self.counting_share = self._training.held_out_share
        self.separation = 1
        self.most_examples = task.items_per_user
        self.most_rows = 0
        self.layout = Layout(self.separation, 0, 1 + len(task.metrics))

    @property
    def sensitivity(self) -> float:
        return self._evaluations.sensitivity

    def noise(self, number: int) -> dict[str, float]:
        return {METRICS: self._evaluations.noise_standard_deviation}

    def epsilon_after(self, number: int) -> float:
        """Return what so many evaluations cost a held-out person."""
        return self._evaluations.epsilon_after(number)

    def check_shared(self, shared: Shared) -> None:
        self._training.check_shared(shared)

    def broadcast(self, shared: Shared, items: Array) -> Shared:
        """Return everything: a device ranks items that its owner has not seen, and asks for none."""
        return shared

    def examples(self, own: Examples) -> Examples:
        return own

    def contribution(self, broadcast: Shared, examples: Examples) -> tuple[Array, Array]:
        owner = np.zeros(len(examples.items), np.int32)
        ratings = Ratings(owner, examples.items, examples.values, [""], [""] * self._items)
        try:
            with np.errstate(all="ignore"):
                vector = metric_contributions(self._task, broadcast, ratings)[0]
        except (ArithmeticError, ValueError):
            vector = np.zeros(self.layout.numbers)
        return np.empty(0, np.int32), vector

    def empty(self) -> Sums:
        return {METRICS: np.zeros(self.layout.numbers)}

    def checked(self, items: Array, vector: Array) -> Array:
        if not np.isfinite(vector).all():
            raise Refused(Refusal.NOT_FINITE)
        if np.any((vector < -_ROUNDING) | (vector > 1 + _ROUNDING)):
            raise Refused(Refusal.NORM)
        return np.clip(vector.astype(np.float64), 0, 1)

    def add(self, sums: Sums, contribution: Array) -> None:
        sums[METRICS] += contribution

    def releases(self, sums: Sums, number: int) -> list[Release]:
        return [self._evaluations.release(sums[METRICS], self._noise, number)]
