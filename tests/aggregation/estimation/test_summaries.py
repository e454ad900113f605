"""Summaries where they have one right answer, down to no report and no dictionary."""

import numpy as np
import pytest
from scipy.stats import norm

from aggregation.errors import ParameterError
from aggregation.estimation import adjusted_level, intervals, plug_in_f2, summarize, summarize_groups
from tests.aggregation.helpers import count_mean

pytestmark = pytest.mark.exact


def test_intervals() -> None:
    lower, upper = intervals(np.array([10.0, -5.0]), np.array([2.0, 0.0]), 0.95)
    assert lower == pytest.approx([10 - 2 * norm.ppf(0.975), -5])
    assert upper == pytest.approx([10 + 2 * norm.ppf(0.975), -5])


def test_adjusted_levels() -> None:
    assert adjusted_level(0.95, 72, 2600) == pytest.approx(1 - 0.05 * 72 / 2600)
    assert adjusted_level(0.95, 100, 100) == pytest.approx(0.95)
    assert adjusted_level(0.95, 0, 100) == adjusted_level(0.95, 1, 100) == pytest.approx(0.9995)
    assert adjusted_level(0.9, 0, 0) == pytest.approx(0.9)


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("k", [1, 64])
def test_nothing_is_above_when_nothing_came(k: int, size: int) -> None:
    summary = summarize(count_mean("4", k, 64).debiased, np.zeros(size, np.int64), 0, 0.05)
    assert summary.n == 0
    assert summary.threshold > 0
    for values in (summary.estimate, summary.standard_error, summary.lower, summary.upper):
        assert values.tolist() == [0.0] * size
    assert summary.above.tolist() == [False] * size
    assert summary.above.dtype == np.bool_


@pytest.mark.parametrize("n", [1, 1000])
@pytest.mark.parametrize("k", [1, 64])
def test_an_empty_dictionary(k: int, n: int) -> None:
    summary = summarize(count_mean("4", k, 64).debiased, np.empty(0, np.int64), n, 0.05)
    assert np.isfinite(summary.threshold)
    assert summary.above.shape == summary.adjusted_upper.shape == (0,)


@pytest.mark.parametrize("n", [1, 17, 1000, 10**9])
@pytest.mark.parametrize("k", [1, 64])
def test_one_element(k: int, n: int) -> None:
    mechanism = count_mean("4", k, 64)
    for s in (0, n // 2, n):
        summary = summarize(mechanism.debiased, np.array([s]), n, 0.05)
        fields = (summary.estimate, summary.lower, summary.upper, summary.adjusted_lower, summary.adjusted_upper)
        assert np.isfinite(fields).all()
        assert summary.lower[0] <= summary.estimate[0] <= summary.upper[0]
        assert summary.above[0] == (summary.estimate[0] >= summary.threshold)


def test_above_is_a_comparison_of_integers() -> None:
    mechanism = count_mean("4", 65536, 1024)
    n = 10_000
    read_out = np.arange(0, n + 1)
    summary = summarize(mechanism.debiased, read_out, n, 0.05)
    first = int(np.flatnonzero(summary.above)[0])
    assert summary.above.tolist() == [False] * first + [True] * (n + 1 - first)
    assert summary.estimate[first] == summary.threshold


def test_adjusted_intervals_are_wider_and_by_the_stated_level() -> None:
    mechanism = count_mean("4", 65536, 1024)
    n = 100_000
    read_out = np.full(2000, round(n * 0.12))
    read_out[:5] += 5000
    summary = summarize(mechanism.debiased, read_out, n, 0.05, confidence=0.9)
    assert summary.above.tolist() == [True] * 5 + [False] * 1995
    half = norm.isf(0.1 * 5 / 2000 / 2) * summary.standard_error
    assert summary.adjusted_upper == pytest.approx(summary.estimate + half)
    assert summary.adjusted_lower == pytest.approx(summary.estimate - half)
    assert summary.upper == pytest.approx(summary.estimate + norm.ppf(0.95) * summary.standard_error)
    assert summary.threshold == mechanism.debiased.threshold(
        n, 0.05 / 2000, plug_in_f2(mechanism.debiased, summary.estimate, n)
    )


def test_f2_solves_its_equation_or_stops_at_its_bounds() -> None:
    mechanism = count_mean("4", 4, 64)
    n = 10_000
    estimate = np.concatenate([np.linspace(-500, 500, 300), [6000.0, 3000.0]])
    f2 = plug_in_f2(mechanism.debiased, estimate, n)
    assert n < f2 < n**2
    assert f2 == pytest.approx(
        float((estimate**2).sum() - mechanism.debiased.variance(estimate, n, f2).sum()), rel=1e-6
    )
    assert plug_in_f2(mechanism.debiased, np.zeros(300), n) == n
    assert plug_in_f2(mechanism.debiased, np.full(300, 1e6), n) == pytest.approx(n**2)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, float("nan")])
def test_rates_that_are_none_are_refused(value: float) -> None:
    mechanism = count_mean("4", 4, 64)
    with pytest.raises(ParameterError, match="false_positive_rate"):
        summarize(mechanism.debiased, np.zeros(1, np.int64), 5, value)
    with pytest.raises(ParameterError, match="confidence"):
        summarize(mechanism.debiased, np.zeros(1, np.int64), 5, 0.05, value)
    with pytest.raises(ParameterError, match="-1"):
        summarize(mechanism.debiased, np.zeros(1, np.int64), -1, 0.05)


SOME = np.array([120, 5000, 90, 700, 160, 130])
PARTS = np.array([1, 0, -1, 1, 1, -1])


def test_groups_are_sums_of_read_outs() -> None:
    mechanism, n, alpha = count_mean("4", 64, 64), 6000, 0.1
    groups = summarize_groups(mechanism.debiased, SOME, n, PARTS, 2, alpha, confidence=0.9)
    sums, members = np.array([5000, 980]), np.array([1, 3])
    f2 = plug_in_f2(mechanism.debiased, mechanism.debiased.estimate(SOME, n), n)
    estimate = mechanism.debiased.estimate(sums, n, members)
    assert (groups.n, groups.members.tolist()) == (n, [1, 3])
    assert groups.estimate.tolist() == estimate.tolist()
    assert estimate[1] == pytest.approx(mechanism.debiased.estimate(SOME, n)[[0, 3, 4]].sum())
    assert groups.standard_error.tolist() == np.sqrt(mechanism.debiased.variance(estimate, n, f2, members)).tolist()
    assert groups.threshold.tolist() == [mechanism.debiased.threshold(n, alpha / 2, f2, size) for size in (1, 3)]
    assert groups.above.tolist() == [True, False]
    assert groups.upper == pytest.approx(estimate + norm.isf(0.05) * groups.standard_error)
    assert groups.adjusted_lower == pytest.approx(estimate - norm.isf(0.1 / 2 / 2) * groups.standard_error)


def test_groups_of_one_are_the_elements() -> None:
    mechanism = count_mean("4", 64, 64)
    one_by_one = summarize_groups(mechanism.debiased, SOME, 6000, np.arange(6), 6, 0.05)
    elements = summarize(mechanism.debiased, SOME, 6000, 0.05)
    for field in ("estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper", "above"):
        assert getattr(one_by_one, field).tolist() == getattr(elements, field).tolist()
    assert one_by_one.threshold.tolist() == [elements.threshold] * 6


def test_sums_of_groups_stay_exact_beyond_the_integers_of_a_float() -> None:
    mechanism = count_mean("4", 64, 64)
    read_out = np.array([2**53, 1, 1, 1, -(2**53)])
    for order in ([0, 1, 2, 3, 4], [1, 0, 4, 2, 3]):
        groups = summarize_groups(mechanism.debiased, read_out[order], 10, np.zeros(5, int), 1, 0.05)
        assert groups.estimate[0] == mechanism.debiased.estimate(np.array([3]), 10, 5)[0]


def test_a_group_without_members_is_nothing() -> None:
    groups = summarize_groups(count_mean("4", 64, 64).debiased, SOME, 6000, PARTS, 3, 0.05)
    assert (groups.estimate[2], groups.standard_error[2], groups.members[2]) == (0, 0, 0)
    assert groups.threshold[2] == np.inf
    assert not groups.above[2]


@pytest.mark.parametrize("n", [0, 1000])
def test_no_groups_and_no_reports(n: int) -> None:
    mechanism = count_mean("4", 64, 64)
    none = summarize_groups(mechanism.debiased, SOME * 0, n, np.full(6, -1), 0, 0.05)
    assert none.estimate.shape == none.threshold.shape == none.above.shape == (0,)
    empty = summarize_groups(mechanism.debiased, SOME * 0, 0, PARTS, 2, 0.05)
    assert empty.estimate.tolist() == empty.lower.tolist() == [0, 0]
    assert not empty.above.any()


def test_groups_that_do_not_fit_are_refused() -> None:
    mechanism = count_mean("4", 64, 64)
    for index, rate in ((PARTS[:5], 0.05), (PARTS + 1, 0.05), (PARTS, 0.0)):
        with pytest.raises(ParameterError, match=r"index below 2|false_positive_rate"):
            summarize_groups(mechanism.debiased, SOME, 6000, index, 2, rate)
