"""Reports of devices that lie, among honest ones: what is flagged, by which test, and what is not."""

from decimal import Decimal

import numpy as np
import pytest

from aggregation.mechanisms import CountMeanSketch
from aggregation.registry import Mechanism
from aggregation.screening import screen
from tests.aggregation.screening.attacks import (
    FRUITS,
    WORDS,
    Records,
    buckets,
    coordinates,
    crafted,
    honest,
    mixed,
    packed,
    pointed,
    puzzles,
    vectors,
)

# The seeds are fixed, and all attacks but one are so plain that no chance is left; honest parts raise an alarm of their
# own with a chance of at most 1e-6 a batch.
pytestmark = pytest.mark.statistical

TARGETS = tuple(f"target {i}" for i in range(200))
# So many honest reports are around: enough for crafted ones to hide, if they can.
HONEST = 3000


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def flagged(mechanism: Mechanism, *streams: dict[str, Records]) -> set[str]:
    return {finding.test for finding in screen(mechanism, mixed(*streams))}


def among_honest(mechanism: CountMeanSketch, fakes: Records, rng: np.random.Generator) -> set[str]:
    return flagged(mechanism, honest(mechanism, HONEST, rng), {"element": fakes})


@pytest.mark.parametrize("epsilon", [2, 8])
def test_honest_reports_pass(epsilon: float, rng: np.random.Generator) -> None:
    for mechanism in (vectors(epsilon), coordinates(epsilon), buckets(epsilon)):
        assert not flagged(mechanism, honest(mechanism, HONEST, rng))
    assert not flagged(puzzles(epsilon), honest(puzzles(epsilon), HONEST, rng, WORDS))


@pytest.mark.parametrize(("epsilon", "fakes"), [(2, 1), (4, 1), (8, 4)])
def test_vectors_without_noise(epsilon: float, fakes: int, rng: np.random.Generator) -> None:
    """At a small ε one is enough; at ε = 8 an honest vector has 19 ± 4 ones, and a few with a single one are few."""
    mechanism = vectors(epsilon)
    assert "few_ones" in among_honest(mechanism, crafted(mechanism, fakes, rng, FRUITS[:1], noise=1000), rng)


@pytest.mark.parametrize(("epsilon", "noise"), [(2, 2.2), (4, 4.2), (8, 8.3)])
def test_vectors_with_a_little_less_noise(epsilon: float, noise: float, rng: np.random.Generator) -> None:
    mechanism = vectors(epsilon)
    fakes = crafted(mechanism, 600, rng, FRUITS[:1], noise=noise)
    assert "total_ones" in among_honest(mechanism, fakes, rng)


@pytest.mark.parametrize(("epsilon", "fakes"), [(2, 5), (4, 1), (8, 1)])
def test_too_many_ones_for_many_targets(epsilon: float, fakes: int, rng: np.random.Generator) -> None:
    """Honest noise, and ones in the buckets of two hundred elements."""
    mechanism = vectors(epsilon)
    assert "many_ones" in among_honest(mechanism, crafted(mechanism, fakes, rng, TARGETS), rng)


@pytest.mark.parametrize("epsilon", [2, 8])
def test_many_targets_without_noise(epsilon: float, rng: np.random.Generator) -> None:
    """As many targets as an honest vector has ones, and no noise: in one row all such vectors are the same."""
    mechanism = vectors(epsilon)
    targets = TARGETS[: round(1023 / (np.exp(epsilon / 2) + 1))]
    fakes = crafted(mechanism, 1000, rng, targets, noise=1000)
    assert {"repeated_record", "repeats"} <= among_honest(mechanism, fakes, rng)


@pytest.mark.parametrize("epsilon", [2, 8])
def test_always_the_number_of_ones_that_is_average(epsilon: float, rng: np.random.Generator) -> None:
    mechanism = vectors(epsilon)
    bits = np.zeros((400, mechanism.m), bool)
    bits[:, : round(1023 / (np.exp(epsilon / 2) + 1))] = True
    fakes = packed(mechanism, rng.integers(0, mechanism.k, 400), rng.permuted(bits, axis=1))
    assert "same_ones" in among_honest(mechanism, fakes, rng)


@pytest.mark.parametrize("epsilon", [2, 8])
@pytest.mark.parametrize("rows", ["one row", "half of them", "even ones"])
def test_uneven_rows(epsilon: float, rows: str, rng: np.random.Generator) -> None:
    """Fakes that are honest but for their rows: one where the targets do not meet others, say."""
    mechanism = vectors(epsilon)
    count = 40 if rows == "one row" else 600
    chosen = {
        "one row": np.full(count, 7),
        "half of them": rng.integers(0, mechanism.k // 2, count),
        "even ones": rng.integers(0, mechanism.k // 2, count) * 2,
    }[rows]
    fakes = crafted(mechanism, count, rng, FRUITS[:1], rows=chosen)
    assert among_honest(mechanism, fakes, rng) == {"uneven_rows"}


def test_rows_dealt_out_in_turn(rng: np.random.Generator) -> None:
    mechanism = vectors(4, k=4096)
    fakes = crafted(mechanism, 3000, rng, FRUITS[:1], rows=rng.permutation(4096)[:3000])
    assert flagged(mechanism, {"element": fakes}) == {"rows_in_use"}


@pytest.mark.parametrize("epsilon", [2, 8])
def test_a_vector_sent_again(epsilon: float, rng: np.random.Generator) -> None:
    """At ε = 8 two honest vectors of one row and element agree once in 10^16 times."""
    mechanism = vectors(epsilon)
    batch = honest(mechanism, HONEST, rng)
    assert "repeated_record" in flagged(mechanism, batch, {"element": batch["element"][100:101]})


@pytest.mark.parametrize("epsilon", [2, 8])
def test_many_vectors_sent_again(epsilon: float, rng: np.random.Generator) -> None:
    mechanism = vectors(epsilon)
    batch = honest(mechanism, HONEST, rng)
    assert flagged(mechanism, batch, {"element": batch["element"][::30]}) == {"repeated_record", "repeats"}


@pytest.mark.parametrize("epsilon", [2, 8])
def test_coordinates_that_are_chosen(epsilon: float, rng: np.random.Generator) -> None:
    """An attacker who wants two elements raised names only coordinates where their signs agree."""
    mechanism = coordinates(epsilon)
    rows = rng.integers(0, mechanism.k, 600)
    for chosen, tests in (
        (rng.integers(0, 2, 600) * 512, {"uneven_coordinates", "cells_in_use"}),
        (rng.integers(0, mechanism.m // 2, 600), {"uneven_coordinates"}),
    ):
        fakes = pointed(mechanism, "target", rows, chosen)
        assert tests <= flagged(mechanism, honest(mechanism, HONEST, rng), {"element": fakes})


@pytest.mark.parametrize("epsilon", [2, 8])
def test_uneven_rows_of_coordinates(epsilon: float, rng: np.random.Generator) -> None:
    mechanism = coordinates(epsilon)
    rows, chosen = np.full(150, 7), rng.integers(0, mechanism.m, 150)
    fakes = pointed(mechanism, "target", rows, chosen)
    assert flagged(mechanism, honest(mechanism, HONEST, rng), {"element": fakes}) == {"uneven_rows"}


def test_a_thousand_coordinates_sent_again_among_many(rng: np.random.Generator) -> None:
    mechanism = coordinates(4, k=1024, m=32768)
    batch = honest(mechanism, 100_000, rng)
    assert not flagged(mechanism, batch)
    assert flagged(mechanism, batch, {"element": batch["element"][::100]}) == {"cells_in_use"}


def test_one_coordinate_sent_again_and_again(rng: np.random.Generator) -> None:
    mechanism = coordinates(4)
    batch = honest(mechanism, HONEST, rng)
    again = np.repeat(batch["element"][100:101], 10)
    assert "repeated_cell" in flagged(mechanism, batch, {"element": again})


def test_signs_that_no_element_has(rng: np.random.Generator) -> None:
    """Random signs at coordinate 0, where all elements have the same."""
    mechanism = coordinates(4, m=8)
    batch = honest(mechanism, HONEST, rng)
    plain = batch["element"]["row_coordinate_sign"].astype(np.uint32)
    drawn = plain & ~np.uint32(1) | rng.integers(0, 2, len(plain), dtype=np.uint32)
    batch["element"]["row_coordinate_sign"] = np.sort(drawn)
    assert flagged(mechanism, batch) == {"signs"}


@pytest.mark.parametrize("epsilon", [2, 8])
@pytest.mark.parametrize("stream", ["element", "fragment-3"])
def test_either_part_of_words(epsilon: float, stream: str, rng: np.random.Generator) -> None:
    mechanism = puzzles(epsilon)
    sketch = mechanism.words if stream == "element" else mechanism.fragments
    batch = honest(mechanism, HONEST, rng, WORDS)
    fresh = honest(mechanism, 200, rng, WORDS)[stream][:40]
    attacks = {
        "few_ones": crafted(sketch, 40, rng, FRUITS[:1], noise=1000),
        "many_ones": crafted(sketch, 40, rng, TARGETS),
        "uneven_rows": crafted(sketch, 40, rng, FRUITS[:1], rows=np.full(40, 7)),
        "repeated_record": np.repeat(fresh[:1], 12),
    }
    for test, fakes in attacks.items():
        found = screen(mechanism, batch | mixed({stream: batch[stream]}, {stream: fakes}))
        assert test in {finding.test for finding in found}
        assert {finding.stream for finding in found} == {stream}


def test_uneven_positions(rng: np.random.Generator) -> None:
    mechanism = puzzles(4)
    batch = honest(mechanism, HONEST, rng, WORDS)
    more = honest(mechanism, HONEST, rng, WORDS)
    batch |= {"element": mixed(batch, more)["element"], "fragment-3": mixed(batch, more)["fragment-3"]}
    (found,) = screen(mechanism, batch)
    assert (found.test, found.stream, found.facts["first"]) == ("uneven_positions", "", 1)


def test_fakes_of_an_unchanged_client_pass(rng: np.random.Generator) -> None:
    """They cannot be told: the pages say so, and bound what they do."""
    for mechanism in (vectors(4), coordinates(4), buckets(4)):
        assert not flagged(mechanism, honest(mechanism, HONEST, rng), honest(mechanism, HONEST, rng, ["target"]))


def test_crafted_vectors_with_as_many_ones_as_honest_ones_pass(rng: np.random.Generator) -> None:
    """Why the effect is bounded for crafted reports too: a hundred targets, and the number of ones drawn as it is."""
    mechanism = vectors(4)
    fakes = crafted(mechanism, 300, rng, TARGETS[:100], noise=1000)
    bits = np.unpackbits(fakes["bits"], axis=1)
    for vector, ones in zip(bits, _honest_weights(mechanism, len(bits), rng), strict=True):
        missing = ones - int(vector.sum())
        place = np.flatnonzero(vector == (missing < 0))
        vector[rng.permutation(place)[: abs(missing)]] = missing > 0
    fakes["bits"] = np.packbits(bits, axis=1)
    assert not among_honest(mechanism, fakes, rng)


def _honest_weights(mechanism: CountMeanSketch, n: int, rng: np.random.Generator) -> list[int]:
    weights = np.bitwise_count(honest(mechanism, n, rng)["element"]["bits"]).sum(axis=1)
    return [int(weight) for weight in rng.permutation(weights)]


def test_p_values_are_those_of_all_tests_together(rng: np.random.Generator) -> None:
    """A sole vector without noise at ε = 8 is not remarkable among a thousand: its chance is 2e-7 for each."""
    mechanism = vectors(8)
    fakes = crafted(mechanism, 1, rng, FRUITS[:1], noise=1000)
    batch = mixed(honest(mechanism, 1000, rng), {"element": fakes})
    assert not screen(mechanism, batch)
    (found,) = (one for one in screen(mechanism, {"element": fakes}, 0.5) if one.test == "few_ones")
    # This one of eight tests looks at 1,025 numbers of ones.
    flip = 1 / (np.exp(4) + 1)
    one = (1 - flip) ** 1024 + flip * (1023 * flip * (1 - flip) ** 1022) + flip * (1 - flip) ** 1023
    assert found.p_value == pytest.approx(8 * 1025 * one)
    assert mechanism.epsilon == Decimal(8)
