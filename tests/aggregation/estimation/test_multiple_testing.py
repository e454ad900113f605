"""P-values that know how elements were chosen, and the procedure over them."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, multivariate_normal, norm

from aggregation.estimation import benjamini_hochberg
from aggregation.estimation.difference import Estimated
from aggregation.estimation.multiple_testing import conditional_p_values
from tests.aggregation.helpers import Z_MILLIONTH


def estimated(first: object, second: object, covariance: NDArray[np.float64], step: float = 0.0) -> Estimated:
    x, y = np.atleast_1d(np.asarray(first, float)), np.atleast_1d(np.asarray(second, float))
    v1, v2, c = covariance[0, 0], covariance[1, 1], covariance[0, 1]
    same = np.ones(len(x))
    return Estimated(x, y, x - y, v1 * same, v2 * same, (v1 + v2 - 2 * c) * same, 0.0, 0.0, 0.0, step)


@pytest.mark.exact
def test_far_above_the_thresholds_they_are_the_ordinary_ones() -> None:
    covariance = np.array([[1.0, 0.3], [0.3, 4.0]])
    pair = estimated([100, 100], [103, 100], covariance)
    assert conditional_p_values(pair, 4, 9).tolist() == pytest.approx([2 * norm.sf(3 / np.sqrt(4.4)), 1.0])


@pytest.mark.exact
def test_just_above_the_higher_threshold_a_large_difference_is_no_evidence() -> None:
    just, far = conditional_p_values(estimated([8.0, 18.0], [4.0, 4.0], np.eye(2)), 8, 1)
    assert just > 0.99
    assert far < 1e-6
    ordinary = 2 * norm.sf(4 / np.sqrt(2))
    assert ordinary < 0.005, "which would have been taken for evidence"


@pytest.mark.exact
def test_what_could_not_be_far_apart_is_no_clearer_for_it() -> None:
    (found,) = conditional_p_values(estimated([5.0], [4.0], np.eye(2)), 4, 4)
    assert found == pytest.approx(2 * norm.sf(1 / np.sqrt(2))), "with 0.05 of what was chosen as far apart"


@pytest.mark.exact
@pytest.mark.parametrize("point", [(8.3, 5.0), (9.0, 2.5), (8.2, 7.9), (9.5, 3.0)])
def test_they_are_parts_of_the_plane(point: tuple[float, float]) -> None:
    """Against an integral over the line of equal pooled estimates: what is chosen, and what of it is as far apart."""
    t1, t2, v1, v2 = 8.0, 2.0, 1.0, 2.0
    pooled = (v2 * point[0] + v1 * point[1]) / (v1 + v2)
    difference = np.linspace(-60, 60, 1_200_001)
    x, y = pooled + difference * v1 / (v1 + v2), pooled - difference * v2 / (v1 + v2)
    whole = norm.pdf(x, pooled, np.sqrt(v1)) * norm.pdf(y, pooled, np.sqrt(v2))
    far = np.abs(difference) >= abs(point[0] - point[1])
    weight = whole * ((x >= t1) & (y >= t2))
    expected = max(weight[far].sum() / weight.sum(), whole[far].sum() / whole.sum())
    (found,) = conditional_p_values(estimated(*point, np.diag([v1, v2])), t1, t2)
    assert found == pytest.approx(expected, rel=2e-3)


@pytest.mark.exact
def test_they_are_finite_wherever_they_are_asked() -> None:
    far = np.array([-1e3, 0.0, 3.9, 4.0, 50.0, 1e3, 1e6])
    first, second = (each.ravel() for each in np.meshgrid(far, far))
    with np.errstate(all="raise", under="ignore"):
        for covariance in ([[1, 0], [0, 1]], [[1, 1], [1, 4]], [[1e-6, 0], [0, 1]], [[1, 1], [1, 1]]):
            found = conditional_p_values(estimated(first, second, np.array(covariance, float)), 4, 4)
            assert ((found >= 0) & (found <= 1)).all()
    assert conditional_p_values(estimated([], [], np.eye(2)), 4, 4).shape == (0,)


@pytest.mark.exact
def test_one_step_less_is_believed() -> None:
    covariance = np.eye(2)
    whole, less = (conditional_p_values(estimated([50.0], [52.0], covariance, step), 4, 4) for step in (0.0, 0.5))
    assert whole[0] == pytest.approx(2 * norm.sf(2 / np.sqrt(2)))
    assert less[0] == pytest.approx(2 * norm.sf(1.5 / np.sqrt(2)))


@pytest.mark.exact
def test_procedure_against_another_implementation() -> None:
    rng = np.random.default_rng(2)
    for size in (1, 2, 7, 200):
        for _ in range(20):
            p_values = rng.random(size) ** rng.integers(1, 5)
            expected = false_discovery_control(p_values) <= 0.2
            assert benjamini_hochberg(p_values, 0.2).tolist() == expected.tolist()
    assert benjamini_hochberg(np.empty(0), 0.05).tolist() == []
    assert benjamini_hochberg(np.array([0.2, 0.01, 0.3]), 0.05).tolist() == [False, True, False]
    assert benjamini_hochberg(np.array([0.04, 0.05, 0.05]), 0.05).tolist() == [True, True, True]


@pytest.mark.statistical
@pytest.mark.parametrize("covariance", [[[1, 0], [0, 1]], [[4, 0], [0, 1]], [[1, 0.9], [0.9, 1.2]]], ids=str)
@pytest.mark.parametrize("mean", [4.0, 6.0, 8.0, 20.0])
def test_of_chosen_ones_no_more_are_small_than_may_be(mean: float, covariance: list[list[float]]) -> None:
    """At most 1, 5 and 50 % of chosen pairs with equal means are below 0.01, 0.05 and 0.5. False alarm: 1e-6 each.

    Far above the thresholds it is as many. Of ordinary p-values most are below 0.05 at half of the higher threshold.
    """
    rng, thresholds = np.random.default_rng(3), (8.0, 2.0)
    pairs = multivariate_normal([mean, mean], covariance).rvs(2_000_000 if mean < 6 else 400_000, random_state=rng)
    pairs = pairs[(pairs[:, 0] >= thresholds[0]) & (pairs[:, 1] >= thresholds[1])][:20_000]
    chosen = estimated(pairs[:, 0], pairs[:, 1], np.array(covariance, float))
    found = conditional_p_values(chosen, *thresholds)
    assert len(found) > 20
    for level in (0.01, 0.05, 0.5):
        spread = Z_MILLIONTH * np.sqrt(level * (1 - level) / len(found)) + 5 / len(found)
        assert (found <= level).mean() < level + spread
        assert mean < 20 or (found <= level).mean() > level - spread
