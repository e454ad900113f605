"""Common ground of mechanisms with one sketch: read-outs add up, no reports give zeros, seeds repeat fleets."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aggregation.errors import ParameterError
from tests.aggregation.helpers import (
    cells,
    count_mean,
    hadamard_count_mean,
    zipf_counts,
)

pytestmark = pytest.mark.exact

WORDS = [f"w{i}" for i in range(20)]
both = pytest.mark.parametrize("make", [count_mean, hadamard_count_mean])


@both
def test_without_reports_everything_is_zero(make: Callable[..., Any]) -> None:
    mechanism = make("4", 8, 16)
    empty = np.empty(0, mechanism.record_dtype("element"))
    read_out = mechanism.read_out([empty, empty], mechanism.family.points(WORDS), 0, 8)
    assert read_out.tolist() == [[0] * 20] * 2
    assert mechanism.debiased.estimate(read_out[0], 0).tolist() == [0.0] * 20
    assert mechanism.debiased.variance(np.zeros(20), 0, 0.0).tolist() == [0.0] * 20
    assert mechanism.debiased.threshold(0, 0.05, 0.0) > 0
    assert not cells(mechanism, empty).any()
    assert mechanism.privatize_fleet([], np.empty(0, int), np.random.default_rng(0))["element"].shape == (0,)
    assert mechanism.format_records({"element": empty}) == []


@both
def test_a_fleet_is_reproduced_by_its_seed_alone(make: Callable[..., Any]) -> None:
    mechanism, index = make("4", 100, 64), np.repeat(np.arange(20), zipf_counts(5000, 20))
    fleets = [mechanism.privatize_fleet(WORDS, index, np.random.default_rng(seed))["element"] for seed in (0, 0, 1)]
    assert fleets[0].tobytes() == fleets[1].tobytes() != fleets[2].tobytes()


@both
def test_rows_beyond_the_sketch_are_refused(make: Callable[..., Any]) -> None:
    mechanism = make("4", 8, 16)
    empty = np.empty(0, mechanism.record_dtype("element"))
    with pytest.raises(ParameterError):
        mechanism.read_out([empty], mechanism.family.points(["a"]), 0, 9)
