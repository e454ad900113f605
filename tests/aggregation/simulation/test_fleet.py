"""Simulated fleets: what they report is what was observed, and a seed repeats it."""

import numpy as np
import pytest

from aggregation import CountMeanSketch, ParameterError, Sketch, estimate
from aggregation.simulation import Fleet

CMS = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)


def fleet(seed: int = 1) -> Fleet:
    return Fleet(CMS, ["tea", "coffee", "milk"], [0.5, 0.5, 0.0], np.random.default_rng(seed))


@pytest.mark.exact
def test_a_seed_repeats_lines_and_true_counts() -> None:
    one, again, other = fleet(), fleet(), fleet(2)
    lines = [list(some.lines(100)) for some in (one, again, other)]
    assert lines[0] == lines[1] != lines[2]
    assert one.true_counts.tolist() == again.true_counts.tolist()
    assert one.true_counts.sum() == 100
    assert one.true_counts[2] == 0


@pytest.mark.exact
@pytest.mark.parametrize(
    ("probabilities", "message"),
    [([1.0], "3 probabilities"), ([0.5, 0.6, -0.1], "not be below 0"), ([0.5, 0.5, 0.5], "sum to 1")],
)
def test_what_is_no_distribution_is_refused(probabilities: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Fleet(CMS, ["tea", "coffee", "milk"], probabilities, np.random.default_rng(1))


@pytest.mark.statistical
def test_estimates_are_unbiased_for_the_true_counts() -> None:
    """α: three independent errors beyond 5 standard errors have a probability below 2·10⁻⁶; the seed is fixed."""
    simulated = fleet()
    sketch = Sketch(CMS)
    for streams in simulated.report(20_000):
        sketch.add(streams)
    result = estimate(sketch, simulated.elements)
    assert (abs(result.count - simulated.true_counts) < 5 * result.standard_error).all()
