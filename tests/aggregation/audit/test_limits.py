"""Limits of probabilities, and bounds of counts, against SciPy's."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from aggregation.audit import ALPHA, are_binomial, highest, lowest

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    ("seen", "trials"),
    [
        (0, 5),
        (1, 5),
        (5, 5),
        (0, 10**6),
        (1, 10**6),
        (10**6, 10**6),
        (14_200, 10**6),
        (119_203, 10**6),
        (18 * 10**6, 10**9),
    ],
)
@pytest.mark.parametrize("tail", [ALPHA / 2, ALPHA / 8, 0.025])
def test_limits_are_those_of_clopper_and_pearson(seen: int, trials: int, tail: float) -> None:
    low = float(beta.ppf(tail, seen, trials - seen + 1)) if seen else 0.0
    high = float(beta.isf(tail, seen + 1, trials - seen)) if seen < trials else 1.0
    assert lowest(seen, trials, tail) == pytest.approx(low, rel=1e-8, abs=1e-14)
    assert highest(seen, trials, tail) == pytest.approx(high, rel=1e-8, abs=1e-14)


@pytest.mark.parametrize(("trials", "chance"), [(40, 0.2), (1000, 1 / 64), (10**6, 0.0142), (7, 0.5)])
@pytest.mark.parametrize("size", [1, 5])
def test_counts_are_within_exact_bounds(trials: int, chance: float, size: int) -> None:
    alpha = 0.01
    tail = alpha / 2 / size
    least, most = int(binom.ppf(tail, trials, chance)), int(binom.isf(tail, trials, chance))
    for extreme, is_usual in ((least, True), (most, True), (least - 1, False), (most + 1, False)):
        if 0 <= extreme <= trials:
            counts = np.full(size, round(trials * chance))
            counts[-1] = extreme
            assert are_binomial(counts, trials, chance, alpha) == is_usual
            assert are_binomial(counts, np.full(size, trials), np.full(size, chance), alpha) == is_usual


def test_each_count_has_trials_and_a_chance_of_its_own() -> None:
    trials, chances = np.array([100, 100, 10_000, 0]), np.array([0.5, 0.01, 0.01, 1.0])
    assert are_binomial([50, 1, 100, 0], trials, chances)
    assert not are_binomial([1, 50, 100, 0], trials, chances)
    assert not are_binomial([50, 1, 1000, 0], trials, chances)
    assert not are_binomial([50, 1, 100, 1], trials, chances)
