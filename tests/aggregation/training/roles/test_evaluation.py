"""Metrics of held-out people leave through the aggregator, with noise, and cost them what the task says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from dp_accounting import GaussianDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant

from aggregation.training import Examples, InvalidTask, Noise, Ratings, Release, Shape, TrainingTask, algorithm_for
from aggregation.training.metrics import METRICS
from aggregation.training.predicting import predictor_for
from aggregation.training.roles import (
    Aggregator,
    Catalogue,
    Configuration,
    Device,
    Distributor,
    OpenedRounds,
    RoleError,
    Rounds,
    code_hash,
    read_metrics,
    training_work,
)
from aggregation.training.roles.device_file import InMemory
from aggregation.training.roles.evaluation_work import EvaluationWork
from aggregation.training.roles.works import work_for
from tests.aggregation.training.conftest import ITEMS, invented, task_of
from tests.aggregation.training.roles import noiseless
from tests.aggregation.training.roles.helpers import Direct

CATALOGUE = Catalogue(ITEMS)
EVERY = ["rmse", "accuracy", "auc", "log_loss", "recall_at_20"]


def shared_of(task: TrainingTask) -> dict[str, Any]:
    algorithm = algorithm_for(task)
    initial = algorithm.initial(task, Shape(ITEMS), np.random.default_rng(3))
    return {name: initial[name] for name in (*algorithm.rows, *algorithm.whole) if name in initial}


def examples_of(ratings: Ratings, user: int) -> Examples:
    part = slice(ratings.offsets[user], ratings.offsets[user + 1])
    return Examples(ratings.items[part], ratings.values[part])


@pytest.mark.exact
@pytest.mark.parametrize("metrics", [["rmse"], EVERY])
def test_all_evaluations_cost_the_tasks_epsilon(metrics: list[str]) -> None:
    task = task_of(metrics=metrics, rounds=8, target_epsilon=2)
    work = EvaluationWork(task, CATALOGUE, Noise())
    multiplier = work.noise(1)[METRICS] / np.sqrt(1 + len(metrics))
    accountant = PLDAccountant()
    accountant.compose(SelfComposedDpEvent(GaussianDpEvent(multiplier), 8))
    assert accountant.get_epsilon(task.delta) == pytest.approx(2, abs=0.01)
    assert work.epsilon_after(8) == pytest.approx(2, abs=1e-6)
    assert work.epsilon_after(4) < work.epsilon_after(8)


@pytest.mark.exact
def test_whatever_the_parameters_a_persons_metrics_are_within_the_sensitivity() -> None:
    task = task_of(metrics=EVERY)
    work, ratings = EvaluationWork(task, CATALOGUE, Noise()), invented(30, ITEMS, 2)[0]
    for value in (None, np.nan, np.inf, 1e38, 0):
        shared = shared_of(task)
        if value is not None:
            shared["items"][:, 1:] = value
        for user in range(30):
            items, vector = work.contribution(shared, examples_of(ratings, user))
            assert len(items) == 0
            assert np.linalg.norm(vector) <= work.sensitivity
            work.checked(items, vector)
    for few in (0, 1):
        nothing = work.contribution(shared_of(task), Examples(np.arange(few, dtype=np.int32), np.ones(few, np.float32)))
        assert not nothing[1].any()


class Site:
    """Both roles without processes, for devices whose own secrets decide what they do."""

    def __init__(self, folder: Path, task: TrainingTask, work: Any = noiseless.work_for) -> None:
        self.task, self.work = task, work
        keys = [Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()]
        aggregator = Aggregator(keys[0], OpenedRounds(folder / "opened-rounds"), work)
        distributor = Distributor(keys[1], work)
        self.doors = (
            Direct({"/open": aggregator.open, "/add": aggregator.add, "/release": aggregator.release}),
            Direct({"/open": distributor.open, "/rows": distributor.rows}),
        )
        own = [key.public_key().public_bytes_raw().hex() for key in keys]
        self.configuration = Configuration(own[0], own[1], code_hash(), task.to_mapping(), CATALOGUE.to_mapping())
        self.remembered: dict[int, InMemory] = {}

    def round(self, purpose: str, number: int, ratings: Ratings) -> list[Release]:
        rounds = Rounds(*self.doors, self.task.to_mapping(), CATALOGUE, purpose)
        statements = rounds.open(number, shared_of(self.task))
        messages = []
        for user in range(len(ratings.user_names)):
            remembered = self.remembered.setdefault(user, InMemory())
            device = Device(self.configuration, remembered, examples_of(ratings, user), self.work)
            messages.append(device.take_part(statements.aggregator, statements.distributor, rounds.ask_rows))
        assert len({len(message) for message in messages}) == 1
        rounds.relay(messages)
        released = rounds.release(number)
        assert not released.refused
        return released.releases

    def took_part(self, number: int) -> dict[int, list[bool]]:
        """Return for each device whether it took part in a round, for each purpose."""
        states = {user: remembered.content["rounds"].values() for user, remembered in self.remembered.items()}
        return {user: [state["taken"] == number for state in rounds] for user, rounds in states.items()}


@pytest.mark.statistical
def test_a_device_evaluates_or_trains_and_nobody_is_told_which(tmp_path: Path) -> None:
    # 300 devices, each held out with a chance of 0.1: outside of 8 to 62 by less than alpha = 1e-6.
    site = Site(tmp_path, task_of(report_goal=15, over_selection=10, metrics=["rmse"]))
    ratings = invented(300, ITEMS, 4)[0]
    site.round("train", 1, ratings)
    (metrics,) = site.round("evaluate", 1, ratings)
    first = site.took_part(1)
    assert all(sorted(does) == [False, True] for does in first.values())
    assert 8 <= sum(does[1] for does in first.values()) <= 62
    assert metrics.array[0] == sum(does[1] for does in first.values())
    site.round("train", 2, ratings)
    site.round("evaluate", 2, ratings)
    assert site.took_part(2) == first


@pytest.mark.exact
def test_released_metrics_are_those_of_the_held_out_people(tmp_path: Path) -> None:
    task = task_of(report_goal=30, metrics=EVERY, mode="evaluate_only")
    ratings = invented(60, ITEMS, 4)[0]
    (release,) = Site(tmp_path, task).round("evaluate", 1, ratings)
    work = EvaluationWork(task, CATALOGUE, Noise(off=True))
    alone = np.array([work.contribution(shared_of(task), examples_of(ratings, user))[1] for user in range(60)])
    np.testing.assert_allclose(release.array, alone.sum(axis=0), rtol=1e-5)
    metrics = read_metrics(task, release)
    assert list(metrics) == EVERY
    assert 0.5 < metrics["rmse"][0] < 2
    assert 0 <= metrics["recall_at_20"][0] <= 1
    assert metrics["log_loss"][0] > 0.1
    assert {error for _, error in metrics.values()} == {0.0}


@pytest.mark.statistical
def test_the_error_of_a_released_metric_is_that_of_its_noise() -> None:
    # 4,000 draws: the variance is within 5 √(2/4000) of its expectation, at alpha = 1e-6.
    task = task_of(metrics=["rmse", "accuracy"], target_epsilon=4)
    work = EvaluationWork(task, CATALOGUE, Noise(1))
    sums = {METRICS: np.array([3000.0, 240.0, 2100.0])}
    draws = [read_metrics(task, work.releases(sums, 1)[0]) for _ in range(4000)]
    for name in task.metrics:
        values, errors = np.array([draw[name] for draw in draws]).T
        assert abs(values.var() / np.mean(errors) ** 2 - 1) < 5 * np.sqrt(2 / 4000) + 0.01


@pytest.mark.exact
def test_the_goal_is_held_against_the_share_that_counts() -> None:
    for changes, purpose, share in (
        ({}, "train", 0.9),
        ({}, "evaluate", 0.1),
        ({"mode": "train_only"}, "train", 1),
        ({"mode": "evaluate_only"}, "train", 0),
        ({"algorithm": "dp_sgd", "sampling_rate": 0.5}, "train", 0.45),
        ({"algorithm": "dp_ftrl_banded", "minimum_separation": 3}, "train", 0.3),
    ):
        assert work_for(task_of(**changes).to_mapping(), CATALOGUE, purpose).counting_share == pytest.approx(share)


@pytest.mark.exact
def test_a_task_does_only_what_its_mode_says(tmp_path: Path) -> None:
    mapping = task_of(mode="train_only").to_mapping()
    with pytest.raises(RoleError, match="only trains"):
        work_for(mapping, CATALOGUE, "evaluate")
    with pytest.raises(RoleError, match="to train or to evaluate"):
        work_for(mapping, CATALOGUE, "look")
    with pytest.raises(RoleError, match="Below the report goal"):
        Site(tmp_path, task_of(mode="evaluate_only", report_goal=10)).round("train", 1, invented(20, ITEMS, 4)[0])
    with pytest.raises(InvalidTask):
        task_of(metrics=["secrets"])


@pytest.mark.exact
@pytest.mark.parametrize("algorithm", ["dpam", "dp_sgd"])
def test_a_device_draws_items_that_were_not_chosen_as_the_simulation_does(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(algorithm=algorithm, implicit_weight=0.2)
    ratings = invented(20, ITEMS, 2)[0]
    drawn = np.random.default_rng(4).integers(0, ITEMS, len(ratings))
    together = predictor_for(task).examples(task, ratings, lambda _count, _items: drawn)
    assert (together.values == 0).any() == (algorithm == "dp_sgd")
    numbers = iter(drawn.tolist())
    monkeypatch.setattr(training_work, "device_below", lambda _items: next(numbers))
    work = work_for(task.to_mapping(), CATALOGUE, "train")
    for user in range(20):
        alone, expected = work.examples(examples_of(ratings, user)), examples_of(together, user)
        np.testing.assert_array_equal(alone.items, expected.items)
        np.testing.assert_array_equal(alone.values, expected.values)
