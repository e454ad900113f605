"""Tails and bounds beside sums over everything that can happen."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from aggregation.screening import Count
from aggregation.screening.tails import SMALLEST, few_occupied, many_occupied, probabilities, upper_tail_of_sum

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (20, 0.02), (1023, 0.12), (10**6, 0.5), (10**9, 1e-7)])
def test_probabilities(n: int, p: float) -> None:
    start = max(0, int(n * p) - 50)
    stop = min(n, int(n * p) + 50) + 1
    expected = stats.binom.pmf(np.arange(start, stop), n, p)
    assert probabilities(start, stop, n, p) == pytest.approx(expected, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize(
    ("first", "second"), [((5, 0.3), (4, 0.9)), ((60, 0.02), (3, 0.98)), ((1, 0.5), (1, 0.1)), ((200, 0.9), (40, 0.3))]
)
def test_tail_of_a_sum(first: tuple[int, float], second: tuple[int, float]) -> None:
    of_first = stats.binom.pmf(np.arange(first[0] + 1), *first)
    of_second = stats.binom.pmf(np.arange(second[0] + 1), *second)
    of_sum = np.convolve(of_first, of_second)
    for s in range(sum((first[0], second[0])) + 2):
        expected = max(SMALLEST, min(1.0, float(of_sum[s:].sum())))
        assert upper_tail_of_sum(s, first, second) == pytest.approx(expected, rel=1e-9, abs=0), s


def test_tail_of_a_sum_of_many() -> None:
    """Beside the normal distribution, which has the same first digits so near the mean."""
    first, second = (1023 * 10**6, 0.12), (10**6, 0.88)
    mean = first[0] * 0.12 + second[0] * 0.88
    deviation = math.sqrt((first[0] + second[0]) * 0.12 * 0.88)
    for z in (-2, 0, 2, 3):
        tail = upper_tail_of_sum(math.ceil(mean + z * deviation), first, second)
        assert tail == pytest.approx(stats.norm.sf(z), rel=1e-3)


@cache
def occupied(n: int, cells: int) -> dict[int, float]:
    """The distribution of the number of occupied cells, by throwing balls in all ways."""
    counts: dict[int, int] = {}
    for throw in itertools.product(range(cells), repeat=n):
        counts[len(set(throw))] = counts.get(len(set(throw)), 0) + 1
    return {number: count / cells**n for number, count in counts.items()}


@pytest.mark.parametrize(("n", "cells"), [(1, 2), (2, 3), (5, 4), (7, 3), (4, 8), (6, 5)])
def test_occupancy_is_bounded(n: int, cells: int) -> None:
    chances = occupied(n, cells)
    for seen in range(1, min(n, cells) + 1):
        few = sum(chance for number, chance in chances.items() if number <= seen)
        many = sum(chance for number, chance in chances.items() if number >= seen)
        assert few * (1 - 1e-9) <= few_occupied(seen, n, cells) <= 1
        assert many * (1 - 1e-9) <= many_occupied(seen, n, cells) <= 1


@pytest.mark.parametrize(("n", "cells"), [(1000, 1000), (10**5, 33_554_432)])
def test_occupancy_is_bounded_closely(n: int, cells: int) -> None:
    """6.5 standard deviations out, where the chance is near 1e-10, the bound is below 1e-7."""
    empty = cells * math.exp(n * math.log1p(-1 / cells))
    both = cells * (cells - 1) * math.exp(n * math.log1p(-2 / cells))
    mean, deviation = cells - empty, math.sqrt(both + empty - empty * empty)
    assert 1e-12 < few_occupied(math.floor(mean - 6.5 * deviation), n, cells) < 1e-7
    assert 1e-12 < many_occupied(math.ceil(mean + 6.5 * deviation), n, cells) < 1e-7
    assert few_occupied(math.floor(mean), n, cells) > 0.1


def test_few_repeats_are_bounded_closely() -> None:
    """Where balls seldom meet, the number of those that do is a Poisson number, of mean n(n-1)/2K."""
    for seen in (3, 5, 8):
        exact = stats.poisson.sf(seen - 1, 1000 * 999 / 2e6)
        assert exact < few_occupied(1000 - seen, 1000, 10**6) < 10 * exact


def test_all_different_is_the_birthday_problem() -> None:
    assert many_occupied(60, 60, 365) == pytest.approx(math.prod(1 - i / 365 for i in range(60)), rel=1e-6, abs=0)


def test_counts_are_bounded_by_the_ways_they_were_chosen() -> None:
    assert Count(9, 10, 0.5, 4).chance() == pytest.approx(4 * 11 / 1024)
    assert Count(5, 10, 0.5, 1).chance() == 1
    assert Count(3, 3, 0.0, 1).chance() == SMALLEST
    assert Count(10, 10, 1.0, 1).chance() == 1
    for count in (Count(9, 10, 0.5, 4), Count(80, 100, 0.2, 3), Count(10, 10, 0.1, 1)):
        assert count.chance() <= math.exp(count.log_bound()) * (1 + 1e-12)
