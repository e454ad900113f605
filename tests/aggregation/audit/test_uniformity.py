"""Draws that are uniform, and some that are not quite."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.audit import Uniformity

pytestmark = pytest.mark.statistical

RUNS = 200_000
Draw = Callable[[np.random.Generator, NDArray[np.intp]], NDArray[np.intp]]


def spread_of(draw: Draw, size: int) -> Uniformity:
    rng, words = np.random.default_rng(3), np.arange(RUNS) // 2 % 2
    spread = Uniformity(size)
    for part in (slice(0, RUNS // 2), slice(RUNS // 2, RUNS)):
        spread.add(words[part], draw(rng, words[part]))
    return spread


@pytest.mark.parametrize("size", [1, 3, 16, 17, 1000, 65536, 2**21])
def test_uniform_numbers_pass(size: int) -> None:
    assert spread_of(lambda rng, words: rng.integers(0, size, len(words)), size).is_uniform()


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda rng, words: rng.integers(0, 2**16, len(words)) % 65_000, id="too few"),
        pytest.param(lambda rng, words: rng.integers(0, 2**16, len(words)) * 15 // 16, id="not the last"),
        pytest.param(lambda rng, words: rng.integers(0, 2**15, len(words)) * 2, id="even"),
        pytest.param(lambda rng, words: rng.integers(0, 2**15, len(words)) + words * 2**15, id="by word"),
        pytest.param(lambda rng, words: rng.integers(0, 2**16, len(words)) // (1 + words), id="of one word"),
        pytest.param(
            lambda rng, words: np.where(rng.random(len(words)) < 1e-3, 7, rng.integers(0, 2**16, len(words))), id="one"
        ),
    ],
)
def test_other_numbers_do_not(draw: Draw) -> None:
    assert not spread_of(draw, 2**16).is_uniform()


@pytest.mark.parametrize("size", [2**20 + 3, 2**21])
def test_of_too_many_numbers_classes_are_counted(size: int) -> None:
    assert not spread_of(lambda rng, words: rng.integers(0, size // 2, len(words)), size).is_uniform()
    assert not spread_of(lambda rng, words: rng.integers(0, size // 2, len(words)) * 2, size).is_uniform()


@pytest.mark.parametrize("sizes", [(5, 2048, 2048), (1024, 32768), (3, 7)])
def test_several_numbers_are_independent(sizes: tuple[int, ...]) -> None:
    rng, words = np.random.default_rng(4), np.arange(RUNS) % 2
    independent, bound = Uniformity(*sizes), Uniformity(*sizes)
    numbers = [rng.integers(0, size, RUNS) for size in sizes]
    independent.add(words, *numbers)
    bound.add(words, *numbers[:-1], numbers[0] * sizes[-1] // sizes[0])
    assert independent.is_uniform()
    assert not bound.is_uniform()
