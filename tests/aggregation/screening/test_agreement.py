"""Signs of one cell that agree too often: the bound, what it finds, and what nothing can find."""

import itertools
import math

import numpy as np
import pytest

from aggregation.encoding import pack_coordinates, sort_records
from aggregation.mechanisms import HadamardCountMeanSketch
from aggregation.screening import FALSE_ALARM_RATE, judge_agreement, missing_noise, screen
from aggregation.screening.summaries import Pairs
from tests.aggregation.screening.attacks import FRUITS, Streams, coordinates, honest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(15)


def flagged(mechanism: HadamardCountMeanSketch, streams: Streams) -> set[str]:
    return {finding.test for finding in screen(mechanism, streams)}


@pytest.mark.exact
@pytest.mark.parametrize("before_noise", [(1,) * 9, (1, 1, -1, 1, 1, 1, -1, 1, 1), (1, -1, 1, 1, -1, 1, -1, 1, -1)])
@pytest.mark.parametrize("flip", [0.02, 0.2, 0.45])
def test_agreement_is_bounded_whatever_the_elements(before_noise: tuple[int, ...], flip: float) -> None:
    """Cells of 4, 3 and 2 records: the chance of so many agreeing signs, by going through all flips."""
    cells = [slice(0, 4), slice(4, 7), slice(7, 9)]
    chances: dict[float, float] = {}
    for flips in itertools.product((1, -1), repeat=9):
        signs = np.array(before_noise) * flips
        agreeing = 0.0
        for cell in cells:
            pairs = list(itertools.combinations(signs[cell], 2))
            agreeing += sum(a == b for a, b in pairs) / len(pairs) * (len(signs[cell]) // 2)
        chance = math.prod(flip if each < 0 else 1 - flip for each in flips)
        chances[round(agreeing, 9)] = chances.get(round(agreeing, 9), 0.0) + chance
    for least in chances:
        found = judge_agreement("agreeing_signs", "element", Pairs(4, least), flip**2 + (1 - flip) ** 2)
        assert sum(chance for agreeing, chance in chances.items() if agreeing >= least) <= found.p_value + 1e-12
        assert found.facts["expected"] == pytest.approx(4 * (flip**2 + (1 - flip) ** 2))


@pytest.mark.exact
def test_no_pair_says_nothing() -> None:
    assert judge_agreement("agreeing_signs", "element", Pairs(), 0.2).p_value == 1


def noiseless(mechanism: HadamardCountMeanSketch, n: int, rng: np.random.Generator, share: float) -> Streams:
    """Return reports of n devices that do not flip: a share of them saw one element, and each other one its own."""
    rare = n - round(share * n)
    elements = ["common", *(f"rare {number}" for number in range(rare))]
    rows, chosen = rng.integers(0, mechanism.k, n), rng.integers(0, mechanism.m, n)
    seen = np.maximum(np.arange(n) - (n - rare) + 1, 0)
    points = mechanism.family.points(elements)
    buckets = mechanism.family.buckets_of_pairs(points, seen, rows, mechanism.m)
    positive = np.bitwise_count(buckets & chosen.astype(np.uint32)) % 2 == 0
    return {"element": sort_records(pack_coordinates(rows, chosen, positive, mechanism.m))}


# ε, k, m, the share of the commonest element, and from how many reports on: the table of the documentation.
POWER = [
    (1, 1024, 1024, 1.0, 8_100), (1, 1024, 1024, 0.9, 12_100), (1, 1024, 1024, 0.75, 21_900),
    (2, 1024, 1024, 1.0, 11_800), (2, 1024, 1024, 0.9, 26_400),
    (4, 1024, 1024, 1.0, 30_500), (8, 1, 8, 1.0, 46_500),
    (1, 1, 8, 1.0, 67), (2, 1, 8, 1.0, 137), (4, 1, 8, 1.0, 872), (1, 1, 8, 0.9, 142), (2, 1, 8, 0.9, 660),
    (2, 1024, 32768, 1.0, 66_700), (4, 1024, 32768, 1.0, 171_000),
]  # fmt: skip


@pytest.mark.statistical
@pytest.mark.parametrize(("epsilon", "k", "m", "share", "reports"), POWER)
def test_signs_without_noise_of_a_common_element(
    epsilon: int, k: int, m: int, share: float, reports: int, rng: np.random.Generator
) -> None:
    mechanism = coordinates(epsilon, k, m)
    assert "agreeing_signs" in flagged(mechanism, noiseless(mechanism, reports * 5 // 4, rng, share))
    assert not flagged(mechanism, honest(mechanism, reports * 5 // 4, rng, FRUITS[:1]))


@pytest.mark.statistical
def test_signs_with_too_little_noise(rng: np.random.Generator) -> None:
    fakes = honest(coordinates(4), 12_000, rng, FRUITS[:1])
    assert flagged(coordinates(2), fakes) == {"agreeing_signs"}


@pytest.mark.statistical
@pytest.mark.parametrize(("epsilon", "share"), [(1, 0.4), (2, 0.7), (4, 0.95)])
def test_signs_without_noise_are_those_of_honest_devices_if_enough_of_the_elements_are_rare(
    epsilon: int, share: float, rng: np.random.Generator
) -> None:
    """No test can find this: rare elements are noise, and honest devices that saw fewer of them send the same."""
    mechanism = coordinates(epsilon, 64, 32768)
    assert not flagged(mechanism, noiseless(mechanism, 200_000, rng, share))


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_missing_noise_is_found_whatever_the_elements_in_a_large_enough_batch(
    epsilon: int, rng: np.random.Generator
) -> None:
    """By the signs at coordinate 0, of which a quarter more or fewer than expected is many standard deviations."""
    mechanism = coordinates(epsilon, 64, 64)
    enough = missing_noise(mechanism, FALSE_ALARM_RATE)
    assert enough is not None
    assert enough.reports is not None
    assert enough.share == pytest.approx(1 - 2 / (math.exp(epsilon) + 1))
    share = 0.9 * enough.share
    assert flagged(mechanism, noiseless(mechanism, enough.reports * 2, rng, share)) == {"signs"}
    assert not flagged(mechanism, noiseless(mechanism, enough.reports // 2, rng, share))
