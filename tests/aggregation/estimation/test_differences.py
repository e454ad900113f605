"""Claims on differences, over many fleets and hash families.

All seeds are fixed; each test states the chance of a false alarm that new seeds would have.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.errors import ParameterError
from aggregation.estimation import compare
from aggregation.estimation.difference import estimate_differences
from tests.aggregation.estimation.fleets import Maker, pairs, true_difference
from tests.aggregation.helpers import Z_MILLIONTH, count_mean, hadamard_count_mean, local_hashing, zipf_counts

pytestmark = pytest.mark.statistical

both = pytest.mark.parametrize("make", [count_mean, hadamard_count_mean])
D = 300


def counts(n: int, *frequent_first: int) -> NDArray[np.int64]:
    """A Zipf dictionary of 60 of the 300 elements, in which some others come first."""
    order = [*frequent_first, *(i for i in range(60) if i not in frequent_first)]
    result = np.zeros(D, np.int64)
    result[order] = zipf_counts(n, len(order))
    return result


# Two locales alike, two that differ, and windows of which most, or all of the second, is common.
SITUATIONS = {
    "alike": [counts(4000), counts(8000)],
    "different": [counts(6000), counts(3000, 7, 100, 8)],
    "overlapping": [counts(2000, 9), counts(1000, 100), counts(4000)],
    "nested": [counts(3000, 9), counts(0), counts(4000)],
}


MANY_ROWS, FEW_ROWS = ("4", 256, 64), ("8", 4, 64)


@both
@pytest.mark.parametrize(
    ("situation", "shape"),
    [
        ("alike", FEW_ROWS),
        ("different", MANY_ROWS),
        ("different", FEW_ROWS),
        ("overlapping", FEW_ROWS),
        ("nested", MANY_ROWS),
    ],
)
def test_differences_have_no_bias_and_the_stated_variance(situation: str, shape: Any, make: Maker) -> None:
    """Over noise, hash families and who reported, with the variance estimated as in production.

    Without what is common to both sides, or with reports that are shared counted as two, the variance is off by much
    more (below).
    """
    truth = true_difference(SITUATIONS[situation])
    errors, variances = [], []
    # With few rows it takes more fleets to know the variance.
    for mechanism, first, second, shared in pairs(make, shape, SITUATIONS[situation], 90 if shape == FEW_ROWS else 40):
        found = estimate_differences(mechanism.debiased, first, second, shared)
        errors.append(found.difference - truth)
        variances.append(found.variance)
    assert_true(errors, variances, SITUATIONS[situation])


def assert_true(
    errors: list[NDArray[np.float64]], variances: list[NDArray[np.float64]], parts: list[NDArray[np.int64]]
) -> None:
    """Check that errors have no bias and the stated variance; that of the 30 most frequent.

    Of shares that noise hides, it is stated a little too large. The chance of a false alarm is about 2e-6 each: 1e-6
    over all 300 means, 1e-6 for the variance.
    """
    z = np.mean(errors, axis=0) / np.sqrt(np.mean(variances, axis=0) / len(errors))
    assert np.abs(z).max() < 5.93, "two-sided normal quantile of 1e-6/300"
    frequent = np.argsort(-sum(parts, np.zeros(D)))[:30]
    ratios = np.square(errors)[:, frequent].mean(axis=1) / np.mean(variances, axis=0)[frequent].mean()
    spread = Z_MILLIONTH * ratios.std(ddof=1) / np.sqrt(len(ratios))
    assert spread < 0.3, "else this could not fail"
    assert abs(ratios.mean() - 1) < spread


def test_over_two_mechanisms_the_variances_of_both_sides_add() -> None:
    """With few rows collisions are a large part of both: without those of either the variance is too small."""
    parts, errors, variances, without = SITUATIONS["different"], [], [], []
    older, newer = pairs(count_mean, FEW_ROWS, parts, 90), pairs(local_hashing, ("4", 8, 56), parts, 90, seed=1)
    for before, after in zip(older, newer, strict=True):
        second = replace(after.second, estimator=after.mechanism.debiased)
        found = estimate_differences(before.mechanism.debiased, before.first, second)
        errors.append(found.difference - true_difference(parts))
        variances.append(found.variance)
        without.append(found.first_variance)
        assert np.array_equal(found.variance, found.first_variance + found.second_variance)
    assert_true(errors, variances, parts)
    assert np.mean(without) < 0.7 * np.mean(variances)


def test_sides_of_two_mechanisms_share_no_reports() -> None:
    (pair,) = pairs(count_mean, FEW_ROWS, SITUATIONS["overlapping"], 1)
    second = replace(pair.second, estimator=local_hashing("4", 8, 56).debiased)
    with pytest.raises(ParameterError, match="share no reports"):
        estimate_differences(pair.mechanism.debiased, pair.first, second, pair.shared)


@both
def test_what_both_sides_have_in_common_cancels(make: Maker) -> None:
    """With few rows, two locales alike collide alike: adding the variances of both sides is wrong by several times."""
    for mechanism, first, second, _ in pairs(make, ("8", 4, 64), [counts(200_000), counts(200_000)], 1):
        found = estimate_differences(mechanism.debiased, first, second)
        assert (found.first_variance + found.second_variance).mean() > 5 * found.variance.mean()


@both
def test_reports_that_are_shared_add_no_noise_where_they_count_alike(make: Maker) -> None:
    """Two windows of 9 of 10 common days: a tenth of the variance of as many separate reports."""
    parts = [counts(2000), counts(2000), counts(18_000)]
    for mechanism, first, second, shared in pairs(make, ("4", 256, 64), parts, 1):
        found = estimate_differences(mechanism.debiased, first, second, shared)
        apart = estimate_differences(mechanism.debiased, first, second)
        assert found.variance.mean() == pytest.approx(apart.variance.mean() / 10, rel=0.1)


@both
@pytest.mark.parametrize("situation", ["different", "overlapping"])
def test_intervals_and_bounds_hold_among_the_listed(situation: str, make: Maker) -> None:
    """At least 95 % of the listed, over all fleets: adjusted intervals hold 99 % and more. False alarm: below 1e-6.

    Bounds of differences with a side that is hidden are among them, and at least one bound of a share below T too.
    """
    parts = [each * 4 for each in SITUATIONS[situation]]
    truth = true_difference(parts)
    second_share = truth * 0 + (parts[1] + (parts[2] if len(parts) == 3 else 0))
    second_share = second_share / second_share.sum()
    inside, hidden_inside, bounded = [], [], []
    for mechanism, first, second, shared in pairs(make, ("4", 256, 64), parts, 20):
        found = compare(mechanism.debiased, first, second, alpha=0.05, shared=shared)
        holds = (found.lower[found.listed] <= truth[found.listed]) & (truth[found.listed] <= found.upper[found.listed])
        inside.extend(holds.tolist())
        hidden_inside.extend(holds[np.isnan(found.difference[found.listed])].tolist())
        hidden = found.listed & ~found.second.above
        bounded.extend((second_share[hidden] <= found.bound_second).tolist())
    assert len(inside) > 150
    assert np.mean(inside) > 0.97
    assert len(hidden_inside) > 15
    assert np.mean(hidden_inside) > 0.97
    assert np.mean(bounded) > 0.9


def discoveries(make: Maker, shape: Any, parts: list[NDArray[Any]], repetitions: int) -> tuple[list[float], int]:
    """The part of false ones among the significant differences of every repetition, and how many were true."""
    truth = true_difference(parts)
    null, parts_false, true_ones = np.abs(truth) < 1e-12, [], 0
    for mechanism, first, second, shared in pairs(make, shape, parts, repetitions, seed=1):
        found = compare(mechanism.debiased, first, second, alpha=0.05, shared=shared)
        assert not (found.significant & ~found.listed).any()
        parts_false.append(int((found.significant & null).sum()) / max(int(found.significant.sum()), 1))
        true_ones += int((found.significant & ~null).sum())
        great = found.significant & (np.abs(truth) > 0.1)
        assert (found.direction[great] == np.sign(truth[great])).all()
    return parts_false, true_ones


def near_threshold(n: int, share: float, number: int, *moved: tuple[int, float, float]) -> list[NDArray[np.int64]]:
    """Two sides of n reports: so many elements of this share on both, others moved, the rest spread over 500 of 600."""
    sides = []
    for side in (0, 1):
        result = np.zeros(600, np.int64)
        result[:number] = round(n * share)
        for element, *shares in moved:
            result[element] = round(n * shares[side])
        rest = n - result.sum()
        result[100:] += rest // 500
        # The rest goes to an element of its own on either side, which is no null then.
        result[100] += rest - rest // 500 * 500
        sides.append(result)
    return sides


# Shares just where noise decides what is listed, with reports instead of their law, so that elements collide.
MOVED = (50, 0.2, 0.03), (51, 0.02, 0.25)
NEAR = {
    "many rows": (("4", 1024, 256), near_threshold(4000, 0.027, 15, *MOVED)),
    "few rows": (("4", 16, 256), near_threshold(4000, 0.027, 15, *MOVED)),
}


@pytest.mark.parametrize("case", NEAR)
def test_false_discovery_rate_of_reports(case: str) -> None:
    """At most 5 % of the significant differences are none, on average; 1e-6 of new seeds would fail by chance."""
    shape, parts = NEAR[case]
    parts_false, true_ones = discoveries(count_mean, shape, parts, 60)
    spread = max(np.std(parts_false, ddof=1) / np.sqrt(len(parts_false)), 0.01)
    assert np.mean(parts_false) <= 0.05 + Z_MILLIONTH * spread
    assert true_ones > 1.9 * len(parts_false)
