"""Binomial tails against SciPy's."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, norm

from aggregation.errors import ParameterError
from aggregation.estimation import log_pmf, upper_quantile, upper_tail, widened_quantile

pytestmark = pytest.mark.exact

CHANCES = [1e-6, 1 / 1024, 0.0193, 0.12, 0.27, 0.5, 0.9, 1 - 1e-6]


def test_tails_and_probabilities() -> None:
    for n, p in product([0, 1, 2, 15, 16, 17, 1000, 10**6, 10**9], CHANCES):
        deviation = math.sqrt(n * p * (1 - p))
        for steps in (-30, -5, -1, -0.1, 0, 0.1, 1, 3, 6, 12):
            s = min(max(round(n * p + steps * deviation), 0), n)
            expected, exact = float(binom.sf(s - 1, n, p)), float(binom.logpmf(s, n, p))
            rel = 1e-6 if expected > 1e-200 else 1e-3
            assert upper_tail(s, n, p) == pytest.approx(expected, rel=rel, abs=1e-300), (s, n, p)
            assert log_pmf(s, n, p) == pytest.approx(exact, rel=1e-6, abs=1e-6), (s, n, p)


def test_quantiles() -> None:
    alphas = (0.999, 0.5, 0.05, 0.05 / 2600, 0.05 / 250_000, 1e-12)
    for n, p, alpha in product([0, 1, 5, 100, 1000, 123_456, 10**7, 10**9], CHANCES, alphas):
        s = upper_quantile(n, p, alpha)
        assert 0 <= s <= n + 1, (n, p, alpha)
        assert binom.sf(s - 1, n, p) <= alpha * (1 + 1e-7), (n, p, alpha)
        if s > 0:
            assert binom.sf(s - 2, n, p) > alpha * (1 - 1e-7), (n, p, alpha)


@pytest.mark.parametrize("p", [0.0193, 0.12, 0.5])
def test_quantiles_of_large_groups(p: float) -> None:
    """A group of many members has as many trials as members times reports."""
    n, alpha = 10**12, 0.05 / 20
    s = upper_quantile(n, p, alpha)
    assert s == pytest.approx(n * p + norm.isf(alpha) * math.sqrt(n * p * (1 - p)), abs=3)
    assert upper_tail(s, n, p) <= alpha < upper_tail(s - 1, n, p)


def test_small_cases_by_hand() -> None:
    assert [upper_tail(s, 2, 0.5) for s in range(-1, 4)] == pytest.approx([1, 1, 0.75, 0.25, 0], rel=1e-14)
    assert upper_quantile(2, 0.5, 0.25) == 2
    assert upper_quantile(2, 0.5, 0.24) == 3
    assert upper_quantile(0, 0.5, 0.5) == 1
    assert upper_quantile(5, 0.5, 1) == 0
    assert log_pmf(3, 2, 0.5) == -math.inf


def test_probabilities_sum_to_one() -> None:
    total = np.exp([log_pmf(s, 500, 0.12) for s in range(501)]).sum()
    assert total == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize(("n", "p", "alpha"), [(-1, 0.5, 0.1), (5, 0.0, 0.1), (5, 1.0, 0.1), (5, 0.5, math.nan)])
def test_what_has_no_quantile_is_refused(n: int, p: float, alpha: float) -> None:
    with pytest.raises(ParameterError):
        upper_quantile(n, p, alpha)


def test_a_widened_quantile() -> None:
    n, p, alpha = 10**6, 0.12, 1e-5
    s, mean, variance = upper_quantile(n, p, alpha), n * p, n * p * (1 - p)
    assert widened_quantile(n, p, alpha, 0, 5) == s
    assert widened_quantile(n, p, alpha, 3 * variance, 0) == math.ceil(mean + 2 * (s - mean))
    z = (s - mean) / math.sqrt(variance)
    skewed = widened_quantile(n, p, alpha, 3 * variance, 0.5 * (4 * variance) ** 1.5)
    assert skewed == math.ceil(mean + 2 * math.sqrt(variance) * (z + 0.5 * (z * z - 1) / 6))
    assert widened_quantile(0, p, alpha, 7, 7) == 1
    assert widened_quantile(n, p, 0.9, variance, variance**2) == upper_quantile(n, p, 0.9)


@pytest.mark.parametrize("rows", [20, 200])
def test_a_widened_quantile_is_rare_for_a_sum_of_two_binomials(rows: int) -> None:
    """A heavy element of 50 reports a row collides in Binomial(rows, 1/64) rows, each adding 50 at once."""
    n, p, weight, chance = 20_000, 0.05, 50, 1 / 64
    collisions = np.arange(rows + 1)
    for alpha in (1e-3, 1e-5):
        variance = weight**2 * rows * chance * (1 - chance)
        s = widened_quantile(n, p, alpha, variance, weight**3 * rows * chance)
        shift = np.round(weight * (collisions - rows * chance))
        tail = float(np.sum(binom.pmf(collisions, rows, chance) * binom.sf(s - 1 - shift, n, p)))
        assert tail <= 2.5 * alpha
        narrow = upper_quantile(n, p, alpha)
        assert np.sum(binom.pmf(collisions, rows, chance) * binom.sf(narrow - 1 - shift, n, p)) > 4 * alpha


def test_a_quantile_sums_few_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a sum is long; halving 0 … n would take 36 of them."""
    asked = []

    def noted(s: int, n: int, p: float) -> float:
        asked.append(s)
        return upper_tail(s, n, p)

    monkeypatch.setattr("aggregation.estimation.binomial.upper_tail", noted)
    upper_quantile(4 * 10**10, 0.5, 1e-3)
    assert len(asked) < 12
