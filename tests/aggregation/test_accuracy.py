"""Summaries where they have one right answer, down to no report and no dictionary."""

import numpy as np
import pytest
from scipy.stats import norm

from aggregation.accuracy import adjusted_level, intervals, plug_in_f2, summarize
from aggregation.errors import ParameterError
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
    summary = summarize(count_mean("4", k, 64), np.zeros(size, np.int64), 0, 0.05)
    assert summary.n == 0
    assert summary.threshold > 0
    for values in (summary.estimate, summary.standard_error, summary.lower, summary.upper):
        assert values.tolist() == [0.0] * size
    assert summary.above.tolist() == [False] * size
    assert summary.above.dtype == np.bool_


@pytest.mark.parametrize("n", [1, 1000])
@pytest.mark.parametrize("k", [1, 64])
def test_an_empty_dictionary(k: int, n: int) -> None:
    summary = summarize(count_mean("4", k, 64), np.empty(0, np.int64), n, 0.05)
    assert np.isfinite(summary.threshold)
    assert summary.above.shape == summary.adjusted_upper.shape == (0,)


@pytest.mark.parametrize("n", [1, 17, 1000, 10**9])
@pytest.mark.parametrize("k", [1, 64])
def test_one_element(k: int, n: int) -> None:
    mechanism = count_mean("4", k, 64)
    for s in (0, n // 2, n):
        summary = summarize(mechanism, np.array([s]), n, 0.05)
        fields = (summary.estimate, summary.lower, summary.upper, summary.adjusted_lower, summary.adjusted_upper)
        assert np.isfinite(fields).all()
        assert summary.lower[0] <= summary.estimate[0] <= summary.upper[0]
        assert summary.above[0] == (summary.estimate[0] >= summary.threshold)


def test_above_is_a_comparison_of_integers() -> None:
    mechanism = count_mean("4", 65536, 1024)
    n = 10_000
    read_out = np.arange(0, n + 1)
    summary = summarize(mechanism, read_out, n, 0.05)
    first = int(np.flatnonzero(summary.above)[0])
    assert summary.above.tolist() == [False] * first + [True] * (n + 1 - first)
    assert summary.estimate[first] == summary.threshold


def test_adjusted_intervals_are_wider_and_by_the_stated_level() -> None:
    mechanism = count_mean("4", 65536, 1024)
    n = 100_000
    read_out = np.full(2000, round(n * 0.12))
    read_out[:5] += 5000
    summary = summarize(mechanism, read_out, n, 0.05, confidence=0.9)
    assert summary.above.tolist() == [True] * 5 + [False] * 1995
    half = norm.isf(0.1 * 5 / 2000 / 2) * summary.standard_error
    assert summary.adjusted_upper == pytest.approx(summary.estimate + half)
    assert summary.adjusted_lower == pytest.approx(summary.estimate - half)
    assert summary.upper == pytest.approx(summary.estimate + norm.ppf(0.95) * summary.standard_error)
    assert summary.threshold == mechanism.threshold(n, 0.05 / 2000, plug_in_f2(mechanism, summary.estimate, n))


def test_f2_solves_its_equation_or_stops_at_its_bounds() -> None:
    mechanism = count_mean("4", 4, 64)
    n = 10_000
    estimate = np.concatenate([np.linspace(-500, 500, 300), [6000.0, 3000.0]])
    f2 = plug_in_f2(mechanism, estimate, n)
    assert n < f2 < n**2
    assert f2 == pytest.approx(float((estimate**2).sum() - mechanism.variance(estimate, n, f2).sum()), rel=1e-6)
    assert plug_in_f2(mechanism, np.zeros(300), n) == n
    assert plug_in_f2(mechanism, np.full(300, 1e6), n) == pytest.approx(n**2)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, float("nan")])
def test_rates_that_are_none_are_refused(value: float) -> None:
    mechanism = count_mean("4", 4, 64)
    with pytest.raises(ParameterError, match="false_positive_rate"):
        summarize(mechanism, np.zeros(1, np.int64), 5, value)
    with pytest.raises(ParameterError, match="confidence"):
        summarize(mechanism, np.zeros(1, np.int64), 5, 0.05, value)
    with pytest.raises(ParameterError, match="-1"):
        summarize(mechanism, np.zeros(1, np.int64), -1, 0.05)
