import math

import numpy as np
import pytest

from aggregation.evaluation import deviations, observed

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
