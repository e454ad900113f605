"""Summaries of candidates: exactly as many as there are, and F2 over all words."""

import numpy as np
import pytest

from aggregation.discovery import Cut, most_f2, summarize_words
from aggregation.errors import ParameterError
from aggregation.estimation import plug_in_f2, summarize
from tests.aggregation.discovery.helpers import puzzle

pytestmark = pytest.mark.exact

MECHANISM = puzzle(("4", 4, 64), ("6", 8, 16), 4)
N = 10_000


def cut(reports: list[int], f2: list[float]) -> Cut:
    size = len(reports)
    empty = [np.empty(0, np.int64)] * size
    return Cut(
        empty,
        [own.astype(np.float64) for own in empty],
        np.array(reports),
        np.ones(size),
        np.array(f2),
        np.zeros(size, np.bool_),
    )


NONE_TWICE = cut([5000, 5000], [5000.0, 5000.0])


@pytest.mark.parametrize("size", [1, 2, 40])
def test_the_threshold_is_for_exactly_the_candidates(size: int) -> None:
    read_out = np.full(size, 1300)
    read_out[0] = 2400
    summary = summarize_words(MECHANISM, read_out, N, 0.05, NONE_TWICE)
    estimate = MECHANISM.words.debiased.estimate(read_out, N)
    f2 = plug_in_f2(MECHANISM.words.debiased, estimate, N)
    assert summary.f2 == f2 > N
    assert summary.threshold == MECHANISM.words.debiased.threshold(N, 0.05 / size, f2)
    assert summary.estimate.tolist() == estimate.tolist()
    assert summary.above.tolist() == [True] + [False] * (size - 1)
    plain = summarize(MECHANISM.words.debiased, read_out, N, 0.05)
    assert summary.adjusted_lower.tolist() == plain.adjusted_lower.tolist()


@pytest.mark.parametrize("n", [0, 1, N])
def test_no_candidate_counts_as_one(n: int) -> None:
    summary = summarize_words(MECHANISM, np.empty(0, np.int64), n, 0.05, cut([n // 2, n // 2], [n / 2, n / 2]))
    assert summary.estimate.shape == summary.above.shape == summary.adjusted_upper.shape == (0,)
    assert summary.threshold == MECHANISM.words.debiased.threshold(n, 0.05, float(n))


def test_words_that_are_no_candidates_widen_errors_and_threshold() -> None:
    read_out = np.array([2400, 1300, 1300])
    candidates = summarize_words(MECHANISM, read_out, N, 0.05, NONE_TWICE)
    everything = summarize_words(MECHANISM, read_out, N, 0.05, cut([5000, 5000], [2e6, 3e6]))
    assert candidates.f2 < everything.f2 == most_f2(cut([5000, 5000], [2e6, 3e6]), N)
    assert everything.threshold == MECHANISM.words.debiased.threshold(N, 0.05 / 3, everything.f2) > candidates.threshold
    assert (everything.standard_error > candidates.standard_error).all()
    assert everything.estimate.tolist() == candidates.estimate.tolist()


def test_pairs_of_equal_reports_are_scaled_to_all_reports() -> None:
    """10 reports with 20 ordered pairs of equals among 90; 20 reports with 19 of 380."""
    assert most_f2(cut([10], [30.0]), 100) == pytest.approx(100 + 20 / 90 * 9900)
    assert most_f2(cut([10, 20], [30.0, 39.0]), 100) == pytest.approx(100 + (20 / 90 + 19 / 380) / 2 * 9900)
    assert most_f2(cut([10, 1, 0], [30.0, 1.0, 0.0]), 100) == pytest.approx(100 + 20 / 90 * 9900)
    assert most_f2(cut([1, 0], [1.0, 0.0]), 1) == 1
    assert most_f2(cut([5], [25.0]), 5) == 25
    assert most_f2(cut([0, 0], [0.0, 0.0]), 0) == 0


def test_rates_that_are_none_are_refused() -> None:
    with pytest.raises(ParameterError, match="false_positive_rate"):
        summarize_words(MECHANISM, np.array([5]), N, 0.0, NONE_TWICE)
    with pytest.raises(ParameterError, match="confidence"):
        summarize_words(MECHANISM, np.array([5]), N, 0.05, NONE_TWICE, 1.0)
