import math

import numpy as np
import pytest

from aggregation.evaluation import chance, deviations, observed

pytestmark = pytest.mark.exact


def test_deviations_are_as_the_model_defines_them() -> None:
    truth = observed("list", "abc", [10, 0, 20])  # ranks 2, 3, 1
    found = np.array([[[18.0, 13.0, 1.0], [1, 2, 3]], [[26.0, 3.0, 5.0], [1, 3, 2]]])
    measured = deviations(truth, found)
    assert measured.delta_e[:2].tolist() == [0.1, 0.2]
    assert math.isnan(measured.delta_e[2])
    assert measured.delta_r.tolist() == [0, 0.5, 0.5]
    assert measured.mse.tolist() == [(4 + 36) / 2, (9 + 49) / 2, (1 + 25) / 2]
    assert measured.variance.tolist() == [16, 25, 4]
    assert measured.mean_delta_e == pytest.approx(0.15)
    assert measured.mean_mse_error == pytest.approx(abs((4 + 9 + 1) / 3 - (36 + 49 + 25) / 3) / 2)
    assert measured.first_rank_over_line is None


def test_the_line_is_crossed_above_one() -> None:
    truth = observed("list", "ab", [2, 1])
    once = deviations(truth, np.array([[[1.0, 5.0], [2, 4]]]))
    assert (once.delta_r.tolist(), once.first_rank_over_line) == ([1, 2], 2)
    assert math.isnan(once.mean_mse_error)
    assert np.isnan(once.delta_r_error).all()


def test_first_ranks_are_counted_in_order_and_in_any_order() -> None:
    truth = observed("list", "abcd", [4, 3, 2, 1])
    ranks = [[1, 2, 3, 5], [2, 1, 3, 4], [1, 3, 2, 9], [4, 1, 3, 2]]
    measured = deviations(truth, np.array([[[0.0] * 4, each] for each in ranks]))
    assert measured.first_in_order.tolist() == [2, 1, 1, 0]
    assert measured.first_in_any_order.tolist() == [2, 2, 3, 2]
    # |estimated rank - rank| of the last: 1, 0, 5, 2.
    assert measured.delta_r_error[3] == pytest.approx(np.std([1, 0, 5, 2], ddof=1) / 2)


def test_a_chance_has_the_interval_of_wilson() -> None:
    """As Wilson's formula gives it for 34 of 100, and at both ends, where the normal interval has no width."""
    assert chance(34, 100) == pytest.approx({"share": 0.34, "lower": 0.25462, "upper": 0.43723}, abs=1e-5)
    assert chance(0, 10) == pytest.approx({"share": 0, "lower": 0, "upper": 0.27753}, abs=1e-5)
    assert chance(10, 10) == pytest.approx({"share": 1, "lower": 1 - 0.27753, "upper": 1}, abs=1e-5)
