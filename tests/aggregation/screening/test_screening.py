"""Conditions of screening, and its interface."""

from typing import Any

import numpy as np
import pytest

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, CountMeanSketch, mechanism_for
from aggregation.screening import effect_of_fakes, screen
from tests.aggregation.screening.attacks import WORDS, buckets, coordinates, honest, puzzles, sampled, vectors

pytestmark = pytest.mark.exact


def example(algorithm: str) -> Any:
    sizes = {"epsilon": 4, "k": 64, "m": 64, "g": 64, "fragment_g": 64, "w": 1}
    fragments = {"fragment_epsilon": 4, "fragment_k": 64, "fragment_m": 64, "length": 6}
    own = {name: value for name, value in (sizes | fragments).items() if name in MECHANISMS[algorithm].parameter_types}
    known = MECHANISMS[algorithm]
    wire = known.for_dictionary({**own, **({"seed": "00" * 16} if known.has_seed else {})}, WORDS)
    return mechanism_for(algorithm, wire).with_dictionary(WORDS)


@pytest.mark.parametrize("algorithm", MECHANISMS)
def test_every_mechanism_is_screened(algorithm: str) -> None:
    """One that is added to the registry without tests would be trusted blindly."""
    mechanism = example(algorithm)
    for stream, records in honest(mechanism, 50, np.random.default_rng(0), WORDS).items():
        constant = np.repeat(records[:1], 500)
        assert {found.stream for found in screen(mechanism, {stream: constant})} >= {stream}
    assert effect_of_fakes(mechanism).raised > 1


def test_nothing_is_suspicious_about_nothing() -> None:
    for mechanism in (vectors(4), coordinates(4), puzzles(4), buckets(4), sampled(4)):
        empty = {stream: np.empty(0, mechanism.record_dtype(stream)) for stream in mechanism.streams}
        assert screen(mechanism, empty) == screen(mechanism, {}) == []


@pytest.mark.parametrize("alpha", [0, 1, -1, float("nan")])
def test_the_rate_must_be_a_chance(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha"):
        screen(vectors(4), {}, alpha)


def test_an_unknown_mechanism_is_refused() -> None:
    class Unknown(CountMeanSketch):
        algorithm = "Unknown"

    unknown = Unknown(4, 8, 8, seed=0)
    for ask in (lambda: screen(unknown, {}), lambda: effect_of_fakes(unknown)):
        with pytest.raises(ParameterError, match="Unknown"):
            ask()


@pytest.mark.parametrize(
    "mechanism", [vectors(2), vectors(8), coordinates(1), coordinates(8), puzzles(4), buckets(1), buckets(8)]
)
def test_no_report_moves_an_estimate_by_more_than_stated(mechanism: Any) -> None:
    """The bounds are what the estimator makes of one report, at best and at worst."""
    effect = effect_of_fakes(mechanism)
    reports = honest(mechanism, 40, np.random.default_rng(3), WORDS)["element"]
    points, rows = mechanism.family.points([*WORDS, "quince"]), mechanism.divisions
    read_outs = [mechanism.read_out([reports[i : i + 1]], points, 0, rows)[0] for i in range(len(reports))]
    added = [mechanism.debiased.estimate(read_out, 1) for read_out in read_outs]
    assert np.max(added) == pytest.approx(effect.raised)
    assert -np.min(added) == pytest.approx(effect.lowered)


def test_a_report_about_a_word_moves_its_estimate_by_as_much_as_all_of_its_kind_stand_for() -> None:
    """A word without reports so far gets five times as much, for a fifth of the reports are about words."""
    mechanism, words, support = sampled(4), 56 * 4000, 4000
    effect, n = effect_of_fakes(mechanism), 5 * words
    assert mechanism.word_estimator(n, words).estimate(np.array([support]), n) == [0]
    more = mechanism.word_estimator(n + 1, words + 1).estimate(np.array([support + 1, support]), n + 1)
    assert more.tolist() == pytest.approx([effect.raised, -effect.lowered], abs=1e-3)
    assert effect.raised == pytest.approx(5 * effect_of_fakes(mechanism.words).raised)


def test_effects_in_numbers() -> None:
    """At ε = 4 and m = 1024: e²/(e² - 1) is 1.1565, (e⁴ + 1)/(e⁴ - 1) is 1.0373."""
    of_vectors = effect_of_fakes(vectors(4))
    assert of_vectors.raised == pytest.approx(1.1567, abs=1e-4)
    assert of_vectors.lowered == pytest.approx(0.1576, abs=1e-4)
    assert of_vectors.at_once == 122
    of_coordinates = effect_of_fakes(coordinates(4))
    assert of_coordinates.raised == pytest.approx(1.0373, abs=1e-4)
    assert of_coordinates.lowered == pytest.approx(1.0393, abs=1e-4)
    assert of_coordinates.at_once is None
