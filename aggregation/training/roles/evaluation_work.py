"""Metrics as roles release them: each held-out device adds what the model is to its owner, and no metric of one leaves.

Held-out people never train, so that what evaluation costs them is all that the task costs them (parallel composition):
the task's whole ε and δ, over all evaluations. A person's contribution is (1, m₁, …, mₖ), each metric brought to 0…1,
of norm at most √(1 + k); the number of people is released with the same noise as the sums.
"""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..accounting import gaussian_epsilon, gaussian_noise
from ..algorithms import Examples, Release, Shared, Sums
from ..data import Ratings
from ..evaluation import accuracy, auc, log_loss, recall
from ..noise import Noise
from ..parameters import Mode, TrainingTask
from ..predicting import predictor_for
from .contribution_bytes import Layout
from .refusals import Refusal, Refused, RoleError
from .training_work import TrainingWork
from .work import Catalogue

Array = NDArray[Any]
EVALUATIONS: Final = 10
"""The most that a task has; the server chooses after which rounds of training."""
METRICS: Final = "metrics"
_MOST_LOG_LOSS: Final = 5.0
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
        self._training = TrainingWork(task, catalogue, noise)
        self.rounds = min(task.rounds, EVALUATIONS)
        self.report_goal = task.report_goal
        self.sampling_rate = 1.0
        self.held_out_share = self._training.held_out_share
        self.separation = 1
        self.most_examples = task.items_per_user
        self.most_rows = 0
        self.layout = Layout(self.separation, 0, 1 + len(task.metrics))

    @property
    def sensitivity(self) -> float:
        return math.sqrt(self.layout.numbers)

    @cached_property
    def _multiplier(self) -> float:
        return gaussian_noise(self._task.target_epsilon, self._task.delta) * math.sqrt(self.rounds)

    def noise(self, number: int) -> dict[str, float]:
        return {METRICS: self._multiplier * self.sensitivity}

    def epsilon_after(self, number: int) -> float:
        """Return what so many evaluations cost a held-out person."""
        return gaussian_epsilon(self._multiplier / math.sqrt(number), self._task.delta) if number else 0.0

    def check_shared(self, shared: Shared) -> None:
        self._training.check_shared(shared)

    def broadcast(self, shared: Shared, items: Array) -> Shared:
        """Return everything: a device ranks items that its owner has not seen, and asks for none."""
        return shared

    def contribution(self, broadcast: Shared, examples: Examples) -> tuple[Array, Array]:
        nothing = np.empty(0, np.int32), np.zeros(self.layout.numbers)
        if len(examples.items) < 2:
            return nothing
        try:
            with np.errstate(all="ignore"):
                values = np.nan_to_num(self._metrics(broadcast, examples), nan=1.0, posinf=1.0, neginf=0.0)
        except (ArithmeticError, ValueError):
            return nothing
        return nothing[0], np.array([1.0, *np.clip(values, 0, 1)])

    def _metrics(self, broadcast: Shared, examples: Examples) -> list[float]:
        """Return a person's metrics, each from 0 to 1, on every second example, when the model has the rest."""
        hidden = np.arange(len(examples.items)) % 2 == 1
        low, high = self._task.rating_range
        known, unknown = (self._ratings(examples, which) for which in (~hidden, hidden))
        foretell, score = predictor_for(self._task).fit(self._task, broadcast, known)
        foretold = np.clip(foretell(unknown.users, unknown.items), low, high).astype(np.float64)
        values, middle = unknown.values, (low + high) / 2

        def loss() -> float:
            return log_loss((foretold - low) / (high - low), values, middle) / _MOST_LOG_LOSS

        metrics: dict[str, Callable[[], float | None]] = {
            "rmse": lambda: float(np.mean((foretold - values) ** 2)) / (high - low) ** 2,
            "accuracy": lambda: accuracy(foretold, values, middle),
            "auc": lambda: auc(foretold, values, middle),
            "log_loss": loss,
            "recall_at_20": lambda: recall(score, known, unknown),
        }
        found = [metrics[name]() for name in self._task.metrics]
        # One whose ratings are all on one side has no AUC, and says what chance would.
        return [0.5 if value is None else value for value in found]

    def _ratings(self, examples: Examples, which: NDArray[np.bool_]) -> Ratings:
        items, values = examples.items[which], examples.values[which]
        return Ratings(np.zeros(len(items), np.int32), items, values, [""], [""] * self._items)

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
        deviation = 0.0 if self._noise.off else self.noise(number)[METRICS]
        array = sums[METRICS] + self._noise.normal(sums[METRICS].shape, deviation)
        return [Release(METRICS, number, self.sensitivity, deviation, array)]


def read_metrics(task: TrainingTask, release: Release) -> dict[str, tuple[float, float]]:
    """Return each metric as its task names it, and the standard error that noise gives it: all from what was released.

    A ratio's error is found by its derivatives. The spread between people is not in it.
    """
    people, *sums = release.array.tolist()
    people = max(people, 1.0)
    span = task.rating_range[1] - task.rating_range[0]
    found = {}
    for name, total in zip(task.metrics, sums, strict=True):
        mean = min(max(total / people, 0.0), 1.0)
        error = release.noise_standard_deviation * math.sqrt(1 + mean**2) / people
        if name == "rmse":
            root = math.sqrt(mean)
            found[name] = span * root, span * error / (2 * max(root, 1e-9))
        else:
            scale = _MOST_LOG_LOSS if name == "log_loss" else 1.0
            found[name] = scale * mean, scale * error
    return found
