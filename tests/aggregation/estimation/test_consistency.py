"""Norm-Sub: what it promises exactly, and what it is for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregation.errors import ParameterError
from aggregation.estimation import consistent_counts
from tests.aggregation.helpers import UNHURRIED, count_mean, zipf_counts

estimates = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50).map(np.array)


@pytest.mark.exact
@UNHURRIED
@given(estimates, st.integers(1, 10**6))
def test_counts_sum_to_the_reports_and_keep_their_order(estimate: np.ndarray, n: int) -> None:
    counts = consistent_counts(estimate, n)
    assert counts.min() >= 0
    assert counts.sum() == pytest.approx(n, rel=1e-9, abs=1e-6)
    order = np.argsort(estimate, kind="stable")
    assert (np.diff(counts[order]) >= 0).all()
    moved = (counts - estimate)[counts > 0]
    assert moved == pytest.approx(moved[0], abs=1e-6), "one number for all that stay"
    assert consistent_counts(counts, n) == pytest.approx(counts, rel=1e-9, abs=1e-5)


@pytest.mark.exact
def test_by_hand() -> None:
    assert consistent_counts(np.array([5.0, -3.0, 3.0, 0.5]), 6).tolist() == [4, 0, 2, 0]
    assert consistent_counts(np.array([1.0, 1.0]), 6).tolist() == [3, 3]
    assert consistent_counts(np.array([-7.0]), 6).tolist() == [6]
    assert consistent_counts(np.array([4.0, 2.0]), 6).tolist() == [4, 2]


@pytest.mark.exact
def test_nothing_to_make_consistent() -> None:
    for n in (0, -1):
        with pytest.raises(ParameterError, match="at least one report"):
            consistent_counts(np.ones(3), n)
    with pytest.raises(ParameterError, match="no estimate"):
        consistent_counts(np.empty(0), 5)


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "ratio"), [(10_000, 0.27), (100_000, 0.41), (1_000_000, 0.60)])
def test_it_halves_the_error_over_a_zipf_dictionary(n: int, ratio: float) -> None:
    """As is stated: of 2,600 elements, ε = 4, the less the fewer reports; noise is drawn with the stated variance.

    A ratio has a standard deviation below 0.015, the mean of 20 one of 0.0034: 5.8 of them are allowed, and half of the
    last digit stated.
    """
    mechanism = count_mean("4", 65536, 1024)
    truth = zipf_counts(n, 2600).astype(float)
    spread = np.sqrt(mechanism.debiased.variance(truth, n, float(truth @ truth)))
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(20):
        raw = truth + spread * rng.standard_normal(2600)
        ratios.append(np.linalg.norm(consistent_counts(raw, n) - truth) / np.linalg.norm(raw - truth))
    assert np.std(ratios) < 0.015
    assert abs(np.mean(ratios) - ratio) < 0.025
