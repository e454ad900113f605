"""The bound for shuffled batches against enumeration, published figures, and a mechanism that is shuffled."""

import math
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from aggregation.accounting import amplification, amplified, composed, divergence
from aggregation.errors import ParameterError
from aggregation.estimation import log_pmf_of_each

pytestmark = pytest.mark.exact

DELTA = 1e-6
EPSILONS = [0.1, 0.5, 1.0, 4.0, 8.0, 14.0]


def enumerated(epsilon0: float, n: int, epsilon: float) -> float:
    """The divergence as the theorem says it: every number of clones, every toss, and the report itself."""
    share = 1 / (1 + math.exp(-epsilon0))
    one, other = defaultdict[tuple[int, int], float](float), defaultdict[tuple[int, int], float](float)
    for clones in range(n):
        for heads in range(clones + 1):
            chance = float(binom.pmf(clones, n - 1, math.exp(-epsilon0)) * binom.pmf(heads, clones, 0.5))
            for shown, weight in ((1, share), (0, 1 - share)):
                one[heads + shown, clones - heads + 1 - shown] += chance * weight
                other[heads + 1 - shown, clones - heads + shown] += chance * weight
    return sum(max(one[seen] - math.exp(epsilon) * other[seen], 0.0) for seen in one)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("epsilon0", EPSILONS)
def test_the_divergence_is_that_of_the_theorem(epsilon0: float, n: int) -> None:
    for part in (0, 0.01, 0.2, 0.5, 0.9, 0.999):
        found, expected = divergence(epsilon0, n, part * epsilon0), enumerated(epsilon0, n, part * epsilon0)
        assert expected <= found + 1e-15
        assert found == pytest.approx(expected, rel=1e-6, abs=5e-8)


@pytest.mark.parametrize("n", [1000, 100_000])
@pytest.mark.parametrize("epsilon0", [1.0, 4.0])
def test_the_divergence_of_large_batches(epsilon0: float, n: int) -> None:
    """The sum is repeated with SciPy's tails, for the part of all clones that matters."""
    share, clones = 1 / (1 + math.exp(-epsilon0)), np.arange(n)
    chances = binom.pmf(clones, n - 1, math.exp(-epsilon0))
    for part in (0.001, 0.03, 0.1, 0.3):
        epsilon = part * epsilon0
        tau = math.expm1(epsilon + epsilon0) / math.expm1(epsilon0) / (1 + math.exp(epsilon))
        j = np.floor((clones + 1) * tau)
        just = (share - math.exp(epsilon) * (1 - share)) * binom.pmf(j, clones, 0.5)
        expected = float(chances @ (just - math.expm1(epsilon) * binom.sf(j, clones, 0.5)))
        assert expected <= divergence(epsilon0, n, epsilon) <= expected * (1 + 1e-5) + 3e-15


def shuffled_bits(epsilon0: float, bits: list[int]) -> np.ndarray:
    """Number of reports that say 1 when each bit is told truly with odds of e^ε₀: all that a shuffled batch tells."""
    true = 1 / (1 + math.exp(-epsilon0))
    ones = np.ones(1)
    for bit in bits:
        ones = np.convolve(ones, [1 - true, true] if bit else [true, 1 - true])
    return ones


@pytest.mark.parametrize("epsilon0", [0.5, 1.0, 2.0, 4.0])
def test_no_shuffled_mechanism_tells_more(epsilon0: float) -> None:
    """The bound is for every mechanism, so that a real one stays below: randomised response, whatever others say."""
    for n, others_with_1, part in product((2, 5, 40), (0.0, 0.5, 1.0), (0.0, 0.1, 0.4, 0.8)):
        others = [int(number < others_with_1 * (n - 1)) for number in range(n - 1)]
        one, other = shuffled_bits(epsilon0, [1, *others]), shuffled_bits(epsilon0, [0, *others])
        epsilon = part * epsilon0
        for p, q in ((one, other), (other, one)):
            told = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
            assert told <= divergence(epsilon0, n, epsilon) + 1e-15


@pytest.mark.parametrize(("n", "published"), [(10**4, 0.63), (10**5, 0.17), (10**6, 0.052)])
def test_published_figures(n: int, published: float) -> None:
    """At ε₀ = 4 and δ = 10⁻⁶. Those who computed them took larger steps, which is valid too and gives a little more."""
    found = amplified(4, n, DELTA)
    assert found is not None
    assert 0.94 * published < found <= published * 1.001


def test_too_few_reports_hide_nobody() -> None:
    """The bound for a thousand reports is 3.99 instead of 4, and for a single one nothing at all."""
    assert amplified(4, 1000, DELTA) is None
    assert amplified(4, 1, DELTA) is None
    assert divergence(4, 1, 4) == pytest.approx(0, abs=3e-8)
    # With ε₀ = 8 there are three clones among 10,000.
    assert amplified(8, 10_000, DELTA) is None


@pytest.mark.parametrize("epsilon0", [0.1, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("n", [2000, 10**5, 10**7])
@pytest.mark.parametrize("delta", [1e-4, 1e-6, 1e-9])
def test_what_is_found_holds_and_is_the_least_that_does(epsilon0: float, n: int, delta: float) -> None:
    found = amplified(epsilon0, n, delta)
    if found is None:
        assert divergence(epsilon0, n, 0.89 * epsilon0, 1e-18) > delta
        return
    assert found <= 0.9 * epsilon0
    assert divergence(epsilon0, n, found, 1e-18) <= delta
    # Where the two batches hardly differ at all, nothing smaller is looked for.
    assert found < 1e-6 * epsilon0 or divergence(epsilon0, n, 0.9999 * found, 1e-18) > delta


def test_more_reports_hide_better_and_more_certainty_costs() -> None:
    by_reports = [amplified(4, n, DELTA) or 4.0 for n in (10**3, 3000, 10**4, 10**5, 10**6, 10**7)]
    assert by_reports == sorted(by_reports, reverse=True)
    assert len(set(by_reports)) == len(by_reports)
    by_epsilon = [amplified(epsilon0, 10**5, DELTA) or 0.0 for epsilon0 in (0.01, 0.1, 1, 2, 4, 6, 8)]
    assert by_epsilon == sorted(by_epsilon)
    by_delta = [amplified(4, 10**5, delta) or 4.0 for delta in (1e-3, 1e-6, 1e-9, 1e-12)]
    assert by_delta == sorted(by_delta)
    divergences = [divergence(4, 10**4, epsilon) for epsilon in np.linspace(0, 4, 50)]
    assert divergences == sorted(divergences, reverse=True)


@pytest.mark.parametrize("reports", [2, 3, 10])
@pytest.mark.parametrize("n", [10**4, 10**5, 10**6])
def test_several_reports_of_one_person(reports: int, n: int) -> None:
    """Each is exchanged by itself, at a δ that adds up with factors e^ε to the one that is asked for."""
    found = composed(2, n, reports, DELTA)
    assert found is not None
    step = found / reports
    steps = sum(math.exp(number * step) for number in range(reports))
    assert divergence(2, n, step, 1e-18) * steps <= DELTA
    assert divergence(2, n, 0.9999 * step, 1e-18) * steps > DELTA
    one, parted = amplified(2, n, DELTA), amplified(2, n // reports, DELTA / reports)
    assert one is not None
    assert reports * one < found < reports * (parted or 2.0)


def test_two_exchanged_reports_against_enumeration() -> None:
    """A mechanism whose batch is known exactly: two of forty bits change, and the bound for both holds."""
    epsilon0, n, delta = 0.5, 40, 0.01
    found = composed(epsilon0, n, 2, delta)
    assert found is not None
    for others_with_1 in (0, 19, 38):
        others = [int(number < others_with_1) for number in range(n - 2)]
        one, other = shuffled_bits(epsilon0, [1, 1, *others]), shuffled_bits(epsilon0, [0, 0, *others])
        for p, q in ((one, other), (other, one)):
            assert float(np.maximum(p - math.exp(found) * q, 0).sum()) <= delta


@pytest.mark.parametrize("epsilon0", [0.01, 4.0])
def test_so_many_reports_take_no_more_work_than_fewer(epsilon0: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a step is that of the numbers of clones it looks at: some root of n, if nothing held it."""
    looked_at: list[int] = []
    step = amplification._divergence

    def counting(*arguments: Any) -> float:
        looked_at.append(len(arguments[2]))
        return step(*arguments)

    monkeypatch.setattr(amplification, "_divergence", counting)
    by_reports = []
    for n in (10**7, 10**9, 10**12):
        composed.cache_clear()
        looked_at.clear()
        found = composed(epsilon0, n, 3, DELTA)
        by_reports.append((found, list(looked_at)))
    assert by_reports == by_reports[:1] * 3
    assert sum(looked_at) < 10**6


@pytest.mark.parametrize("reports", [1, 5])
@pytest.mark.parametrize(("epsilon0", "n"), [(1.0, 10**8), (4.0, 10**9), (8.0, 10**10)])
def test_what_is_said_of_so_many_holds_for_all_of_them(epsilon0: float, n: int, reports: int) -> None:
    """It is the bound for fewer; the divergence of all of them is within it."""
    found = composed(epsilon0, n, reports, DELTA)
    assert found is not None
    assert found == composed(epsilon0, 10**7, reports, DELTA)
    steps = sum(math.exp(number * found / reports) for number in range(reports))
    assert divergence(epsilon0, n, found / reports, 1e-18) * steps <= DELTA


def test_many_reports_of_one_person_hide_badly() -> None:
    assert composed(4, 10**4, 20, DELTA) is None
    hundred_days = composed(4, 10**6, 100, DELTA)
    assert hundred_days is None or hundred_days > 100 * 0.05


@pytest.mark.parametrize(
    ("epsilon0", "n", "reports", "delta"),
    [(0, 10, 1, 0.1), (51, 10, 1, 0.1), (math.nan, 10, 1, 0.1), (1, 0, 1, 0.1), (1, 3, 4, 0.1), (1, 3, 0, 0.1),
     (1, 3, 1, 0), (1, 3, 1, 1), (1, 3, 1, math.nan)],
)  # fmt: skip
def test_refuses_what_is_no_batch(epsilon0: float, n: int, reports: int, delta: float) -> None:
    with pytest.raises(ParameterError):
        composed(epsilon0, n, reports, delta)


@pytest.mark.parametrize("epsilon", [-0.1, 4.1, math.nan])
def test_refuses_an_epsilon_that_is_not_between(epsilon: float) -> None:
    with pytest.raises(ParameterError):
        divergence(4, 100, epsilon)


@pytest.mark.parametrize("p", [1e-6, 0.0193, 0.5, 0.9])
def test_probabilities_of_arrays(p: float) -> None:
    s, n = (
        np.array([0, 0, 1, 3, 15, 16, 17, 500, 1000, 70_000]),
        np.array([0, 5, 1, 5, 20, 16, 40, 1000, 2000, 140_000]),
    )
    expected = binom.logpmf(s, n, p)
    assert log_pmf_of_each(s, n, p) == pytest.approx(expected, rel=1e-9, abs=1e-9)
