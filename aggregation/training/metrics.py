"""Metrics that leave the boundary: what held-out people add, the noise on their sum, and what that tells.

Held-out people never train, so that what evaluation costs them is all that the task costs them (parallel composition):
the task's whole ε and δ, over all evaluations. A person's contribution is (1, m₁, …, mₖ), each metric brought to 0…1,
of norm at most √(1 + k); the number of people is released with the same noise as the sums.
"""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Final

import numpy as np

from ..arrays import Array
from .accounting import gaussian_epsilon, gaussian_noise
from .algorithms import Release, Shared
from .data import Ratings
from .evaluation import accuracy, auc, log_loss, recalls
from .noise import Noise
from .parameters import Mode, TrainingTask
from .predicting import predictor_for

EVALUATIONS: Final = 10
"""The most that a task has; the server chooses after which rounds of training."""
METRICS: Final = "metrics"
HELD_OUT: Final = {Mode.TRAIN_AND_EVALUATE: 0.1, Mode.TRAIN_ONLY: 0.0, Mode.EVALUATE_ONLY: 1.0}
"""Share of people who never train, and evaluate."""
_MOST_LOG_LOSS: Final = 5.0


class Evaluations:
    """The evaluations of a task: when they are, their noise, and what they cost a held-out person.

    Parameters
    ----------
    task : TrainingTask
    """

    def __init__(self, task: TrainingTask) -> None:
        self._task = task
        self.count = min(task.rounds, EVALUATIONS)
        self.sensitivity = math.sqrt(1 + len(task.metrics))

    def after(self, number: int) -> int | None:
        """Return which evaluation follows a round of training, evenly spread and one at the end; None for no one."""
        stride = -(-self._task.rounds // self.count)
        is_due = number % stride == 0 or number == self._task.rounds
        return -(-number // stride) if is_due else None

    @cached_property
    def _multiplier(self) -> float:
        return gaussian_noise(self._task.target_epsilon, self._task.delta) * math.sqrt(self.count)

    @property
    def noise_standard_deviation(self) -> float:
        """Noise of each number of a release."""
        return self._multiplier * self.sensitivity

    def epsilon_after(self, number: int) -> float:
        """Return what so many evaluations cost a held-out person."""
        return gaussian_epsilon(self._multiplier / math.sqrt(number), self._task.delta) if number else 0.0

    def release(self, sums: Array, noise: Noise, number: int) -> Release:
        """Return the sum of contributions with its noise."""
        deviation = 0.0 if noise.off else self.noise_standard_deviation
        array = sums + noise.normal(sums.shape, deviation)
        return Release(METRICS, number, self.sensitivity, deviation, array)


def metric_contributions(task: TrainingTask, shared: Shared, ratings: Ratings) -> Array:
    """Return what each person adds: 1 and their metrics, each from 0 to 1, or 0s where there are less than two ratings.

    A person's metrics are of every second rating, when the model knows the others; shape (people, 1 + metrics).
    """
    rank = np.arange(len(ratings)) - ratings.offsets[ratings.users]
    known, hidden = ratings.where(rank % 2 == 0), ratings.where(rank % 2 == 1)
    low, high = task.rating_range
    middle = (low + high) / 2
    foretell, score = predictor_for(task).fit(task, shared, known)
    foretold = np.clip(foretell(hidden.users, hidden.items), low, high).astype(np.float64)
    # A person whose ratings are all on one side has no AUC, and says what chance would.
    metrics: dict[str, Callable[[Array, Array], float | None]] = {
        "rmse": lambda found, values: float(np.mean((found - values) ** 2)) / (high - low) ** 2,
        "accuracy": lambda found, values: accuracy(found, values, middle),
        "auc": lambda found, values: auc(found, values, middle),
        "log_loss": lambda found, values: log_loss((found - low) / (high - low), values, middle) / _MOST_LOG_LOSS,
    }
    people = np.flatnonzero(np.diff(hidden.offsets))
    contributions = np.zeros((len(ratings.user_names), 1 + len(task.metrics)))
    contributions[people, 0] = 1
    for place, name in enumerate(task.metrics, 1):
        if name not in metrics:
            contributions[people, place] = recalls(score, known, hidden)
            continue
        for user in people.tolist():
            part = slice(hidden.offsets[user], hidden.offsets[user + 1])
            value = metrics[name](foretold[part], hidden.values[part])
            contributions[user, place] = 0.5 if value is None else value
    contributions[people] = np.clip(np.nan_to_num(contributions[people], nan=1.0, posinf=1.0, neginf=0.0), 0, 1)
    return contributions


def read_metrics(task: TrainingTask, release: Release) -> dict[str, tuple[float, float]]:
    """Return each metric as its task names it, and the standard error that noise gives it: all from what was released.

    A ratio's error is found by its derivatives, and is at most the metric's whole range, where nothing is known. The
    spread between people is not in it.
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
            found[name] = span * root, span * min(1.0, error / (2 * max(root, 1e-9)))
        else:
            scale = _MOST_LOG_LOSS if name == "log_loss" else 1.0
            found[name] = scale * mean, scale * min(1.0, error)
    return found
