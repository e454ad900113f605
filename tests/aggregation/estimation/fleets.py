"""Pairs of simulated fleets over one hash family, drawn anew in every repetition."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Side
from aggregation.mechanisms import Mechanism
from tests.aggregation.helpers import read_out_of

Maker = Callable[..., Mechanism]


class Pair(NamedTuple):
    """Two sides that count ``own₁ + common`` and ``own₂ + common``."""

    mechanism: Mechanism
    first: Side
    second: Side
    shared: Side | None


def pairs(
    make: Maker, shape: tuple[str, int, int], counts: list[NDArray[Any]], repetitions: int, seed: int = 0
) -> Iterator[Pair]:
    """Simulate reports drawn with such shares: of the first side alone, of the second alone, perhaps of both together.

    The given counts are expected ones. As many reports as they sum to are drawn anew in every repetition.
    """
    rng = np.random.default_rng(seed)
    elements = [f"e{i}" for i in range(len(counts[0]))]
    for _ in range(repetitions):
        mechanism = make(*shape, seed=int(rng.integers(2**62)))
        sides = []
        for count in counts:
            drawn = rng.multinomial(count.sum(), count / max(count.sum(), 1))
            index = np.repeat(np.arange(len(count)), drawn)
            sides.append(Side(read_out_of(mechanism, elements, index, rng), len(index)))
        first, second, *common = sides
        shared = common[0] if common else None
        if shared is not None:
            first, second = (Side(s.read_out + shared.read_out, s.n + shared.n) for s in (first, second))
        yield Pair(mechanism, first, second, shared)


def true_difference(counts: list[NDArray[Any]]) -> NDArray[np.float64]:
    first, second = counts[0], counts[1]
    if len(counts) == 3:
        first, second = first + counts[2], second + counts[2]
    difference: NDArray[np.float64] = first / first.sum() - second / second.sum()
    return difference
