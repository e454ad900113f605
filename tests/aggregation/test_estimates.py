"""Estimates from sketches: the numbers that the server's own way gives, and words that are on no list."""

import numpy as np
import pytest

from aggregation import CountMeanSketch, ParameterError, Sketch, discover, estimate, threshold
from aggregation.estimation import summarize
from aggregation.mechanisms import Mechanism
from tests.aggregation.discovery.helpers import discover as discover_step_by_step
from tests.aggregation.discovery.helpers import puzzle, reported
from tests.aggregation.helpers import count_mean, hadamard_count_mean

pytestmark = pytest.mark.exact

FRUITS = ["apple", "pear", "plum", "quince"]


def filled(mechanism: Mechanism) -> Sketch:
    sketch, rng = Sketch(mechanism), np.random.default_rng(0)
    sketch.add(mechanism.split(mechanism.privatize_fleet(FRUITS, rng.integers(0, 3, 900), rng)))
    return sketch


@pytest.mark.parametrize("mechanism", [count_mean("4", 64, 64), hadamard_count_mean("4", 64, 64)], ids=type)
def test_estimates_are_those_of_a_summary(mechanism: Mechanism) -> None:
    sketch = filled(mechanism)
    found = estimate(sketch, FRUITS, false_positives=0.01, confidence=0.9)
    read_out = mechanism.read_state(sketch.state, mechanism.points(FRUITS))
    expected = summarize(mechanism.debiased, read_out, 900, 0.01, 0.9)
    assert (found.elements, found.n, found.threshold) == (tuple(FRUITS), 900, expected.threshold)
    assert (found.count == expected.estimate).all()
    assert (found.standard_error == expected.standard_error).all()
    assert (found.lower == expected.lower).all()
    assert (found.upper == expected.upper).all()
    assert found.significant.tolist() == expected.above.tolist() == [True, True, True, False]


def test_another_estimator_takes_the_place_of_the_mechanisms() -> None:
    sketch, other = filled(count_mean("4", 64, 64)), count_mean("4.5", 64, 64).debiased
    read_out = sketch.mechanism.read_state(sketch.state, sketch.mechanism.points(FRUITS))
    found = estimate(sketch, FRUITS, estimator=other).count
    assert (found == other.estimate(read_out, 900)).all()
    assert (found != estimate(sketch, FRUITS).count).all()


def test_an_element_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="twice"):
        estimate(filled(count_mean("4", 64, 64)), ["pear", "plum", "pear"])


def test_thresholds_are_the_mechanisms() -> None:
    cms = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
    assert threshold(cms, 1000, 50, f2=2000.0) == cms.debiased.threshold(1000, 0.05 / 50, 2000.0)
    assert threshold(cms, 1000, 50) == threshold(cms, 1000, 50, f2=1e6) > threshold(cms, 1000, 50, f2=1e3)
    for n, size, rate in ((-1, 1, 0.05), (1, 0, 0.05), (1, 1, 0.0), (1, 1, 1.0)):
        with pytest.raises(ParameterError, match="There is no threshold"):
            threshold(cms, n, size, false_positives=rate)


def test_words_are_discovered_as_step_by_step() -> None:
    mechanism = puzzle(("4", 64, 64), ("6", 64, 64), 6)
    day = reported(mechanism, {"hello_": 2500, "abc___": 1500, "dddddd": 500}, np.random.default_rng(0))
    sketch = Sketch(mechanism)
    sketch.add(day)
    found = discover(sketch, "abcdehlo")
    expected = discover_step_by_step(mechanism, "abcdehlo", [day])
    assert found.elements == tuple(word.rstrip("_") for word in expected.joined.words)
    assert (found.count == expected.summary.estimate).all()
    assert found.significant.tolist() == expected.summary.above.tolist()
    assert found.threshold == expected.summary.threshold
    shown = {word for word, is_found in zip(found.elements, found.significant, strict=True) if is_found}
    assert {"hello", "abc"} <= shown


def test_words_are_not_discovered_in_other_sketches() -> None:
    with pytest.raises(ParameterError, match="sketch of CountMeanSketch"):
        discover(Sketch(count_mean("4", 64, 64)), "ab")
