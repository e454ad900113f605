"""A whole run through both processes is the vectorised run, but for noise and single precision."""

from collections.abc import Iterator

import numpy as np
import pytest

from aggregation.training import Ratings, Shape, algorithm_for
from aggregation.training.roles import TrustedProcesses, started
from aggregation.training.roles.sealed_rounds import SealedRounds
from tests.aggregation.training.conftest import task_of

pytestmark = pytest.mark.exact


@pytest.fixture(scope="module")
def noiseless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustedProcesses]:
    """Both processes, of which the aggregator draws no noise: a program that the shipped one has no option for."""
    programs = {role: ["tests.aggregation.training.roles.noiseless", role] for role in ("aggregator", "distributor")}
    with started(tmp_path_factory.mktemp("roles"), programs) as processes:
        yield processes


def test_sums_of_one_sealed_round_are_those_of_the_vectorised_step(
    noiseless: TrustedProcesses, ratings: Ratings
) -> None:
    task = task_of(title="Sums")
    algorithm, shape = algorithm_for(task), Shape(len(ratings.item_names))
    shared = algorithm.initial(task, shape, np.random.default_rng(2))
    expected = algorithm.batch(task, shared, ratings)
    for release in SealedRounds(noiseless)(algorithm, task, shared, ratings, 1):
        np.testing.assert_allclose(release.array, expected[release.name], rtol=1e-5, atol=1e-5, err_msg=release.name)
