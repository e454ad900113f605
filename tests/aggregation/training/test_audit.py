"""The canary audit: honest aggregators stay under their claim, broken ones do not."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from aggregation.training import (
    Algorithm,
    Contribution,
    Noise,
    Release,
    Shape,
    TrainingTask,
    audit_aggregator,
    honest_aggregator,
)
from aggregation.training.audit import Aggregator

from .conftest import task_of

# An honest aggregator is accused at most once in a million audits.
ALPHA = 1e-6
TRIALS = 400
TASKS = {
    "dpam": task_of(rounds=2, items_per_user=2),
    "dp_sgd": task_of(algorithm="dp_sgd", rounds=2, items_per_user=2, noise_multiplier=1.2),
    "dp_ftrl_tree": task_of(algorithm="dp_ftrl_tree", rounds=2, minimum_separation=1, items_per_user=2),
}

pytestmark = pytest.mark.statistical


def half_the_noise(
    algorithm: Algorithm, task: TrainingTask, shape: Shape, sent: Sequence[Contribution], noise: Noise, number: int
) -> list[Release]:
    """Let out what has half of the noise that it says."""
    honest = honest_aggregator(algorithm, task, shape, sent, noise, number)
    exact = honest_aggregator(algorithm, task, shape, sent, Noise(off=True), number)
    return [
        replace(release, array=(release.array + known.array) / 2) for release, known in zip(honest, exact, strict=True)
    ]


def no_clipping(
    algorithm: Algorithm, task: TrainingTask, shape: Shape, sent: Sequence[Contribution], noise: Noise, number: int
) -> list[Release]:
    """Believe devices that they have clipped."""
    sums = algorithm.sums(task, shape)
    for contribution in sent:
        algorithm.add(task, sums, contribution)
    return algorithm.releases(task, sums, noise, number)


def two_releases(
    algorithm: Algorithm, task: TrainingTask, shape: Shape, sent: Sequence[Contribution], noise: Noise, number: int
) -> list[Release]:
    """Let out a round more than once, each time with new noise."""
    return [release for _ in range(2) for release in honest_aggregator(algorithm, task, shape, sent, noise, number)]


@pytest.mark.parametrize("name", TASKS)
def test_honest_aggregator_stays_under_its_claim(name: str) -> None:
    audit = audit_aggregator(TASKS[name], Shape(2), honest_aggregator, trials=TRIALS, seed=1, alpha=ALPHA)
    assert 0.1 * audit.claimed < audit.at_least <= audit.claimed
    assert not audit.is_caught


@pytest.mark.parametrize("aggregator", [half_the_noise, no_clipping, two_releases])
@pytest.mark.parametrize("name", ["dpam", "dp_sgd"])
def test_broken_aggregator_is_caught(name: str, aggregator: Aggregator) -> None:
    audit = audit_aggregator(TASKS[name], Shape(2), aggregator, trials=TRIALS, seed=1, alpha=ALPHA)
    assert audit.is_caught
    assert bool(audit.unplanned) == (aggregator is two_releases)
