"""Screening of subsets: what honest devices send passes, and what they would not send is found.

Seeds are fixed. A batch that is honest fails with a chance of 1e-6.
"""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import binom

from aggregation.encoding import sort_records
from aggregation.mechanisms import SubsetSelection
from aggregation.mechanisms.subset_selection.screening import kinds_of_record, outcomes
from aggregation.screening import (
    can_be_recognised,
    effect_of_fakes,
    is_distinctive,
    judge_overlap,
    judge_part,
    likeliest_record,
    missing_noise,
    screen,
)
from aggregation.screening.replays import log_chance_of_equal_uploads
from tests.aggregation.screening.attacks import Records, honest

SHAPES = [(1.0, 64, None), (4.0, 2600, None), (8.0, 2600, 1), (8.0, 2, 1), (2.0, 7, 6)]


def selection(epsilon: float, size: int, w: int | None = None) -> SubsetSelection:
    return SubsetSelection.of(epsilon, [f"e{place:04}" for place in range(size)], w)


def found(mechanism: SubsetSelection, records: Records) -> set[str]:
    return {each.test for each in screen(mechanism, {"element": sort_records(records)})}


def crafted(mechanism: SubsetSelection, subsets: ArrayLike) -> Records:
    return mechanism.pack(np.sort(np.array(subsets), axis=1))


@pytest.mark.statistical
@pytest.mark.parametrize(("epsilon", "size", "w"), SHAPES)
@pytest.mark.parametrize("n", [1, 3, 1000, 30_000])
def test_honest_subsets_pass(epsilon: float, size: int, w: int | None, n: int) -> None:
    mechanism = selection(epsilon, size, w)
    for seed, chosen in enumerate((1, size)):
        rng = np.random.default_rng(seed)
        records = honest(mechanism, n, rng, (mechanism.elements or ())[:chosen])["element"]
        assert found(mechanism, records) == set()


@pytest.mark.exact
def test_p_values_bound_the_chances_whatever_the_elements() -> None:
    """Over all outcomes of two reports."""
    mechanism = selection(1, 4, 2)
    p = mechanism.own
    subsets = [*itertools.combinations(range(4), 2)]
    p_values = {
        pair: {
            each.test: each.p_value for each in outcomes(mechanism, {"element": sort_records(crafted(mechanism, pair))})
        }
        for pair in itertools.product(subsets, repeat=2)
    }
    for owns in itertools.product(range(4), repeat=2):
        chances = {
            pair: np.prod([p / 3 if own in each else (1 - p) / 3 for own, each in zip(owns, pair, strict=True)])
            for pair in p_values
        }
        for test in ("rare_indexes", "frequent_indexes", "regular_subsets", "repeated_record", "repeats"):
            for limit in {found[test] for found in p_values.values()}:
                chance = sum(chances[pair] for pair, found in p_values.items() if found[test] <= limit)
                assert chance <= limit + 1e-12, (owns, test)


@pytest.mark.statistical
def test_lies_that_are_too_rare_are_found_in_what_nobody_has() -> None:
    """A thousand reports about a hundred elements at ε = 8, of which 470 should have been lies; and a few too few."""
    mechanism, rng = selection(8, 2600, 1), np.random.default_rng(1)
    assert found(mechanism, crafted(mechanism, rng.integers(0, 100, (1000, 1)))) == {"frequent_indexes"}
    assert found(mechanism, crafted(mechanism, rng.integers(0, 100, (50_000, 1)))) >= {"rare_indexes"}
    half = selection(8, 2600, 1).privatize_fleet(["e0001"], np.zeros(20_000, np.intp), rng)["element"]
    less = crafted(mechanism, np.full((6000, 1), 1))
    assert found(mechanism, np.concatenate([half, less], dtype=half.dtype)) == {"frequent_indexes"}
    assert found(mechanism, half) == set()


@pytest.mark.statistical
def test_crafted_subsets_are_found() -> None:
    mechanism, rng = selection(1, 64, 17), np.random.default_rng(1)
    targets = [[*range(5), *rng.choice(np.arange(5, 64), 12, replace=False)] for _ in range(2000)]
    assert "frequent_indexes" in found(mechanism, crafted(mechanism, targets))
    runs = [(np.arange(17) + start) % 64 for start in rng.integers(0, 64, 2000)]
    assert "regular_subsets" in found(mechanism, crafted(mechanism, runs))
    dealt = [rng.integers(0, 3, 17) + 3 * np.arange(17) for _ in range(2000)]
    assert "regular_subsets" in found(mechanism, crafted(mechanism, dealt))
    records = honest(mechanism, 2000, rng, mechanism.elements or ())["element"]
    again = np.concatenate([records, records[:3]], dtype=records.dtype)
    assert found(mechanism, again) == {"repeated_record", "repeats"}


@pytest.mark.exact
def test_what_one_fake_can_do() -> None:
    """A fake adds as much to w elements as any report can, and the estimates of all elements still sum to one."""
    for epsilon, size, w in ((1, 64, 17), (4, 64, 1)):
        mechanism = selection(epsilon, size, w)
        effect = effect_of_fakes(mechanism)
        assert effect.at_once == w
        assert w * effect.raised - (size - w) * effect.lowered == pytest.approx(1)
    assert missing_noise(selection(4, 64, 1), 1e-6).share == pytest.approx(0.464, abs=1e-3)  # type: ignore[union-attr]


@pytest.mark.exact
def test_only_large_subsets_are_distinctive() -> None:
    large, small = selection(1, 64, 17), selection(4, 64, 1)
    assert (is_distinctive(large), is_distinctive(small)) == (True, False)
    assert likeliest_record(small) == pytest.approx(small.own)
    assert judge_overlap(large, 1000, 4, 64).p_value < 1e-20
    assert judge_part(large, 1000, 1).p_value < 1e-20
    assert judge_part(small, 1000, 1).p_value == 1


@pytest.mark.exact
@pytest.mark.parametrize("epsilon", [1, 4, 8])
@pytest.mark.parametrize("size", [2, 3])
def test_uploads_are_equal_by_chance_as_often_as_is_said(epsilon: float, size: int) -> None:
    """Against the sum over all counts of three records, or two."""
    mechanism, n = selection(epsilon, size, 1), 200
    p = mechanism.own
    equal = float(np.square(binom.pmf(np.arange(n + 1), n, p)).sum())
    if size == 3:
        # So many lies are divided among two others alike.
        divided = [np.square(binom.pmf(np.arange(lies + 1), lies, 0.5)).sum() for lies in range(n + 1)]
        equal = float(np.square(binom.pmf(np.arange(n + 1), n, 1 - p)) @ divided)
    assert math.exp(log_chance_of_equal_uploads(n, kinds_of_record(mechanism))) == pytest.approx(equal, rel=0.03)


@pytest.mark.exact
def test_uploads_of_a_few_different_records_are_not_recognised_by_them() -> None:
    assert [can_be_recognised(selection(4, size, 1), 1000) for size in (2, 8, 9, 64)] == [False, False, True, True]
    assert not can_be_recognised(selection(8, 38, 1), 1000)
    assert can_be_recognised(selection(8, 39, 1), 1000)
    assert can_be_recognised(selection(8, 38, 1), 10_000)
