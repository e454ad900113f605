"""A whole training run over simulated people: `train`."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from ..errors import ParameterError
from .data import DataError, Features, Ratings
from .parameters import InvalidTask, TrainingTask
from .results import RoundResult, TrainingResult
from .simulated_run import Contribute, SimulatedRun, SplitName

# α₀ of a task that says nothing of it, where what is asked for is what people choose.
IMPLICIT_WEIGHT: Final = 0.1
# With so many rounds each is evaluated.
_EVALUATED: Final = 100
# The mean of many ratings that lie outside a range would be hidden by clipping.
_SLACK: Final = 1e-6


def train(
    task: TrainingTask,
    ratings: Ratings,
    features: Features | None = None,
    *,
    seed: int | None = None,
    noise_seed: int | None = None,
    split: SplitName = "ratings",
    non_private: bool = False,
    on_round: Callable[[RoundResult], None] | None = None,
    contribute: Contribute | None = None,
    most_evaluated: int = _EVALUATED,
) -> TrainingResult:
    """Train a model on simulated people, and measure it on what was held out.

    Parameters
    ----------
    task : TrainingTask
    ratings : Ratings
        Of all people; the split decides what is trained on.
    features : Features, optional
        Public features of the items; without them a task that leans on them is refused.
    seed : int, optional
        Of everything that is random, as long as nothing else is said of the noise. Without it, the noise is the
        operating system's.
    noise_seed : int, optional
        Of the noise, and of who takes part in which round. It undoes both, so that it is as secret as ratings are,
        wherever those are real. `seed` then only decides what is held out, and where training begins.
    split : {"ratings", "users"}
        What is held out: ratings of everybody, or half of the items of people who never train. With `users` the
        model is of what people choose (α₀ is 0.1 unless the task has one), and there is no error of ratings.
    non_private : bool
        Whether to leave all noise out. Nothing of it may be shown to anybody.
    on_round : callable, optional
        Called after each round, evaluated or not.
    contribute : callable, optional
        Makes the releases of a round, instead of the vectorised step: nothing is known of their sums then.
    most_evaluated : int
        Of more rounds, so many at most are evaluated, evenly spread, and the last one.

    Raises
    ------
    DataError
        If ratings lie outside the task's range, or are of more people than δ allows.
    InvalidTask
        If the task costs more than its target, or needs features.
    """
    began = time.perf_counter()
    if split == "users" and task.implicit_weight is None:
        # Choices alone have no error of ratings to be released.
        task = replace(task, implicit_weight=IMPLICIT_WEIGHT, metrics=("recall_at_20",))
    check_data(task, ratings, features)
    run = SimulatedRun(
        task,
        ratings,
        features,
        seed=seed,
        noise_seed=noise_seed,
        split=split,
        non_private=non_private,
        contribute=contribute,
        most_evaluated=most_evaluated,
    )
    rounds: list[RoundResult] = []
    for number in range(1, task.rounds + 1):
        rounds.append(run.round(number))
        if on_round:
            on_round(rounds[-1])
    return run.result(rounds, time.perf_counter() - began)


def check_data(task: TrainingTask, ratings: Ratings, features: Features | None) -> None:
    """Raise what `train` raises for ratings and features that do not fit a task."""
    low, high = task.rating_range
    outside = np.flatnonzero((ratings.values < low - _SLACK) | (ratings.values > high + _SLACK))
    if len(outside):
        first = outside[0]
        pair = f"user {ratings.user_names[ratings.users[first]]}, item {ratings.item_names[ratings.items[first]]}"
        raise DataError(
            f"The rating {ratings.values[first]:g} ({pair}) lies outside the task's rating_range, {low:g} to {high:g}."
        )
    people = len(ratings.user_names)
    if task.delta > 1 / (10 * people):
        raise DataError(
            f"delta = {task.delta:g} is more than 1/(10 · {people}), and the ratings are of {people} people."
        )
    if features is None and (task.public_features or task.model.kind != "factored"):
        name = "public_features" if task.public_features else "model"
        raise InvalidTask([ParameterError(name, "The task needs public features of the items; give their file.")])
