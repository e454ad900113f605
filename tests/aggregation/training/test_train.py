"""Whole runs: the document of the command, and what is refused."""

import json

import numpy as np
import pytest

from aggregation.training import (
    DataError,
    Features,
    InvalidTask,
    PlannedRelease,
    Ratings,
    RoundResult,
    TrainingTask,
    plan_training,
    rounded_up,
    train,
)
from aggregation.training.algorithms import Algorithm, Release, Shared
from aggregation.training.metrics import Evaluations
from aggregation.training.noise import Noise

from .conftest import task_of

pytestmark = pytest.mark.exact


@pytest.mark.parametrize("non_private", [False, True])
def test_document_has_what_the_command_prints(ratings: Ratings, features: Features, non_private: bool) -> None:
    task, seen = task_of(public_features=True), list[RoundResult]()
    result = train(task, ratings, features, seed=1, non_private=non_private, on_round=seen.append)
    document = json.loads(json.dumps(result.to_mapping(), allow_nan=False))
    assert list(document) == [
        "rmse", "recall_at_20", "baselines", "epsilon", "delta", "rounds", "released", "seconds",
        "recall_at_20_standard_error", "recall_baselines", "people",
    ]  # fmt: skip
    for name in ("baselines", "recall_baselines"):
        assert set(document[name]) == {"mean", "popularity", "public_features"}
    people = document["people"]
    assert people["all"] == people["trained"] + people["evaluated"] == 120
    assert people["trained"] == result.rounds[0].participants
    # Each number that is let out has eight bytes.
    wide, items = 1 + task.model.dimension, len(ratings.item_names)
    numbers = {"gramian": wide**2, "item_gramians": items * wide**2, "item_sums": items * wide}
    assert {each["name"]: each["numbers"] for each in document["released"]} == numbers
    assert all(each["bytes"] == 8 * each["numbers"] for each in document["released"])
    assert [each["round"] for each in document["rounds"]] == [1, 2, 3]
    assert document["rounds"][-1]["rmse"] == document["rmse"]
    assert seen == result.rounds
    plan = plan_training(task)
    assert document["epsilon"] == (None if non_private else rounded_up(plan.epsilon))
    assert document["rounds"][-1]["epsilon"] == document["epsilon"]
    expected = [(each.name, each.round, 0 if non_private else each.noise_standard_deviation) for each in plan.releases]
    found = [(each["name"], each["round"], each["noise_standard_deviation"]) for each in document["released"]]
    assert sorted(found) == sorted(expected)


def test_document_has_every_round_and_at_most_a_hundred_are_evaluated(ratings: Ratings) -> None:
    for rounds, evaluated in ((100, range(1, 101)), (101, [*range(2, 101, 2), 101])):
        task = task_of(algorithm="dp_sgd", rounds=rounds, noise_multiplier=5)
        document = train(task, ratings, seed=1).to_mapping()
        assert [each["round"] for each in document["rounds"]] == [*range(1, rounds + 1)]
        assert [each["round"] for each in document["rounds"] if each["rmse"] is not None] == [*evaluated]
        spent = [each["epsilon"] for each in document["rounds"]]
        assert spent == sorted(spent)
        assert [each["round"] for each in document["released"]] == [*range(1, rounds + 1)]


def test_runs_with_one_seed_are_equal_and_others_are_not(ratings: Ratings) -> None:
    first, again, other = (train(task_of(), ratings, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.shared["items"], again.shared["items"])
    assert first.rounds == again.rounds
    assert not np.array_equal(first.shared["items"], other.shared["items"])


def test_noise_and_participation_are_of_a_seed_of_their_own(ratings: Ratings) -> None:
    task = task_of(algorithm="dp_sgd")
    first, again, other = (train(task, ratings, seed=1, noise_seed=secret) for secret in (2**255, 2**255, 2**255 + 1))
    np.testing.assert_array_equal(first.shared["items"], again.shared["items"])
    assert not np.array_equal(first.shared["items"], other.shared["items"])
    assert [each.participants for each in first.rounds] != [each.participants for each in other.rounds]
    # The held-out ratings are equal.
    assert first.baselines == other.baselines
    with_its_seed = train(task, ratings, seed=1)
    assert not np.array_equal(first.shared["items"], with_its_seed.shared["items"])


@pytest.mark.parametrize("algorithm", ["dpam", "dp_sgd"])
def test_nobody_trains_on_more_items_than_the_task_allows(ratings: Ratings, algorithm: str) -> None:
    task = task_of(algorithm=algorithm, items_per_user=3, implicit_weight=0.1, rounds=1, noise_multiplier=20)
    most = list[int]()

    class Counted:
        def __call__(
            self, each: Algorithm, task: TrainingTask, shared: Shared, sample: Ratings, number: int
        ) -> list[Release]:
            most.append(int(np.diff(sample.offsets).max()))
            return each.releases(task, each.batch(task, shared, sample), Noise(1), number)

        def evaluate(self, task: TrainingTask, shared: Shared, sample: Ratings, number: int) -> Release:
            raise NotImplementedError

    train(task, ratings, seed=1, contribute=Counted())
    # Items that were not chosen count, too.
    assert most == [3]


def test_people_who_never_train_release_metrics_with_the_noise_of_the_plan(ratings: Ratings) -> None:
    task = task_of(report_goal=5, metrics=["rmse", "accuracy"], rounds=23)
    plan = Evaluations(task)
    due = {number: plan.after(number) for number in range(1, 24)}
    assert [*filter(None, due.values())] == [*range(1, 9)]
    exact, noisy = (train(task, ratings, seed=1, noise_seed=5, non_private=off) for off in (True, False))
    for result in (exact, noisy):
        assert [each.round for each in result.rounds if each.metrics] == [n for n, each in due.items() if each]
        # Some twelve of 120 people evaluate, and train in no round.
        assert 90 <= result.rounds[0].participants <= 115
    last = noisy.rounds[-1].metrics
    assert last is not None
    assert last.release == PlannedRelease("metrics", 23, plan.sensitivity, plan.noise_standard_deviation, 3, 24)
    assert last.epsilon == pytest.approx(plan.epsilon_after(8))
    assert plan.epsilon_after(8) <= task.target_epsilon
    released = exact.rounds[-1].metrics
    assert released is not None
    assert released.values["rmse"] == pytest.approx(exact.rounds[-1].rmse, abs=0.3)
    assert train(task_of(mode="train_only"), ratings, seed=1).rounds[0].participants == 120
    # Below the report goal nothing is released.
    assert all(each.metrics is None for each in train(task_of(), ratings, seed=1).rounds)


def test_new_people_are_tested_by_recall(ratings: Ratings) -> None:
    document = train(task_of(), ratings, seed=1, split="users").to_mapping()
    assert document["rmse"] is None
    assert 0 <= document["recall_at_20"] <= 1
    assert 0 < document["baselines"]["mean"] < 1
    assert 0 < document["recall_at_20_standard_error"] < 0.5
    assert document["recall_baselines"] == document["baselines"]


def test_ratings_beyond_what_the_task_says_are_refused(ratings: Ratings) -> None:
    with pytest.raises(DataError, match="outside the task's rating_range, 1 to 3"):
        train(task_of(rating_range=[1, 3]), ratings)
    with pytest.raises(DataError, match="the ratings are of 120 people"):
        train(task_of(population=10, delta=0.01), ratings)
    with pytest.raises(InvalidTask, match="public features"):
        train(task_of(public_features=True), ratings)
