"""Comparisons where they have one right answer: what is shown, what is hidden, and what is refused."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import norm

from aggregation.errors import ParameterError
from aggregation.estimation import Differences, Side, adjusted_level, compare, summarize, upper_bound_below_threshold
from aggregation.estimation.difference import estimate_differences, if_equal
from aggregation.mechanisms import Mechanism
from tests.aggregation.helpers import count_mean, fragment_puzzle, hadamard_count_mean

pytestmark = pytest.mark.exact

MECHANISM = count_mean("4", 65536, 1024)
N1, N2 = 50_000, 80_000


def read_out(mechanism: Mechanism, n: int, *counts: float) -> np.ndarray:
    """Return the integers whose estimates are nearest to these counts."""
    zero, one = mechanism.debiased.estimate(np.array([0, 1]), n)
    return np.asarray(np.round((np.array(counts) - zero) / (one - zero)), np.int64)


# Above on both sides alike, on both and different, on the first only, on the second only, on neither.
FIRST = Side(read_out(MECHANISM, N1, 9000, 9000, 3000, 200, 100, *[0] * 95), N1)
SECOND = Side(read_out(MECHANISM, N2, 14400, 9000, 300, 5000, 150, *[0] * 95), N2)


def test_what_is_listed_and_what_is_hidden() -> None:
    found = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05)
    assert found.first.above[:5].tolist() == [True, True, True, False, False]
    assert found.second.above[:5].tolist() == [True, True, False, True, False]
    assert found.listed[:5].tolist() == [True, True, True, True, False]
    assert found.listed.sum() == 4
    assert np.isnan(found.difference).tolist() == [False, False, *[True] * 98]
    assert found.difference[:2] == pytest.approx([0, 9000 / N1 - 9000 / N2], abs=1e-4)
    assert np.isnan(found.lower).tolist() == np.isnan(found.upper).tolist() == (~found.listed).tolist()
    assert found.significant[:5].tolist() == [False, True, True, True, False]
    assert found.direction[:5].tolist() == [0, 1, 1, -1, 0]
    assert not found.significant[5:].any()


def test_each_side_is_summarised_as_by_itself() -> None:
    found = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05, confidence=0.9)
    for side, own, threshold, bound in (
        (FIRST, found.first, found.threshold_first, found.bound_first),
        (SECOND, found.second, found.threshold_second, found.bound_second),
    ):
        alone = summarize(MECHANISM.debiased, side.read_out, side.n, 0.05, 0.9)
        for field in dataclasses.fields(alone):
            assert np.array_equal(getattr(own, field.name), getattr(alone, field.name)), field.name
        assert threshold == alone.threshold / side.n
        most = upper_bound_below_threshold(MECHANISM.debiased, alone.threshold, side.n, alone.f2, 0.9)
        assert bound == pytest.approx(most / side.n)
        assert bound > threshold


def test_intervals_are_those_of_the_difference_at_the_adjusted_level() -> None:
    found = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05, confidence=0.9)
    assert found.level == adjusted_level(0.9, 4, 100)
    half = norm.isf((1 - found.level) / 2) * found.standard_error[:2]
    assert found.upper[:2] == pytest.approx(found.difference[:2] + half)
    assert found.lower[:2] == pytest.approx(found.difference[:2] - half)


def test_errors_of_a_difference_allow_for_who_reported() -> None:
    s = 20_000
    shared = Side(read_out(MECHANISM, s, 3600, 3600, *[0] * 98), s)
    for common, parts in (
        (None, ((N1, 1 / N1), (N2, 1 / N2))),
        (shared, ((N1 - s, 1 / N1), (N2 - s, 1 / N2), (s, 1 / N1 - 1 / N2))),
    ):
        found = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05, shared=common)
        noise = sum(MECHANISM.debiased.variance(np.array([0.18 * n]), n, 0.0)[0] * weight**2 for n, weight in parts)
        drawn = sum(0.18 * 0.82 * n * weight**2 for n, weight in parts)
        assert found.standard_error[0] ** 2 == pytest.approx(noise + drawn, rel=0.01)
        assert drawn > 0.3 * noise


def test_bounds_are_of_what_is_published() -> None:
    found = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05)
    assert not found.second.above[2]
    assert found.lower[2] < 3000 / N1 - found.threshold_second
    assert found.upper[2] > 3000 / N1
    assert found.upper[3] - found.lower[3] > found.threshold_first
    assert found.upper[3] < 0, "5000 of 80,000 cannot be less than what is below T of 50,000"
    # As wide as they are by hand, who reported included.
    error = 1 - found.level
    own = MECHANISM.debiased.variance(np.array([3000.0]), N1, found.first.f2)[0] + 3000 * (1 - 3000 / N1)
    assert found.upper[2] == pytest.approx(0.06 + norm.isf(error / 2) * np.sqrt(own) / N1, abs=1e-5)
    known = MECHANISM.debiased, found.second.threshold, N2, found.second.f2, 1 - error / 4
    most = upper_bound_below_threshold(*known, drawn=True) / N2
    assert most > upper_bound_below_threshold(*known) / N2
    assert found.lower[2] == pytest.approx(0.06 - norm.isf(error / 4) * np.sqrt(own) / N1 - most, abs=1e-5)


def shown(found: Differences) -> list[str]:
    """All that is said of those listed, to ten digits: F2 is a sum, whose last ones depend on its order."""
    both = found.first.above & found.second.above
    values = found.difference, np.where(both, found.standard_error, 0), found.lower, found.upper, found.direction
    bounds = found.bound_first, found.bound_second
    return [f"{value:.10g}" for each in values for value in each[found.listed].tolist()] + [f"{x:.10g}" for x in bounds]


@pytest.mark.parametrize("s", [0, 20_000])
def test_a_hidden_value_changes_nothing(s: int) -> None:
    """Between what looks alike, clearly less and clearly more; others change with it, so that F2 stays what it is.

    The one at stake is just above T on the first side, where a test of both estimates would tell them apart.
    """
    threshold = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05).first.threshold
    shared = Side(read_out(MECHANISM, s, s / 10, s / 10, *[0] * 98), s) if s else None
    values = (-700, 100, 350)
    said = []
    for turned in range(3):
        hidden = [values[(place + turned) % 3] for place in range(3)]
        first = Side(read_out(MECHANISM, N1, 9000, 9000, 1.4 * threshold, 200, 100, *[0] * 95), N1)
        second = Side(read_out(MECHANISM, N2, 14400, 9000, hidden[0], 5000, *hidden[1:], *[0] * 94), N2)
        found = compare(MECHANISM.debiased, first, second, alpha=0.05, shared=shared)
        assert found.listed[:6].tolist() == [True, True, True, True, False, False]
        assert not found.second.above[2]
        said.append(shown(found))
    assert said[0] == said[1] == said[2]


def test_the_other_way_round_everything_is_negated() -> None:
    here = compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05)
    there = compare(MECHANISM.debiased, SECOND, FIRST, alpha=0.05)
    assert there.lower == pytest.approx(-here.upper, nan_ok=True)
    assert there.upper == pytest.approx(-here.lower, nan_ok=True)
    assert there.direction.tolist() == (-here.direction).tolist()
    assert there.significant.tolist() == here.significant.tolist()


def test_a_window_compared_with_itself_differs_in_nothing() -> None:
    found = compare(MECHANISM.debiased, FIRST, FIRST, alpha=0.05, shared=FIRST)
    assert found.standard_error.max() == 0
    assert found.difference[:3].tolist() == [0, 0, 0]
    assert not found.significant.any()


def test_nothing_shared_is_as_if_it_was_left_out() -> None:
    nothing = Side(np.zeros(100, np.int64), 0)
    here, there = (compare(MECHANISM.debiased, FIRST, SECOND, alpha=0.05, shared=shared) for shared in (None, nothing))
    assert here.standard_error == pytest.approx(there.standard_error)


def test_words_have_f2_and_a_size_of_their_own() -> None:
    """Only words that were found are read out; others collide too, and T was over all candidates."""
    words = fragment_puzzle("4", "4", (16, 64), (16, 64))
    n, some = 40_000, read_out(words, 40_000, 9000, 8000, 200)
    sides = Side(some, n), Side(some + 40, n)
    plain = compare(words.debiased, *sides, alpha=0.05)
    more = compare(words.debiased, *(dataclasses.replace(side, f2=6e8, size=70) for side in sides), alpha=0.05)
    assert plain.first.threshold == words.debiased.threshold(n, 0.05 / 3, plain.first.f2)
    assert more.first.f2 == 6e8
    assert more.first.threshold == words.debiased.threshold(n, 0.05 / 70, 6e8)
    assert more.level == adjusted_level(0.95, int(more.listed.sum()), 140)
    assert (more.standard_error > plain.standard_error).all()
    unseen = 2 * (6e8 - plain.first.f2) / n**2 / (16 * 63)
    assert more.standard_error[0] ** 2 == pytest.approx(plain.standard_error[0] ** 2 + unseen, rel=0.01)


def test_no_elements() -> None:
    nothing = np.empty(0, np.int64)
    found = compare(MECHANISM.debiased, Side(nothing, 5), Side(nothing, 7, 7.0, 3), alpha=0.05)
    assert found.listed.shape == found.lower.shape == found.direction.shape == (0,)
    assert found.listed.sum() == 0


@pytest.mark.parametrize("n", [1, 30, 1000])
def test_few_reports(n: int) -> None:
    found = compare(MECHANISM.debiased, Side(np.arange(n + 1), n), Side(np.arange(n + 1)[::-1], n), alpha=0.05)
    assert np.isfinite(found.standard_error).all()
    assert found.bound_first <= 1


def test_what_cannot_be_compared_is_refused() -> None:
    short = Side(FIRST.read_out[:5], N1)
    for first, second, shared, words in (
        (Side(FIRST.read_out, 0), SECOND, None, "no share of 0 reports"),
        (FIRST, short, None, "same elements"),
        (FIRST, SECOND, short, "same elements"),
        (FIRST, SECOND, Side(FIRST.read_out, N1 + 1), "cannot be shared"),
        (FIRST, SECOND, Side(FIRST.read_out, -1), "cannot be shared"),
    ):
        with pytest.raises(ParameterError, match=words):
            compare(MECHANISM.debiased, first, second, alpha=0.05, shared=shared)
        with pytest.raises(ParameterError, match=words):
            estimate_differences(MECHANISM.debiased, first, second, shared)
    for alpha, confidence, fdr in ((0.0, 0.95, 0.05), (0.05, 1.0, 0.05), (0.05, 0.95, 1.0)):
        with pytest.raises(ParameterError, match="above 0 and below 1"):
            compare(MECHANISM.debiased, FIRST, SECOND, alpha=alpha, confidence=confidence, fdr=fdr)


def test_equal_shares_have_the_variance_of_both_sides_together() -> None:
    """Noise raised on one side must not count as more exact for it."""
    mechanism = hadamard_count_mean("4", 64, 64)
    sides = [Side(read_out(mechanism, n, count, 0), n) for n, count in ((10_000, 4000), (30_000, 3000))]
    found = estimate_differences(mechanism.debiased, sides[0], sides[1])
    equal = if_equal(mechanism.debiased, found, sides[0], sides[1])
    shares = np.array([7000 / 40_000, 0])

    def of_drawn(share: np.ndarray, n: int, f2: float = 0.0) -> np.ndarray:
        return np.asarray(mechanism.debiased.variance(share * n, n, f2) + n * share * (1 - share))

    for variance, n, f2 in (
        (equal.first_variance, 10_000, found.f2_first),
        (equal.second_variance, 30_000, found.f2_second),
    ):
        assert variance == pytest.approx(of_drawn(shares, n, f2) / n**2, rel=1e-3)
    alone = sum(of_drawn(shares, n) / n**2 for n in (10_000, 30_000))
    assert equal.variance == pytest.approx(alone + found.squares / (64 * 63), rel=1e-3)
    # A third of the reports shared, of which each counts the less.
    shared = Side(sides[0].read_out, 10_000)
    third = if_equal(mechanism.debiased, found, sides[0], sides[1], shared)
    weighted = of_drawn(shares, 20_000) / 30_000**2 + of_drawn(shares, 10_000) * (1 / 10_000 - 1 / 30_000) ** 2
    assert third.variance == pytest.approx(weighted + found.squares / (64 * 63), rel=1e-3)
