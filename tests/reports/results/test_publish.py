"""What may be published: enough reports, and no way to subtract down to a few."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.models import Histogram
from reports.results import publish_window
from reports.results.subtraction import single_out_together, singles_out
from tests.reports.small_fleet import aggregate, days_ago, define, estimates, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_window_of_small_days_is_published_when_together_they_are_enough() -> None:
    version = define(minimum_reports=100)
    send(version, 60, day=days_ago(2))
    send(version, 60, day=days_ago(1))
    aggregate(version)
    assert [(h.first_day, h.last_day, h.n) for h in Histogram.objects.all()] == [(days_ago(2), days_ago(1), 120)]


def test_a_window_is_replaced_only_when_as_many_reports_as_the_minimum_came_in_addition() -> None:
    version = define(minimum_reports=100)
    send(version, 120, day=days_ago(3))
    aggregate(version)
    send(version, 99, day=days_ago(2))
    aggregate(version)
    assert [h.n for h in Histogram.objects.all()] == [120]
    send(version, 1, day=days_ago(1))
    aggregate(version)
    assert sorted(h.n for h in Histogram.objects.all()) == [120, 220]


def test_a_late_day_inside_a_published_window_counts_as_an_addition() -> None:
    version = define(minimum_reports=100)
    for day in (3, 1):
        send(version, 120, day=days_ago(day))
    aggregate(version)
    send(version, 50, day=days_ago(2))
    aggregate(version)
    whole = Histogram.objects.get(first_day=days_ago(3), last_day=days_ago(1), replaced=False)
    assert whole.n == 240
    # The day alone, and the windows that end or begin with it, would give it away as well.
    late = version.sealings.get(day=days_ago(2))
    assert not Histogram.objects.filter(sealings__contains=[late.pk]).exists()
    assert publish_window(version, "en_US", days_ago(3), days_ago(2)) is None


def test_what_was_once_published_is_remembered() -> None:
    """Replaced by a histogram of more days, the old one could still be in somebody's hands."""
    version = define(minimum_reports=100)
    send(version, 150, day=days_ago(5))
    aggregate(version)
    send(version, 150, day=days_ago(4))
    aggregate(version)
    send(version, 50, day=days_ago(3))
    aggregate(version)
    assert publish_window(version, "en_US", days_ago(4), days_ago(3)) is None
    send(version, 50, day=days_ago(2))
    aggregate(version)
    window = publish_window(version, "en_US", days_ago(4), days_ago(2))
    assert window is not None
    assert window.n == 250


def test_locales_are_judged_apart() -> None:
    version = define(minimum_reports=100)
    send(version, 150, locale="en_US")
    send(version, 50, locale="fr_FR")
    aggregate(version)
    assert [h.locale for h in Histogram.objects.all()] == ["en_US"]


def test_a_sum_of_days_is_the_histogram_of_their_union() -> None:
    version = define()
    for day in (3, 2, 1):
        send(version, 400, day=days_ago(day), seed=day)
    aggregate(version)
    window = publish_window(version, "en_US", days_ago(2), days_ago(1))
    assert window is not None
    days = [Histogram.objects.get(first_day=days_ago(day), last_day=days_ago(day)) for day in (2, 1)]
    # Estimates are linear in the read-outs and n, so those of the window are the sums: up to rounding.
    apple = sum(estimates(day)["apple"] for day in days)
    assert estimates(window)["apple"] == pytest.approx(apple, rel=1e-12)


def isolated(windows: list[frozenset[int]], reports: dict[int, int], minimum: int) -> set[frozenset[int]]:
    """The small sets of sealings that some combination of the windows' sums tells apart, by linear algebra.

    A combination with coefficients c weighs sealing s by (Wᵀc)_s. Those with different weights are told apart, and
    random coefficients tell apart whatever any coefficients can (up to a chance of zero, and rounding).
    """
    if not windows:
        return set()
    matrix = np.array([[sealing in window for sealing in reports] for window in windows], dtype=float)
    # By the content of the window, so that one that is there twice changes nothing.
    coefficients = [np.random.default_rng(sum(2**sealing for sealing in window)).normal() for window in windows]
    weights = dict(zip(reports, np.round(coefficients @ matrix, 9).tolist(), strict=True))
    classes = [
        frozenset(sealing for sealing in reports if weights[sealing] == weight and reports[sealing])
        for weight in set(weights.values()) - {0.0}
    ]
    return {members for members in classes if 0 < sum(reports[sealing] for sealing in members) < minimum}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=5),
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.lists(st.integers(0, 20), min_size=5, max_size=5),
)
def test_singles_out_agrees_with_linear_algebra(
    ends: list[tuple[int, int]], new: tuple[int, int], counts: list[int]
) -> None:
    windows = list({frozenset(range(min(pair), max(pair) + 1)) for pair in ends})
    window = frozenset(range(min(new), max(new) + 1))
    reports = dict(enumerate(counts))
    before = isolated(windows, reports, 10)
    after = isolated(list({*windows, window}), reports, 10)
    assert singles_out(windows, window, reports, 10) == bool(after - before)


@given(
    st.lists(st.frozensets(st.integers(0, 6)), max_size=5),
    st.lists(st.frozensets(st.integers(0, 6)), max_size=4),
    st.lists(st.integers(0, 20), min_size=7, max_size=7),
)
def test_windows_single_out_together_what_they_would_one_after_the_other(
    published: list[frozenset[int]], windows: list[frozenset[int]], counts: list[int]
) -> None:
    reports = dict(enumerate(counts))
    known = [published + windows[:place] for place in range(len(windows))]
    one_by_one = [singles_out(before, window, reports, 10) for before, window in zip(known, windows, strict=True)]
    assert single_out_together(published, windows, reports, 10) == any(one_by_one)


def test_three_windows_that_pass_in_pairs_can_single_out_a_day_together() -> None:
    reports = {0: 100, 1: 5, 2: 100}
    windows = [frozenset({0, 1, 2}), frozenset({0}), frozenset({2})]
    for first, second in itertools.permutations(windows, 2):
        assert not singles_out([first], second, reports, 50)
    assert singles_out(windows[:2], windows[2], reports, 50)


def test_a_minimum_that_was_raised_does_not_count_against_what_is_out_already() -> None:
    reports = {0: 100, 1: 100, 2: 500}
    days = [frozenset({0}), frozenset({1})]
    assert not singles_out(days, frozenset({2}), reports, 300)
    assert not singles_out(days, frozenset({0, 1, 2}), reports, 300)
    assert singles_out([frozenset({0, 1})], frozenset({0}), reports, 150)


def test_today_grows_and_is_replaced_when_enough_has_come() -> None:
    version = define(minimum_reports=100)
    shown = []
    for reports in (120, 60, 60):
        send(version, reports)
        aggregate(version)
        shown.append(Histogram.objects.get(replaced=False).n)
    assert shown == [120, 120, 240]
    assert version.sealings.filter(day=days_ago(0)).count() == 3
