"""A whole training run over simulated people: `train`."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from ..errors import ParameterError
from .algorithms import Algorithm, Release, Shape, Shared, algorithm_for
from .clipping import clipped_share
from .data import DataError, Features, Ratings
from .evaluation import rating_baselines, recall_and_error, recall_baselines, rmse, rmse_error
from .held_out import HeldOut, ReleasedMetrics, drawn_held_out
from .noise import Noise
from .parameters import InvalidTask, Mode, TrainingTask
from .plan import PlannedRelease, rounded_up
from .planning import plan_training
from .predicting import Predictor, predictor_for
from .splits import Split, bounded, split_ratings, split_users

# α₀ of a task that says nothing of it, where what is asked for is what people choose.
IMPLICIT_WEIGHT: Final = 0.1
# With so many rounds each is evaluated.
_EVALUATED: Final = 100
# How many people's rankings stand for all where ratings are held out.
_RANKED: Final = 2000
# The mean of many ratings that lie outside a range would be hidden by clipping.
_SLACK: Final = 1e-6

SplitName = Literal["ratings", "users"]


class Contribute(Protocol):
    """Another way than the vectorised one to what is released, of these ratings, in this round or evaluation."""

    def __call__(
        self, algorithm: Algorithm, task: TrainingTask, shared: Shared, ratings: Ratings, number: int, /
    ) -> Sequence[Release]:
        """Return the releases of a round."""
        ...

    def evaluate(self, task: TrainingTask, shared: Shared, ratings: Ratings, number: int, /) -> Release:
        """Return the released metrics of an evaluation by people who never train."""
        ...


@dataclass(frozen=True)
class RoundResult:
    """Results that are known after a round.

    Parameters
    ----------
    round : int
        From 1 on.
    rmse, recall_at_20 : float or None
        Exact errors of the simulation; no release.
    epsilon : float or None
        Spent so far; None without privacy.
    participants : int
    signal_to_noise : mapping of str to float
        By kind of release: the root mean square of the sums without noise, over the noise's standard deviation. It is
        the simulation's own, as errors are.
    rmse_error, recall_error : float or None
        Standard errors of `rmse` and `recall_at_20` over the people who are tested: they are a sample.
    clipped : float or None
        The share of contributions that are clipped; None without privacy.
    releases : list of PlannedRelease
        What the round let out, without its numbers.
    is_evaluated : bool
        Whether errors, signal to noise and clipping were looked for.
    metrics : ReleasedMetrics or None
        After at most ten rounds, where enough people evaluate.
    """

    round: int
    rmse: float | None
    recall_at_20: float | None
    epsilon: float | None
    participants: int
    signal_to_noise: dict[str, float]
    rmse_error: float | None
    recall_error: float | None
    clipped: float | None
    releases: list[PlannedRelease]
    is_evaluated: bool
    metrics: ReleasedMetrics | None = None


@dataclass(frozen=True)
class TrainingResult:
    """The result of a run, and the model.

    Parameters
    ----------
    task : TrainingTask
    rounds : list of RoundResult
    baselines, recall_baselines : dict of str to (float or None)
        What needs no training: in the metric of the split, and recall@20.
    people : dict of str to int
        How many have ratings (`all`), of whom so many hold something to train on (`trained`), and never train but
        release metrics (`evaluated`).
    epsilon, delta : float or None
    seconds : float
    shared : dict
        The model.
    """

    task: TrainingTask
    rounds: list[RoundResult]
    baselines: dict[str, float | None]
    recall_baselines: dict[str, float | None]
    people: dict[str, int]
    epsilon: float | None
    delta: float | None
    seconds: float
    shared: Shared = field(repr=False)

    @property
    def released(self) -> list[PlannedRelease]:
        """All that was let out, without its numbers."""
        return [release for each in self.rounds for release in each.releases]

    def to_mapping(self) -> dict[str, Any]:
        """Return the document that the command `train` prints."""
        last = self.rounds[-1]
        return {
            "rmse": last.rmse,
            "recall_at_20": last.recall_at_20,
            "baselines": self.baselines,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rounds": [{"round": each.round, "rmse": each.rmse, "epsilon": each.epsilon} for each in self.rounds],
            "released": [asdict(each) for each in self.released],
            "seconds": self.seconds,
            "recall_at_20_standard_error": last.recall_error,
            "recall_baselines": self.recall_baselines,
            "people": self.people,
        }


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
    plan = None if non_private else plan_training(task)
    rng = np.random.default_rng(seed)
    parts = (split_ratings if split == "ratings" else split_users)(ratings, rng)
    algorithm, shape = algorithm_for(task), Shape(len(ratings.item_names), features)
    predictor = predictor_for(task)
    examples = predictor.examples(task, parts.train, lambda count, items: rng.integers(0, items, count))
    trained = bounded(examples, task.items_per_user, rng)
    people = len(ratings.user_names)
    of_evaluation = rng.spawn(1)[0]
    if split == "ratings":
        held_out = drawn_held_out(task, people, of_evaluation)
        trained, evaluating = trained.of_users(~held_out), ratings.of_users(held_out)
    else:
        evaluating = parts.validation
    drawn = int(rng.integers(2**63))
    secret = noise_seed if noise_seed is not None else None if seed is None else drawn
    noise = Noise(secret, off=non_private)
    of_metrics = Noise(None if secret is None else [secret, 1], off=non_private)
    presence = rng if noise_seed is None else np.random.default_rng(noise_seed).spawn(1)[0]
    evaluations = HeldOut(
        task, evaluating, of_evaluation, of_metrics, None if contribute is None else contribute.evaluate
    )
    shared = algorithm.initial(task, shape, rng)
    present = np.diff(trained.offsets) > 0
    rounds: list[RoundResult] = []
    for number in range(1, task.rounds + 1):
        chosen = algorithm.participants(task, number, people, presence) & present
        sample = trained if chosen.sum() == present.sum() else trained.of_users(chosen)
        is_last = number == task.rounds
        is_evaluated = is_last or number % -(-task.rounds // most_evaluated) == 0
        clipped = None
        if is_evaluated and not non_private:
            clipped = clipped_share(algorithm, task, shape, shared, sample)
        sums = {} if contribute else algorithm.batch(task, shared, sample)
        releases = (
            contribute(algorithm, task, shared, sample, number)
            if contribute
            else algorithm.releases(task, sums, noise, number)
        )
        shared = algorithm.update(task, shared, releases)
        errors = _NOT_EVALUATED
        if is_evaluated:
            errors = _errors(predictor, task, shared, parts, split, is_last=is_last)
        is_compared = is_evaluated and sums and not non_private
        result = RoundResult(
            number,
            errors.rmse,
            errors.recall,
            None if plan is None else rounded_up(plan.epsilon_after(number)),
            int(chosen.sum()),
            {each.name: _signal(sums[each.name], each) for each in releases} if is_compared else {},
            errors.rmse_error,
            errors.recall_error,
            clipped,
            [each.without_numbers() for each in releases],
            is_evaluated,
            evaluations.after(number, shared),
        )
        rounds.append(result)
        if on_round:
            on_round(result)
    of_recall = recall_baselines(parts, features, most=_RANKED if split == "ratings" else None)
    evaluated = np.count_nonzero(np.diff(evaluating.offsets)) if task.mode is not Mode.TRAIN_ONLY else 0
    return TrainingResult(
        task,
        rounds,
        rating_baselines(parts, features, task.rating_range) if split == "ratings" else of_recall,
        of_recall,
        {"all": people, "trained": int(present.sum()), "evaluated": int(evaluated)},
        None if plan is None else rounded_up(plan.epsilon),
        None if plan is None else plan.delta,
        time.perf_counter() - began,
        shared,
    )


def _signal(array: Array, release: Release) -> float:
    return float(np.sqrt(np.mean(array.astype(np.float64) ** 2)) / release.noise_standard_deviation)


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


class _Errors(NamedTuple):
    """Exact errors, and their standard errors over the people who are tested."""

    rmse: float | None
    rmse_error: float | None
    recall: float | None
    recall_error: float | None


_NOT_EVALUATED: Final = _Errors(None, None, None, None)


def _errors(
    predictor: Predictor, task: TrainingTask, shared: Shared, parts: Split, split: SplitName, *, is_last: bool
) -> _Errors:
    """Return errors of a round's model. Where ratings are held out, recall is known after the last round."""
    known, hidden = parts.known, parts.hidden
    foretell, score = predictor.fit(task, shared, known)
    if split == "users":
        return _Errors(None, None, *recall_and_error(score, known, hidden))
    found = foretell(hidden.users, hidden.items)
    of_ratings = rmse(lambda _users, _items: found, hidden, task.rating_range)
    error = rmse_error(found, hidden, task.rating_range)
    ranked = recall_and_error(score, known, hidden, most=_RANKED) if is_last else (None, None)
    return _Errors(of_ratings, error, *ranked)
