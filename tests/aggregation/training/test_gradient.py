"""DP-SGD, DP-FedAvg and DP-FTRL: plain steps with noise off, and devices that add up to the vectorised step."""

from typing import Any

import numpy as np
import pytest

from aggregation.training import Features, Noise, Ratings, Shape, TrainingTask, algorithm_for, train
from aggregation.training.algorithms.binary_tree import Tree, honaker_variance
from aggregation.training.parameters import SAMPLED

from .conftest import ITEMS, task_of
from .helpers import by_devices, in_double

Array = np.ndarray[Any, np.dtype[Any]]
KINDS: list[dict[str, Any]] = [
    {"algorithm": "dp_sgd"},
    {"algorithm": "dp_fedavg", "local_steps": 3, "batch": 4, "learning_rate": 0.2},
    {"algorithm": "dp_ftrl_tree", "minimum_separation": 2},
    {"algorithm": "dp_ftrl_banded", "minimum_separation": 2},
]
MODELS = ["factored", "linear", "logistic"]


def task_for(kind: dict[str, Any], model: str) -> TrainingTask:
    return task_of(
        **kind, model={"kind": model, "dimension": 3}, clip_norm=0.8, server_learning_rate=0.7, regularization=0.01
    )


def plain_move(task: TrainingTask, parameters: Array, x: Array, items: Array, values: Array) -> Array:
    """Move the parameters of one device, step by step from the definition."""
    averaged = task.algorithm == "dp_fedavg"
    now, user, targets = parameters.copy(), np.zeros(0), values - 3
    if task.model.kind == "factored":
        design = np.column_stack([np.ones(len(items)), parameters[items, 1:]])
        ridge = np.diag([2.56, *[1.6 * 0.64 * 3 / 0.46] * 3])
        moments = design.T @ (targets - np.sqrt(0.54) * parameters[items, 0])
        local = np.linalg.solve(design.T @ design + ridge, moments)
        user = np.append(np.sqrt(0.54), np.sqrt(0.46) * local[1:] / np.linalg.norm(local[1:]))
        targets = targets - local[0]
    if task.model.kind == "logistic":
        targets = (values - 1) / 4
    for step in range(task.local_steps if averaged else 1):
        used = [(place - 4 * step) % len(items) < 4 if averaged else True for place in range(len(items))]
        gradient = np.zeros_like(now)
        for item, target, use in zip(items, targets, used, strict=True):
            if not use:
                continue
            if task.model.kind == "factored":
                gradient[item] += (now[item] @ user - target) * user
            else:
                product = now @ x[item]
                found = 1 / (1 + np.exp(-product)) if task.model.kind == "logistic" else product
                gradient += (found - target) * x[item] / sum(used)
        now -= (0.2 if averaged else 1.0) * gradient
    move = now - parameters
    return np.asarray(move * min(1, 0.8 / np.linalg.norm(move)))


@pytest.mark.exact
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind["algorithm"]))
def test_noise_off_is_the_plain_algorithm(
    ratings: Ratings, features: Features, kind: dict[str, Any], model: str
) -> None:
    task = task_for(kind, model)
    algorithm, noise = algorithm_for(task), Noise(off=True)
    shared = in_double(algorithm.initial(task, Shape(ITEMS, features), np.random.default_rng(2)))
    name = "items" if model == "factored" else "coefficients"
    x = np.column_stack([np.ones(ITEMS), features.values.astype(float)])
    expected, people = shared[name].copy(), 50 if kind["algorithm"] in SAMPLED else 500
    for number in range(1, 4):
        chosen = algorithm.participants(task, number, len(ratings.user_names), np.random.default_rng(number))
        moves = [
            plain_move(task, expected, x, ratings.items[mine], ratings.values[mine].astype(float))
            for user in np.flatnonzero(chosen)
            for mine in [ratings.users == user]
        ]
        expected = expected + 0.7 * (sum(moves) / people - 0.01 * expected)
        sums = algorithm.batch(task, shared, ratings.of_users(chosen))
        shared = algorithm.update(task, shared, algorithm.releases(task, sums, noise, number))
    assert np.abs(shared[name] - expected).max() < 1e-9


@pytest.mark.exact
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind["algorithm"]))
def test_devices_add_up_to_the_vectorised_step(
    ratings: Ratings, features: Features, kind: dict[str, Any], model: str
) -> None:
    task, shape = task_for(kind, model), Shape(ITEMS, features)
    algorithm = algorithm_for(task)
    shared = in_double(algorithm.initial(task, shape, np.random.default_rng(2)))
    found = by_devices(task, shared, ratings, shape)["gradient"]
    np.testing.assert_allclose(found, algorithm.batch(task, shared, ratings)["gradient"], atol=1e-9)


@pytest.mark.exact
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind["algorithm"]))
def test_whole_runs_come_to_an_end(ratings: Ratings, features: Features, kind: dict[str, Any], model: str) -> None:
    task = task_for(kind, model)
    result = train(task, ratings, features, seed=1)
    assert [each.round for each in result.rounds] == [1, 2, 3]
    assert result.epsilon is not None
    assert result.epsilon <= 4
    spent = [each.epsilon for each in result.rounds]
    assert spent == sorted(spent, key=lambda epsilon: epsilon or 0)
    assert 0 < (result.to_mapping()["rmse"] or 0) < 4


@pytest.mark.statistical
def test_prefixes_have_the_variance_of_honakers_estimate() -> None:
    # A chi-squared test of 20,000 draws each, two-sided at alpha = 1e-6: 4.9 standard deviations, of √(2/20000) each.
    draws, noise, tree = 20_000, Noise(3), Tree([])
    for rounds in range(1, 17):
        tree.grow((draws,), 2.0, noise)
        heights = [height for height in range(5) if rounds >> height & 1]
        expected = 4 * sum(honaker_variance(height) for height in heights)
        assert abs(np.mean(np.square(tree.prefix())) / expected - 1) < 4.9 * 0.01
    assert honaker_variance(1) == pytest.approx(2 / 3)
    assert 0.5 < honaker_variance(30) < 0.5 + 1e-6


@pytest.mark.exact
def test_tree_whose_noise_is_lost_is_followed_by_a_new_one() -> None:
    task = task_of(algorithm="dp_ftrl_tree", minimum_separation=2, rounds=4)
    algorithm = algorithm_for(task)
    sums = algorithm.sums(task, Shape(ITEMS))
    noise = Noise(1)
    for number in (1, 2):
        algorithm.releases(task, sums, noise, number)
    leaf = algorithm.releases(task, sums, Noise(7), 3)[0].array
    # The second round of the second tree: with the first one's noise it would complete a node.
    after_loss = algorithm.releases(task, sums, Noise(7), 4)[0].array
    np.testing.assert_array_equal(after_loss, leaf)
