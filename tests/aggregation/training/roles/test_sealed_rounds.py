"""A whole run through both processes is the vectorised run, but for noise and single precision."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from aggregation.training import Features, Ratings, plan_training, train
from aggregation.training.roles import SealedRounds, TrustedProcesses, sealed_rounds, started
from tests.aggregation.training.conftest import ITEMS, invented, task_of

pytestmark = pytest.mark.exact


@pytest.fixture(scope="module")
def few() -> Ratings:
    """Return ratings of fewer people than elsewhere: each is a device that seals what it sends."""
    return invented(30, ITEMS, 1)[0]


@pytest.fixture(scope="module")
def noiseless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustedProcesses]:
    """Both processes, of which the aggregator draws no noise: a program that the shipped one has no option for."""
    programs = {role: ["tests.aggregation.training.roles.noiseless", role] for role in ("aggregator", "distributor")}
    with started(tmp_path_factory.mktemp("roles"), programs) as processes:
        yield processes


@pytest.fixture(scope="module")
def shipped(features: Features) -> Iterator[SealedRounds]:
    with sealed_rounds(features) as contribute:
        yield contribute


def test_a_sealed_run_is_the_vectorised_run_with_noise_off(noiseless: TrustedProcesses, ratings: Ratings) -> None:
    task = task_of(title="Equal", report_goal=10, rounds=2, metrics=["rmse", "auc", "recall_at_20"])
    sealed = train(task, ratings, seed=2, contribute=SealedRounds(noiseless))
    vectorised = train(task, ratings, seed=2, non_private=True)
    for name, array in vectorised.shared.items():
        np.testing.assert_allclose(sealed.shared[name], array, rtol=1e-3, atol=1e-4, err_msg=name)
    assert sealed.rounds[-1].rmse == pytest.approx(vectorised.rounds[-1].rmse, abs=1e-4)
    assert [each.participants for each in sealed.rounds] == [each.participants for each in vectorised.rounds]
    # People who never train release metrics through the aggregator, too.
    for one, other in zip(sealed.rounds, vectorised.rounds, strict=True):
        assert one.metrics is not None
        assert other.metrics is not None
        assert one.metrics.values == pytest.approx(other.metrics.values, abs=1e-3)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"algorithm": "dp_sgd", "sampling_rate": 0.9, "noise_multiplier": 20},
        {"algorithm": "dp_ftrl_tree", "minimum_separation": 2},
        {"algorithm": "dp_ftrl_banded", "minimum_separation": 2},
        {"algorithm": "dp_fedavg", "sampling_rate": 0.9, "noise_multiplier": 20, "model": {"kind": "linear"}},
    ],
    ids=lambda changes: changes.get("algorithm", "dpam"),
)
def test_every_algorithm_runs_sealed_with_the_noise_of_its_plan(
    shipped: SealedRounds, changes: dict[str, Any], few: Ratings, features: Features
) -> None:
    task = task_of(report_goal=10, rounds=2, **changes)
    result = train(task, few, features, seed=1, contribute=shipped)
    planned = [(each.name, each.round, each.noise_standard_deviation) for each in plan_training(task).releases]
    assert [(each.name, each.round, each.noise_standard_deviation) for each in result.released] == planned
    assert all(np.isfinite(array).all() for array in result.shared.values())
