"""Common ground of mechanisms with one sketch: read-outs add up, no reports give zeros, seeds repeat fleets."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from aggregation.errors import ParameterError
from aggregation.mechanisms import SubsetSelection
from aggregation.mechanisms.local_hashing.parameters import best_buckets
from tests.aggregation.helpers import (
    cells,
    count_mean,
    hadamard_count_mean,
    local_hashing,
    zipf_counts,
)

pytestmark = pytest.mark.exact

WORDS = [f"w{i}" for i in range(20)]
both = pytest.mark.parametrize("make", [count_mean, hadamard_count_mean])


# A mechanism, the chance that a report supports an element it is not about, and the read-out of s such reports of n.
NOISE: dict[str, tuple[Callable[[str], Any], Callable[[float], float], Callable[[Any, int], Any]]] = {
    "bits": (
        lambda epsilon: count_mean(epsilon, 65536, 1024),
        lambda epsilon: 1 / (math.exp(epsilon / 2) + 1) + math.tanh(epsilon / 4) / 1024,
        lambda s, _n: s,
    ),
    "signs": (
        lambda epsilon: hadamard_count_mean(epsilon, 1024, 32768),
        lambda epsilon: 0.5 + 0.5 * math.tanh(epsilon / 2) / 32768,
        lambda s, n: 2 * s - n,
    ),
    "buckets": (
        lambda epsilon: local_hashing(epsilon, 1024, best_buckets(float(epsilon))),
        lambda epsilon: 1 / best_buckets(epsilon),
        lambda s, _n: s,
    ),
    "subsets": (
        lambda epsilon: SubsetSelection.of(float(epsilon), [f"e{place}" for place in range(64)]),
        lambda epsilon: SubsetSelection.of(epsilon, [f"e{place}" for place in range(64)]).debiased.foreign,
        lambda s, _n: s,
    ),
}


@pytest.mark.parametrize("n", [0, 1, 30, 1000, 10**6, 10**9])
@pytest.mark.parametrize("epsilon", ["1", "16"])
@pytest.mark.parametrize("name", NOISE)
def test_thresholds_are_exact_binomial_quantiles(name: str, epsilon: str, n: int) -> None:
    make, chance_of, read_out = NOISE[name]
    debiased, chance = make(epsilon).debiased, chance_of(float(epsilon))
    for alpha in (0.05, 0.05 / 2600, 0.05 / 25_000, 0.05 / 250_000):
        threshold = debiased.threshold(n, alpha, float(n))
        s = int(binom.isf(alpha, n, chance)) + 1 if n else 1
        candidates = debiased.estimate(read_out(np.arange(s - 1, s + 2), n), n)
        (place,) = np.flatnonzero(candidates == threshold)
        reached = s - 1 + int(place)
        assert binom.sf(reached - 1, n, chance) <= alpha * (1 + 1e-6)
        assert reached == 0 or binom.sf(reached - 2, n, chance) > alpha * (1 - 1e-6)


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
