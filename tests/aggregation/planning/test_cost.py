"""The cost model: what it knows, and that it grows with what costs."""

import math

import pytest

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, Mechanism, SubsetSelection
from aggregation.planning import Cost, estimate_cost
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean, local_hashing, sampled_puzzle

pytestmark = pytest.mark.exact


def of_words(k: int, m: int) -> Cost:
    return estimate_cost(fragment_puzzle("2", "6", (k, m), (k, m), 10), 100_000, 50)


def test_every_mechanism_has_a_model() -> None:
    made: list[Mechanism] = [
        count_mean("4", 256, 64),
        hadamard_count_mean("4", 256, 64),
        fragment_puzzle("2", "6"),
        local_hashing("4", 256, 56),
        sampled_puzzle("4"),
        SubsetSelection.of(4, [str(number) for number in range(100)]),
    ]
    assert {mechanism.algorithm for mechanism in made} == set(MECHANISMS)
    for mechanism in made:
        cost = estimate_cost(mechanism, 10_000, 100)
        assert 0 < cost.seconds < 10
        assert 1e6 < cost.memory < 1e9
        assert cost.stored == 10_000 * mechanism.report_bytes


def test_more_of_anything_costs_more() -> None:
    for make in (count_mean, hadamard_count_mean, local_hashing):
        usual = estimate_cost(make("4", 1024, 256), 100_000, 2600)
        assert estimate_cost(make("4", 1024, 256), 200_000, 2600).seconds > usual.seconds
        assert estimate_cost(make("4", 2048, 256), 100_000, 2600).seconds > usual.seconds
        assert estimate_cost(make("4", 1024, 512), 100_000, 2600).seconds > usual.seconds
        assert estimate_cost(make("4", 1024, 256), 100_000, 5200).seconds > usual.seconds
        assert estimate_cost(make("4", 1024, 256), 100_000, 5200).memory > usual.memory
    assert of_words(512, 256).seconds > of_words(256, 256).seconds
    assert of_words(512, 256).memory > of_words(256, 256).memory


def test_rows_without_reports_cost_nothing() -> None:
    few = [estimate_cost(count_mean("4", k, 1024), 100, 2600).seconds for k in (2**14, 2**16)]
    assert few[1] == pytest.approx(few[0], rel=0.02)
    assert math.isfinite(estimate_cost(count_mean("4", 1, 1024), 10**9, 10).seconds)


def test_deployed_sizes_are_of_the_order_that_is_measured() -> None:
    """A million emoji reports take a second or two on a core; a factor of three is for other machines and versions."""
    emoji = estimate_cost(count_mean("4", 65536, 1024), 1_000_000, 2623)
    assert 0.4 < emoji.seconds < 4
    assert emoji.stored == 1_000_000 * 132
    domains = estimate_cost(hadamard_count_mean("4", 1024, 32768), 5_000_000, 250_000)
    assert 0.5 < domains.seconds < 6


def test_unknown_mechanisms_have_none() -> None:
    class Other:
        algorithm = "Other"

    with pytest.raises(ParameterError, match="Other has no cost"):
        estimate_cost(Other(), 10, 10)  # type: ignore[arg-type]
