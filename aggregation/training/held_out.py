"""People of a simulation who never train: what they release of the model, as devices would."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags
from .algorithms import Release, Shared
from .data import Ratings
from .metrics import HELD_OUT, Evaluations, metric_contributions, read_metrics
from .noise import Noise
from .parameters import Mode, TrainingTask
from .plan import PlannedRelease, rounded_up
from .splits import bounded

# Makes the release of an evaluation by another way than the vectorised one.
Evaluate = Callable[[TrainingTask, Shared, Ratings, int], Release]


@dataclass(frozen=True)
class ReleasedMetrics:
    """Metrics of people who never train, as they were released.

    Parameters
    ----------
    values : dict of str to float
        By the names that the task has for them.
    standard_errors : dict of str to float
        Of noise alone: the spread between people is not in them.
    epsilon : float or None
        What a person who evaluates has spent by then; None without privacy.
    release : PlannedRelease
    """

    values: dict[str, float]
    standard_errors: dict[str, float]
    epsilon: float | None
    release: PlannedRelease


class HeldOut:
    """People who evaluate.

    Parameters
    ----------
    task : TrainingTask
    ratings : Ratings
        Of them alone.
    rng : Generator
        Draws their ratings, where they have more than a person contributes by.
    noise : Noise
        Of metrics alone.
    evaluate : callable, optional
        Makes the releases, instead of the vectorised evaluation.
    """

    def __init__(
        self, task: TrainingTask, ratings: Ratings, rng: np.random.Generator, noise: Noise, evaluate: Evaluate | None
    ) -> None:
        self._task = task
        self._plan = Evaluations(task)
        self._noise = noise
        self._evaluate = evaluate or self._evaluated
        mine = bounded(ratings, task.items_per_user, rng)
        people, users = np.unique(mine.users, return_inverse=True)
        names = [ratings.user_names[user] for user in people.tolist()]
        self._ratings = Ratings(users.astype(np.int32), mine.items, mine.values, names, mine.item_names)
        # Below its goal the aggregator releases nothing.
        self._is_enough = len(people) >= task.report_goal

    def after(self, number: int, shared: Shared) -> ReleasedMetrics | None:
        """Return what they release after a round of training; None if no evaluation follows it, or they are too few."""
        evaluation = self._plan.after(number)
        if evaluation is None or not self._is_enough:
            return None
        release = self._evaluate(self._task, shared, self._ratings, evaluation)
        found = read_metrics(self._task, release)
        return ReleasedMetrics(
            {name: value for name, (value, _error) in found.items()},
            {name: error for name, (_value, error) in found.items()},
            None if self._noise.off else rounded_up(self._plan.epsilon_after(evaluation)),
            release.without_numbers(number),
        )

    def _evaluated(self, task: TrainingTask, shared: Shared, ratings: Ratings, number: int) -> Release:
        return self._plan.release(metric_contributions(task, shared, ratings).sum(axis=0), self._noise, number)


def drawn_held_out(task: TrainingTask, people: int, rng: np.random.Generator) -> Flags:
    """Return who is held out, each by themselves; shape (people,). A simulation trains, whatever the task's mode."""
    is_trained_only = task.mode is Mode.TRAIN_ONLY
    return rng.random(people) < HELD_OUT[Mode.TRAIN_ONLY if is_trained_only else Mode.TRAIN_AND_EVALUATE]
