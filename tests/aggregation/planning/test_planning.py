"""Expectations of reports that are not collected yet, against simulation and published figures."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from aggregation import discovery
from aggregation.discovery import Cut, detection_probability
from aggregation.errors import ParameterError
from aggregation.estimation import detection_power, summarize
from aggregation.planning import (
    Prospect,
    detection_limit,
    suggest_num_buckets,
    suggest_num_hashes,
    zipf_frequencies,
)
from tests.aggregation.helpers import (
    Z_MILLIONTH,
    count_mean,
    fragment_puzzle,
    hadamard_count_mean,
    read_out_of,
    zipf_counts,
)

exact = pytest.mark.exact
COUNTING = pytest.mark.parametrize(
    "mechanism", [count_mean("4", 1024, 256), hadamard_count_mean("4", 64, 256)], ids="ch"
)


@exact
@pytest.mark.parametrize("size", [1, 2, 2047, 2048, 2049, 60_000])
@pytest.mark.parametrize("exponent", [0, 0.7, 1, 2])
def test_grouped_ranks_are_the_same_law(size: int, exponent: float) -> None:
    weights, found = np.arange(1, size + 1) ** -float(exponent), zipf_frequencies(size, exponent)
    shares = weights / weights.sum()
    assert found.numbers.sum() == size
    assert found.shares @ found.numbers == pytest.approx(1)
    assert found.sum_of_squares == pytest.approx(float(shares @ shares), rel=1e-5)
    assert found.shares == pytest.approx(shares[np.cumsum(found.numbers) - 1], rel=0.003)
    assert len(found.shares) < 6000


@exact
def test_laws_that_are_none_are_refused() -> None:
    for size, exponent in ((0, 1.0), (5, -0.1), (5, math.nan), (5, math.inf)):
        with pytest.raises(ParameterError, match=r"at least one element|exponent"):
            zipf_frequencies(size, exponent)


@exact
@COUNTING
def test_limits_are_where_the_curve_says(mechanism: object) -> None:
    n, size, alpha, f2 = 100_000, 2600, 0.05, 3e8
    limit = detection_limit(mechanism, n, size, alpha, f2)  # type: ignore[arg-type]
    threshold = mechanism.debiased.threshold(n, alpha / size, f2)  # type: ignore[attr-defined]
    assert limit.half == pytest.approx(threshold / n, rel=1e-6)
    spread = math.sqrt(mechanism.debiased.variance(np.array([limit.likely * n]), n, f2)[0])  # type: ignore[attr-defined]
    assert norm.cdf((limit.likely * n - threshold) / spread) == pytest.approx(0.9, abs=1e-5)


@exact
def test_probabilities_are_those_of_the_normal_distribution() -> None:
    mechanism, n = count_mean("4", 1024, 256), 10_000
    counts = np.linspace(0, 3000, 500)
    spread = np.sqrt(mechanism.debiased.variance(counts, n, 1e7) + 25)
    assert detection_power(mechanism.debiased, counts, n, 1e7, 900.0, 25.0) == pytest.approx(
        norm.cdf((counts - 900) / spread), abs=1e-6
    )


@exact
def test_the_stated_figures() -> None:
    """At ε = 4, n = 10⁶ and a Zipf dictionary of emoji about 72 of 2,600 pass; words at ε = 2 are found at 0.43 %."""
    emoji = Prospect(count_mean("4", 65536, 1024), 10**6, 2600, 1, 0.05).expect()
    assert round(emoji.visible) == 72
    assert emoji.candidates == 2600
    assert emoji.standard_error == pytest.approx(math.sqrt(0.1836e-6), rel=0.03)
    words = fragment_puzzle("2", "6", (2048, 1024), (2048, 1024), 10)
    assert detection_limit(words, 10**6, 50, 0.05).likely == pytest.approx(0.0043, rel=0.05)


@exact
def test_words_are_planned_as_they_are_found() -> None:
    """The curve is the one of `aggregation.discovery`, which is given the cut and the thresholds of a run."""
    words, n, f2, letters = fragment_puzzle("2", "4", (256, 256), (256, 256), 6), 90_000, 4e8, 27
    limit = detection_limit(words, n, 40, 0.05, f2, letters)
    own, own_f2 = n // 3, f2 / 9
    cut = words.fragments.debiased.threshold(own, discovery.FALSE_FRAGMENTS / (256 * (27**2 + 28)), own_f2)
    nothing: list[np.ndarray] = []
    reports, thresholds, squares = (np.array([value] * 3) for value in (own, cut, own_f2))
    three = Cut(nothing, nothing, reports, thresholds, squares, np.zeros(3, bool))
    threshold = words.debiased.threshold(n, 0.05 / 40, f2)
    for share, probability in ((limit.half, 0.5), (limit.likely, 0.9)):
        assert detection_probability(words, share, n, f2, threshold, three) == pytest.approx(probability, abs=1e-4)


@exact
def test_what_cannot_be_planned_is_refused() -> None:
    mechanism = count_mean("4", 1024, 256)
    for n, size, alpha in ((0, 10, 0.05), (10, 0, 0.05), (10, 10, 0.0), (10, 10, 1.0)):
        with pytest.raises(ParameterError, match=r"nothing to see|at least one element|alpha"):
            detection_limit(mechanism, n, size, alpha)
        with pytest.raises(ParameterError, match=r"nothing to see|at least one element|alpha"):
            Prospect(mechanism, n, size, 1, alpha)
    assert detection_limit(mechanism, 3, 2600, 0.05).likely == 1, "however frequent"


@exact
@pytest.mark.parametrize("algorithm", ["CountMeanSketch", "HadamardCountMeanSketch"])
def test_suggested_sizes_keep_collisions_within_their_part_and_half_of_them_would_not(algorithm: str) -> None:
    make = count_mean if algorithm == "CountMeanSketch" else hadamard_count_mean
    squares = zipf_frequencies(2600, 1).sum_of_squares
    for epsilon in (1, 4, 8):
        for excess in (0.05, 0.01):
            m = suggest_num_buckets(algorithm, epsilon, excess)
            errors = {b: _error(make(str(epsilon), 256, b), 10**6, 10**6) for b in (m // 2, m, 2**20)}
            assert errors[m] <= (1 + excess) * errors[2**20]
            assert m == 32 or errors[m // 2] > (1 + excess) * errors[2**20]
            for n in (10**4, 10**6):
                k = suggest_num_hashes(algorithm, epsilon, m, n, squares, excess)
                apart = n * _error(make(str(epsilon), 2**16, m), n, n)
                assert (
                    k == 2**16 or n * _error(make(str(epsilon), k, m), n, squares * n**2) <= (1 + excess) * 1.01 * apart
                )
                half = n * _error(make(str(epsilon), k // 2, m), n, squares * n**2)
                assert k == 64 or half > (1 + excess) * 0.99 * apart
    assert suggest_num_hashes(algorithm, 4, 2**20, 10**9, squares) == 2**8, "cells have an end"


def _error(mechanism: object, n: int, f2: float) -> float:
    return math.sqrt(mechanism.debiased.variance(np.zeros(1), n, float(f2))[0]) / n  # type: ignore[attr-defined]


@exact
def test_sizes_for_nothing_are_refused() -> None:
    for excess in (0.0, -1.0, math.nan):
        with pytest.raises(ParameterError, match="excess"):
            suggest_num_buckets("CountMeanSketch", 4, excess)
        with pytest.raises(ParameterError, match="excess"):
            suggest_num_hashes("CountMeanSketch", 4, 64, 100, 0.1, excess)
    with pytest.raises(ParameterError, match="epsilon"):
        suggest_num_buckets("CountMeanSketch", 17)
    with pytest.raises(ParameterError, match="no algorithm"):
        suggest_num_hashes("Sketch", 4, 64, 100, 0.1)


@pytest.mark.statistical
@pytest.mark.parametrize("make", [count_mean, hadamard_count_mean])
def test_as_many_are_seen_as_expected(make: object) -> None:
    """Fleets over new hash families. False alarm: 1e-6, from the spread of the numbers seen, plus 0.3 for rounding."""
    n, size, repetitions, rng = 20_000, 400, 40, np.random.default_rng(4)
    truth, elements = zipf_counts(n, size), [f"e{i}" for i in range(size)]
    index, seen = np.repeat(np.arange(size), truth), []
    for _ in range(repetitions):
        own = make("4", 256, 128, seed=int(rng.integers(2**62)))  # type: ignore[operator]
        read_out = read_out_of(own, elements, index, rng)
        seen.append(int(summarize(own.debiased, read_out, n, 0.05).above.sum()))
    expected = Prospect(make("4", 256, 128), n, size, 1, 0.05).expect().visible  # type: ignore[operator]
    spread = Z_MILLIONTH * np.std(seen, ddof=1) / math.sqrt(repetitions)
    assert spread < 0.3 * expected
    assert abs(np.mean(seen) - expected) < spread + 0.3
