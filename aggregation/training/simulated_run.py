"""A training run over simulated people: who trains, who evaluates, and its rounds."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from .algorithms import Algorithm, Release, Shape, Shared, Sums, algorithm_for
from .clipping import clipped_share
from .data import Features, Ratings
from .evaluation import rating_baselines, recall_and_error, recall_baselines, rmse, rmse_error
from .held_out import HeldOut, drawn_held_out
from .noise import Noise
from .parameters import Mode, TrainingTask
from .plan import rounded_up
from .planning import plan_training
from .predicting import predictor_for
from .results import RoundResult, TrainingResult
from .splits import bounded, split_ratings, split_users

# How many people's rankings stand for all where ratings are held out.
_RANKED: Final = 2000

SplitName = Literal["ratings", "users"]


class Contribute(Protocol):
    """Another way than the vectorised one to what is released, of these ratings, in this round or evaluation."""

    def __call__(
        self, algorithm: Algorithm, task: TrainingTask, shared: Shared, ratings: Ratings, number: int, /
    ) -> Sequence[Release]:
        """Return the releases of a round."""

    def evaluate(self, task: TrainingTask, shared: Shared, ratings: Ratings, number: int, /) -> Release:
        """Return the released metrics of an evaluation by people who never train."""


class _Errors(NamedTuple):
    """Exact errors, and their standard errors over the people who are tested."""

    rmse: float | None
    rmse_error: float | None
    recall: float | None
    recall_error: float | None


_NOT_EVALUATED: Final = _Errors(None, None, None, None)


class SimulatedRun:
    """People who hold ratings, and the model that they train; parameters are as of `train`.

    The order in which randomness is drawn is part of what a seed means.
    """

    def __init__(
        self,
        task: TrainingTask,
        ratings: Ratings,
        features: Features | None,
        *,
        seed: int | None,
        noise_seed: int | None,
        split: SplitName,
        non_private: bool,
        contribute: Contribute | None,
        most_evaluated: int,
    ) -> None:
        self._task, self._features, self._split, self._contribute = task, features, split, contribute
        self._plan = None if non_private else plan_training(task)
        self._stride = -(-task.rounds // most_evaluated)
        self._algorithm, self._shape = algorithm_for(task), Shape(len(ratings.item_names), features)
        self._predictor = predictor_for(task)
        self._people = len(ratings.user_names)
        rng = np.random.default_rng(seed)
        of_evaluation = self._divide(ratings, rng)
        drawn = int(rng.integers(2**63))
        secret = noise_seed if noise_seed is not None else None if seed is None else drawn
        self._noise = Noise(secret, off=non_private)
        self._presence = rng if noise_seed is None else np.random.default_rng(noise_seed).spawn(1)[0]
        of_metrics = Noise(None if secret is None else [secret, 1], off=non_private)
        evaluate = None if contribute is None else contribute.evaluate
        self._evaluations = HeldOut(task, self._evaluating, of_evaluation, of_metrics, evaluate)
        self._shared = self._algorithm.initial(task, self._shape, rng)

    def _divide(self, ratings: Ratings, rng: np.random.Generator) -> np.random.Generator:
        """Divide ratings into what is trained on, who evaluates, and what errors are measured on.

        Returns the randomness of those who evaluate.
        """
        task = self._task
        self._parts = (split_ratings if self._split == "ratings" else split_users)(ratings, rng)
        examples = self._predictor.examples(task, self._parts.train, lambda count, items: rng.integers(0, items, count))
        self._trained, self._evaluating = bounded(examples, task.items_per_user, rng), self._parts.validation
        of_evaluation = rng.spawn(1)[0]
        if self._split == "ratings":
            held_out = drawn_held_out(task, self._people, of_evaluation)
            self._trained, self._evaluating = self._trained.of_users(~held_out), ratings.of_users(held_out)
        self._present = np.diff(self._trained.offsets) > 0
        return of_evaluation

    def round(self, number: int) -> RoundResult:
        """Train a round, and measure it if its turn has come."""
        task, before = self._task, self._shared
        chosen = self._algorithm.participants(task, number, self._people, self._presence) & self._present
        sample = self._trained if chosen.sum() == self._present.sum() else self._trained.of_users(chosen)
        is_evaluated = number == task.rounds or number % self._stride == 0
        is_compared = is_evaluated and self._plan is not None
        clipped = clipped_share(self._algorithm, task, self._shape, before, sample) if is_compared else None
        sums, releases = self._released(sample, number)
        self._shared = self._algorithm.update(task, before, releases)
        errors = self._errors(is_last=number == task.rounds) if is_evaluated else _NOT_EVALUATED
        return RoundResult(
            number,
            errors.rmse,
            errors.recall,
            None if self._plan is None else rounded_up(self._plan.epsilon_after(number)),
            int(chosen.sum()),
            {each.name: _signal(sums[each.name], each) for each in releases} if is_compared and sums else {},
            errors.rmse_error,
            errors.recall_error,
            clipped,
            [each.without_numbers() for each in releases],
            is_evaluated,
            self._evaluations.after(number, self._shared),
        )

    def _released(self, sample: Ratings, number: int) -> tuple[Sums, Sequence[Release]]:
        """Return the sums of a round, as far as they are known, and what is released of them."""
        if self._contribute:
            return {}, self._contribute(self._algorithm, self._task, self._shared, sample, number)
        sums = self._algorithm.batch(self._task, self._shared, sample)
        return sums, self._algorithm.releases(self._task, sums, self._noise, number)

    def _errors(self, *, is_last: bool) -> _Errors:
        """Return errors of the model. Where ratings are held out, recall is known after the last round."""
        task, known, hidden = self._task, self._parts.known, self._parts.hidden
        foretell, score = self._predictor.fit(task, self._shared, known)
        if self._split == "users":
            return _Errors(None, None, *recall_and_error(score, known, hidden))
        found = foretell(hidden.users, hidden.items)
        of_ratings = rmse(lambda _users, _items: found, hidden, task.rating_range)
        error = rmse_error(found, hidden, task.rating_range)
        ranked = recall_and_error(score, known, hidden, most=_RANKED) if is_last else (None, None)
        return _Errors(of_ratings, error, *ranked)

    def result(self, rounds: list[RoundResult], seconds: float) -> TrainingResult:
        task, plan = self._task, self._plan
        has_errors = self._split == "ratings"
        of_recall = recall_baselines(self._parts, self._features, most=_RANKED if has_errors else None)
        evaluated = 0
        if task.mode is not Mode.TRAIN_ONLY:
            evaluated = int(np.count_nonzero(np.diff(self._evaluating.offsets)))
        return TrainingResult(
            task,
            rounds,
            rating_baselines(self._parts, self._features, task.rating_range) if has_errors else of_recall,
            of_recall,
            {"all": self._people, "trained": int(self._present.sum()), "evaluated": evaluated},
            None if plan is None else rounded_up(plan.epsilon),
            None if plan is None else plan.delta,
            seconds,
            self._shared,
        )


def _signal(array: Array, release: Release) -> float:
    return float(np.sqrt(np.mean(array.astype(np.float64) ** 2)) / release.noise_standard_deviation)
