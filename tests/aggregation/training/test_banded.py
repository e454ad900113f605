"""Noise by a banded factorisation of prefix sums: its rounds, what one person adds, and how large its errors are."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from aggregation.training import Noise, Shape, algorithm_for
from aggregation.training.algorithms.banded import bands_of, mean_error, square_root_bands, squared_sensitivity
from aggregation.training.algorithms.binary_tree import Tree, height

from .conftest import ITEMS, task_of

pytestmark = pytest.mark.exact

Array = np.ndarray[Any, np.dtype[Any]]


def factor(bands: Array, rounds: int) -> Array:
    """Write C out."""
    matrix = np.zeros((rounds, rounds))
    for distance, band in enumerate(bands[:rounds]):
        matrix += band * np.eye(rounds, k=-distance)
    return matrix


def test_all_bands_are_the_square_root_of_prefix_sums() -> None:
    root = factor(square_root_bands(12), 12)
    np.testing.assert_allclose(root @ root, np.tri(12), atol=1e-12)


def test_released_noise_is_that_of_the_factorisation() -> None:
    task = task_of(algorithm="dp_ftrl_banded", rounds=12, minimum_separation=4)
    algorithm, noise = algorithm_for(task), Noise(5)
    sums = algorithm.sums(task, Shape(ITEMS))
    released = [algorithm.releases(task, sums, noise, number)[0] for number in range(1, 13)]
    fresh = Noise(5)
    deviation = released[0].noise_standard_deviation
    own = np.stack([fresh.normal(sums["gradient"].shape, deviation) for _ in released])
    bands = bands_of(task)
    assert len(bands) == 4
    found = np.tensordot(factor(bands, 12), np.stack([release.array for release in released]), axes=1)
    np.testing.assert_allclose(found, own, atol=1e-9)


@pytest.mark.parametrize(("rounds", "apart", "count"), [(9, 3, 3), (8, 3, 2), (10, 4, 4), (3, 3, 3), (5, 1, 1)])
@pytest.mark.parametrize("lost_before", [None, 3])
def test_no_pattern_of_taking_part_adds_more_than_is_charged(
    rounds: int, apart: int, count: int, lost_before: int | None
) -> None:
    """Also where the noise of the first rounds was lost, after which C begins anew."""
    bands = square_root_bands(count)
    matrix = factor(bands, rounds)
    if lost_before is not None:
        matrix[lost_before:, :lost_before] = 0
    most = 0.0
    for size in range(1, rounds + 1):
        for chosen in itertools.combinations(range(rounds), size):
            if all(later - earlier >= apart for earlier, later in itertools.pairwise(chosen)):
                # Moves in one direction in all rounds: the largest sum of columns.
                most = max(most, float(np.sum(matrix[:, list(chosen)].sum(axis=1) ** 2)))
    charged = squared_sensitivity(bands, apart, rounds)
    assert most <= charged + 1e-12
    if lost_before is None:
        assert most == pytest.approx(charged)


@pytest.mark.parametrize(("rounds", "apart"), [(16, 16), (32, 16), (64, 16), (100, 40)])
def test_prefix_sums_have_less_error_than_by_trees(rounds: int, apart: int) -> None:
    bands = bands_of(task_of(algorithm="dp_ftrl_banded", rounds=rounds, minimum_separation=apart))
    error = mean_error(bands, apart, rounds)
    prefixes = np.tri(rounds) @ np.linalg.inv(factor(bands, rounds))
    written_out = np.linalg.norm(prefixes) / math.sqrt(rounds) * math.sqrt(squared_sensitivity(bands, apart, rounds))
    assert error == pytest.approx(written_out)
    whole, rest = divmod(rounds, apart)
    nodes = whole * height(apart) + (height(rest) if rest else 0)
    # By one draw in 4,000 coordinates for each round; 0.8 leaves hundreds of standard errors.
    noise, trees, variances = Noise(3), 0.0, list[float]()
    for start in range(0, rounds, apart):
        tree = Tree([])
        for _ in range(min(apart, rounds - start)):
            tree.grow((4000,), 1.0, noise)
            variances.append(trees + float(np.mean(np.square(tree.prefix()))))
        trees = variances[-1]
    assert error < 0.8 * math.sqrt(np.mean(variances) * nodes)


def test_noise_that_was_lost_is_not_taken_back() -> None:
    task = task_of(algorithm="dp_ftrl_banded", rounds=8, minimum_separation=4)
    algorithm = algorithm_for(task)
    sums = algorithm.sums(task, Shape(ITEMS))
    noise = Noise(1)
    for number in (1, 2):
        algorithm.releases(task, sums, noise, number)
    alone = algorithm.releases(task, sums, Noise(7), 1)[0].array
    np.testing.assert_array_equal(algorithm.releases(task, sums, Noise(7), 3)[0].array, alone)
    # A round that was lost with its aggregator, whose process goes on with another.
    noise_after = Noise(7)
    algorithm.releases(task, sums, noise_after, 3)
    after_gap = algorithm.releases(task, sums, noise_after, 5)[0].array
    fresh = Noise(7)
    fresh.normal(alone.shape, 1.0)
    np.testing.assert_allclose(
        after_gap, fresh.normal(alone.shape, algorithm.plan(task).release("gradient", 5).noise_standard_deviation)
    )
