"""DPAM: the plain algorithm with noise off, and devices that add up to the vectorised step."""

import numpy as np
import pytest

from aggregation.training import Features, Noise, Ratings, Shape, Shared, TrainingTask, algorithm_for

from .conftest import ITEMS, task_of
from .helpers import by_devices, in_double

LAMBDA = 0.7


def plain(task: TrainingTask, ratings: Ratings, items: np.ndarray, rounds: int) -> np.ndarray:
    """Alternate ridge problems, each by itself and from its definition."""
    c, norm = np.sqrt(0.54), np.sqrt(0.46)
    d = items.shape[1] - 1
    variance, bias_variance, alpha = 0.04 * task.span**2, task.span**2 / 64, task.implicit_weight or 0.0
    bound = 1.0 if task.is_implicit else 0.225 * task.span
    for _ in range(rounds):
        left, right = np.zeros((ITEMS, 1 + d, 1 + d)), np.zeros((ITEMS, 1 + d))
        everybody, total, people = np.zeros((1 + d, 1 + d)), 0.0, 0
        for user in np.unique(ratings.users):
            mine = ratings.users == user
            rated, values = ratings.items[mine], ratings.values[mine].astype(float) - task.middle
            x = np.column_stack([np.ones(len(rated)), items[rated, 1:]])
            ridge = np.diag([variance / bias_variance] + [1.6 * variance * d / norm**2] * d)
            normal, moments = x.T @ x + ridge, x.T @ (values - c * items[rated, 0])
            if alpha:
                normal, moments = normal[1:, 1:], moments[1:]
                normal += alpha * items[:, 1:].T @ items[:, 1:]
                moments -= alpha * c * items[:, 1:].T @ items[:, 0]
            solved = np.linalg.solve(normal, moments)
            bias, u = (0.0, solved) if alpha else (solved[0], solved[1:])
            user_side = np.concatenate([[c], norm * u / np.linalg.norm(u)])
            w = 1 / np.sqrt(len(rated))
            weighted = w * (values - bias)
            weighted *= min(1, bound / np.linalg.norm(weighted))
            everybody += np.outer(user_side, user_side)
            for item, product in zip(rated, weighted, strict=True):
                left[item] += w * np.outer(user_side, user_side)
                right[item] += product * user_side
            total, people = total + w * len(rated), people + 1
        implicit = alpha * people / total * everybody
        items = np.stack(
            [np.linalg.solve(a + implicit + LAMBDA * np.eye(1 + d), b) for a, b in zip(left, right, strict=True)]
        )
    return items


@pytest.mark.exact
@pytest.mark.parametrize("alpha", [0.0, 0.2])
def test_noise_off_is_plain_alternating_minimisation(ratings: Ratings, alpha: float) -> None:
    task = task_of(regularization=LAMBDA, implicit_weight=alpha)
    if alpha:
        ratings = Ratings(
            ratings.users, ratings.items, np.ones_like(ratings.values), ratings.user_names, ratings.item_names
        )
    dpam = algorithm_for(task)
    shared = in_double(dpam.initial(task, Shape(ITEMS), np.random.default_rng(2)))
    expected = plain(task, ratings, shared["items"], task.rounds)
    for number in range(1, task.rounds + 1):
        sums = dpam.batch(task, shared, ratings)
        shared = dpam.update(task, shared, dpam.releases(task, sums, Noise(off=True), number))
    assert np.abs(shared["items"] - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.exact
def test_vanishing_noise_is_no_noise(ratings: Ratings, features: Features) -> None:
    task = task_of(public_features=True)
    dpam = algorithm_for(task)
    shared = in_double(dpam.initial(task, Shape(ITEMS, features), np.random.default_rng(2)))
    sums = dpam.batch(task, shared, ratings)
    found: list[Shared] = []
    for noise in (Noise(off=True), Noise(1)):
        releases = dpam.releases(task, sums, noise, 1)
        if not noise.off:
            releases = [
                type(release)(release.name, 1, release.sensitivity, 1e-5, sums[release.name]) for release in releases
            ]
        found.append(dpam.update(task, shared, releases))
    np.testing.assert_allclose(found[1]["items"], found[0]["items"], atol=1e-4)


@pytest.mark.exact
@pytest.mark.parametrize("alpha", [0.0, 0.2])
def test_devices_add_up_to_the_vectorised_step(ratings: Ratings, alpha: float) -> None:
    task = task_of(implicit_weight=alpha)
    dpam = algorithm_for(task)
    shared = in_double(dpam.initial(task, Shape(ITEMS), np.random.default_rng(2)))
    expected = dpam.batch(task, shared, ratings)
    found = by_devices(task, shared, ratings, Shape(ITEMS))
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, atol=1e-9)
