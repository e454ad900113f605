"""The bound on what is below the threshold."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from aggregation.errors import ParameterError
from aggregation.estimation import upper_bound_below_threshold
from aggregation.mechanisms import Mechanism
from tests.aggregation.helpers import Z_MILLIONTH, count_mean, hadamard_count_mean


@pytest.mark.exact
@pytest.mark.parametrize("mechanism", [count_mean("4", 1024, 1024), hadamard_count_mean("4", 64, 256)], ids=["c", "h"])
def test_it_is_the_count_that_stays_below_with_the_stated_probability(mechanism: Mechanism) -> None:
    n, f2 = 100_000, 3e8
    threshold = mechanism.debiased.threshold(n, 0.05 / 2600, f2)
    for confidence in (0.5, 0.9, 0.95, 0.9999):
        bound = upper_bound_below_threshold(mechanism.debiased, threshold, n, f2, confidence)
        spread = math.sqrt(mechanism.debiased.variance(np.array([bound]), n, f2)[0])
        assert norm.cdf((threshold - bound) / spread) == pytest.approx(1 - confidence, rel=1e-6)


@pytest.mark.exact
def test_it_is_never_more_than_all_reports() -> None:
    mechanism = count_mean("2", 64, 64)
    assert upper_bound_below_threshold(mechanism.debiased, 500.0, 400, 400.0) == 400
    assert upper_bound_below_threshold(mechanism.debiased, 395.0, 400, 400.0) == 400
    assert upper_bound_below_threshold(mechanism.debiased, 5.0, 0, 0.0) == 0


@pytest.mark.exact
@pytest.mark.parametrize("confidence", [0.0, 0.49, 1.0, math.nan])
def test_confidences_that_are_none_are_refused(confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence"):
        upper_bound_below_threshold(count_mean("2", 64, 64).debiased, 5.0, 400, 400.0, confidence)


@pytest.mark.exact
@pytest.mark.parametrize("mechanism", [count_mean("4", 1024, 1024), hadamard_count_mean("4", 64, 256)], ids=["c", "h"])
def test_of_many_histograms_each_has_its_own(mechanism: Mechanism) -> None:
    n = np.array([400, 1_000, 20_000, 100_000, 0, 10_000_000])
    f2 = np.array([400.0, 1e6, 3e7, 3e8, 0.0, 1e14])
    thresholds = [mechanism.debiased.threshold(int(n), 0.05 / 2600, f2) for n, f2 in zip(n[1:4], f2[1:4], strict=True)]
    threshold = np.array([399.5, *thresholds, 5.0, 2e4])
    found = upper_bound_below_threshold(mechanism.debiased, threshold, n, f2)
    each = [
        float(upper_bound_below_threshold(mechanism.debiased, t, int(n), f2))
        for t, n, f2 in zip(threshold, n, f2, strict=True)
    ]
    assert found == pytest.approx(each, rel=1e-9)
    assert found[0] == 400, "nothing but the number of reports bounds it"
    assert np.all(np.diff(found[1:4]) > 0)
    assert upper_bound_below_threshold(mechanism.debiased, threshold[:0], n[:0], f2[:0]).shape == (0,)


@pytest.mark.exact
def test_at_several_confidences_each_bound_is_its_own() -> None:
    estimator, n, f2, threshold = count_mean("4", 1024, 1024).debiased, 100_000, 3e8, 5_000.0
    confidences, drawn = np.array([0.5, 0.95, 0.9999]), np.array([False, True, True])
    found = upper_bound_below_threshold(estimator, threshold, n, f2, confidences, drawn=drawn)
    alone = [
        float(upper_bound_below_threshold(estimator, threshold, n, f2, confidence, drawn=bool(each)))
        for confidence, each in zip(confidences, drawn, strict=True)
    ]
    assert found == pytest.approx(alone, rel=1e-9)
    of_two = upper_bound_below_threshold(
        estimator, np.full((2, 1), threshold), np.full((2, 1), n), np.full((2, 1), f2), confidences, drawn=drawn
    )
    assert of_two == pytest.approx(np.array([alone, alone]), rel=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", ["1", "8"])
def test_what_is_more_frequent_is_hidden_no_more_often_than_allowed(epsilon: str) -> None:
    """At the bound itself, where it happens most, down to few reports. False alarm: 1e-6 each, from 20,000 draws.

    The noise is exact; buckets are drawn one by one, as if there were many rows.
    """
    mechanism, rng, draws = count_mean(epsilon, 65536, 1024), np.random.default_rng(0), 20_000
    flip = 1 / (math.exp(float(epsilon) / 2) + 1)
    for n in (500, 20_000):
        threshold = mechanism.debiased.threshold(n, 0.05 / 500, n)
        count = math.ceil(upper_bound_below_threshold(mechanism.debiased, threshold, n, n))
        if count < n:
            chance = flip + (1 - 2 * flip) / 1024
            read_out = rng.binomial(count, 1 - flip, draws) + rng.binomial(n - count, chance, draws)
            hidden = int((mechanism.debiased.estimate(read_out, n) < threshold).sum())
            assert hidden <= binom.isf(1e-6, draws, 0.05)
            assert hidden > 0.01 * draws, "nor is it far too careful"
            assert Z_MILLIONTH * math.sqrt(0.05 * 0.95 / draws) < 0.01, "else this could not fail"
