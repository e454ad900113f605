"""The single tests beside chances that are found by going through everything that can happen."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from aggregation.screening import Occupied, judge_evenness, judge_occupancy
from aggregation.screening.ones import judge_ones, weights
from aggregation.screening.replays import judge_replays
from aggregation.screening.summaries import VectorSummary

pytestmark = pytest.mark.exact

NO_ROWS = Occupied(np.zeros(0, np.int64), np.zeros(0, np.int64))


def of_weights(ones: list[int]) -> VectorSummary:
    return VectorSummary(sum(ones), np.array(ones), NO_ROWS, 0, 1)


def test_the_number_of_ones_by_going_through_all_vectors() -> None:
    m, flip = 8, 0.2
    chances = np.zeros(m + 1)
    for flips in itertools.product((0, 1), repeat=m):
        ones = sum(flips[1:]) + (1 - flips[0])
        chances[ones] += flip ** sum(flips) * (1 - flip) ** (m - sum(flips))
    found = weights(m, flip)
    assert found.equal == pytest.approx(chances)
    assert found.at_most == pytest.approx(np.cumsum(chances))
    assert found.at_least == pytest.approx(1 - np.cumsum(chances) + chances)


@pytest.mark.parametrize(("m", "flip"), [(1024, 0.269), (1024, 0.018), (2**20, 0.1192)])
def test_mean_and_spread_of_the_number_of_ones(m: int, flip: float) -> None:
    found = weights(m, flip)
    w = np.arange(m + 1)
    mean = (found.equal * w).sum()
    assert found.equal.sum() == pytest.approx(1, rel=1e-9)
    assert mean == pytest.approx((m - 1) * flip + 1 - flip)
    assert (found.equal * (w - mean) ** 2).sum() == pytest.approx(m * flip * (1 - flip), rel=1e-9)


def test_counts_of_vectors_are_binomial() -> None:
    """Four of 10 vectors of 8 bits have no one or a single one, all four the same number."""
    found = {one.test: one for one in judge_ones("element", of_weights([0, 4, 0, 2, 2, 2, 0, 0, 0]), 8, 0.4)}
    chance = weights(8, 0.4)
    few = found["few_ones"]
    assert few.p_value == pytest.approx(9 * stats.binom.sf(3, 10, chance.at_most[1]))
    assert few.facts == {"ones": 1, "seen": 4, "expected": pytest.approx(10 * chance.at_most[1]), "records": 10}
    same = found["same_ones"]
    assert same.p_value == pytest.approx(min(1, 9 * stats.binom.sf(3, 10, chance.equal[1])))
    assert found["many_ones"].p_value == 1
    assert found["total_ones"].facts["mean"] == 2.8


@pytest.mark.parametrize("ones", [[0, 0, 3, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 3, 0, 0]])
def test_the_total_is_two_binomials(ones: list[int]) -> None:
    total = sum(w * count for w, count in enumerate(ones))
    of_sum = np.convolve(stats.binom.pmf(np.arange(22), 21, 0.4), stats.binom.pmf(np.arange(4), 3, 0.6))
    tail = min(of_sum[: total + 1].sum(), of_sum[total:].sum())
    (found,) = (one for one in judge_ones("element", of_weights(ones), 8, 0.4) if one.test == "total_ones")
    assert found.p_value == pytest.approx(2 * tail, rel=1e-9, abs=0)


def occupied(counts: list[int]) -> Occupied:
    array = np.array(counts)
    return Occupied(np.flatnonzero(array), array[array > 0])


@pytest.mark.parametrize(
    ("counts", "facts", "levels", "groups"),
    [
        # One row of six, where there are levels of ranges of 1, 2, 4 and of residues mod 4, 2.
        ([0, 9, 0, 1, 0, 0], {"first": 1, "step": 1, "values": 1}, 5, 6),
        # The upper half.
        ([0] * 8 + [4, 5, 4, 5, 4, 5, 4, 5], {"first": 8, "step": 1, "values": 8}, 7, 2),
        # Even ones only.
        ([5, 0, 4, 0] * 4, {"first": 0, "step": 2, "values": 8}, 7, 2),
    ],
)
def test_the_group_that_stands_out(counts: list[int], facts: dict[str, int], levels: int, groups: int) -> None:
    found = judge_evenness("uneven_rows", "element", occupied(counts), len(counts))
    n, size = sum(counts), facts["values"]
    seen = sum(counts[facts["first"] : facts["first"] + size * facts["step"] : facts["step"]])
    assert {name: found.facts[name] for name in facts} == facts
    assert found.facts["seen"] == seen
    tail = stats.binom.sf(seen - 1, n, size / len(counts))
    assert found.p_value == pytest.approx(min(1, 2 * levels * groups * tail), rel=1e-9, abs=0)


def test_rows_that_are_left_out_are_seen() -> None:
    found = judge_evenness("uneven_rows", "element", occupied([100, 100, 100, 0, 100, 100, 100]), 7)
    assert (found.facts["first"], found.facts["seen"], found.facts["values"]) == (3, 0, 1)
    # One of four residues mod 4 is this row alone: of five levels, the one with the fewest groups that show it.
    assert found.p_value == pytest.approx(2 * 5 * 4 * (6 / 7) ** 600, rel=1e-9, abs=0)


def test_many_rows_are_counted_in_neighbourhoods() -> None:
    rows = np.sort(np.random.default_rng(0).integers(0, 2**22, 1000) // 8 * 8)  # which leaves no trace in the ranges
    index, count = np.unique(rows, return_counts=True)
    found = judge_evenness("uneven_rows", "element", Occupied(index, count), 2**22)
    assert found.p_value < 1e-50
    assert (found.facts["step"], found.facts["first"], found.facts["values"]) == (8, 0, 2**19)


def test_a_single_row_is_nothing_to_draw_from() -> None:
    assert judge_evenness("uneven_rows", "element", occupied([7]), 1).p_value == 1
    assert judge_occupancy("rows_in_use", "element", 1, 7, 1).p_value == 1


def chance_of_repeats(n: int, k: int, hot: tuple[int, ...], m: int, flip: float, wanted: str, least: int) -> float:
    """The chance that n reports with these hot bits have so many repeats, by going through all that they can be."""
    total = 0.0
    vectors = list(itertools.product((0, 1), repeat=m))
    likely = [
        {vector: math.prod(1 - flip if (bit == (i == b)) else flip for i, bit in enumerate(vector)) / k
         for vector in vectors}
        for b in range(m)
    ]  # fmt: skip
    for drawn in itertools.product([(row, vector) for row in range(k) for vector in vectors], repeat=n):
        counts = {record: drawn.count(record) for record in drawn}
        found = n - len(counts) if wanted == "repeats" else max(counts.values())
        if found >= least:
            total += math.prod(likely[b][vector] for b, (_row, vector) in zip(hot, drawn, strict=True))
    return total


@pytest.mark.parametrize("hot", [(0, 0, 0), (0, 0, 1), (0, 1, 0)])
@pytest.mark.parametrize("flip", [0.05, 0.3, 0.49])
def test_replays_are_bounded(hot: tuple[int, ...], flip: float) -> None:
    """Three reports of two rows and two bits, about any elements."""
    k, m = 2, 2
    for repeats, most in ((1, 2), (2, 3)):
        summary = VectorSummary(3, np.zeros(m + 1, np.int64), NO_ROWS, repeats, most)
        found = {one.test: one.p_value for one in judge_replays("element", summary, k, m, flip)}
        assert chance_of_repeats(3, k, hot, m, flip, "repeats", repeats) <= found["repeats"] + 1e-12
        assert chance_of_repeats(3, k, hot, m, flip, "most", most) <= found["repeated_record"] + 1e-12


def test_bounds_of_replays_in_numbers() -> None:
    """Two of ten reports are equal: 45 pairs, a row in 100, and bits that agree."""
    summary = VectorSummary(10, np.zeros(65, np.int64), NO_ROWS, 1, 2)
    found = {one.test: one for one in judge_replays("element", summary, 100, 64, 0.3)}
    assert found["repeated_record"].p_value == pytest.approx(45 / 100 * (0.3**2 + 0.7**2) ** 64, rel=1e-9, abs=0)
    # A sum of indicators beyond its mean + 1: one repeat is not enough to say anything.
    assert found["repeats"].p_value == 1
    summary = VectorSummary(10, np.zeros(65, np.int64), NO_ROWS, 3, 2)
    found = {one.test: one for one in judge_replays("element", summary, 100, 64, 0.3)}
    assert found["repeats"].p_value == pytest.approx(stats.binom.sf(2, 10, 0.7**64 / 100 * 45 / 10), rel=1e-9, abs=0)
