"""Comparing windows that different versions counted: independent errors, which add; and what cannot be compared."""

from typing import Any

import numpy as np
import pytest

from aggregation.estimation import Side, compare
from aggregation.estimation.sampling import sampling_variance
from reports.models import Histogram, Period
from reports.publication import count_window, window_of
from reports.results import State
from reports.results.comparison import comparison_table
from tests.reports.changed_version import LOCAL_HASHING, changed
from tests.reports.comparing import comparison, send_shares
from tests.reports.found_words import define_search, find
from tests.reports.results.comparison.seen import by_element, days_of
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def windows(first: tuple[int, int], second: tuple[int, int], **more: str) -> Any:
    """Compare windows given in days ago."""
    days = [days_ago(back).isoformat() for back in (*first, *second)]
    names = ("from_", "to", "other_from", "other_to")
    return comparison(locale="en_US", other_locale="en_US", **dict(zip(names, days, strict=True)), **more)


def test_the_variance_of_a_difference_between_versions_is_the_sum_of_both() -> None:
    older = define(minimum_reports=100)
    send_shares(older, 2000, day=days_ago(2))
    newer = define(**LOCAL_HASHING)
    send_shares(newer, 3000, day=days_ago(1), seed=1)
    aggregate(older), aggregate(newer)
    view = windows((1, 1), (2, 2))
    assert (view.state, view.spans_versions) == (State.SHOWN, True)
    assert [side.version.number for side in view.sides] == [2, 1]
    apple = by_element(view)["apple"]
    shares, variance = [], 0.0
    for version, back in ((newer, 1), (older, 2)):
        histogram = Histogram.objects.get(version=version, first_day=days_ago(back), grouping="")
        entry, n = histogram.entries.find("apple"), histogram.n
        assert entry is not None
        shares.append(entry.estimate / n)
        variance += (entry.standard_error**2 + float(sampling_variance(np.array([entry.estimate]), n)[0])) / n**2
    assert apple.difference == pytest.approx(shares[0] - shares[1])
    sides = []
    for version, back in ((newer, 1), (older, 2)):
        window, revision = window_of(version, "en_US", days_ago(back), days_ago(back)), version.current_dictionary()
        assert window is not None
        assert revision is not None
        sides.append(Side(count_window(window, revision).counts, window.n, estimator=version.mechanism.debiased))
    found = compare(newer.mechanism.debiased, *sides, alpha=older.use_case.false_positive_rate)
    assert found.standard_error[0] == pytest.approx(variance**0.5)
    assert (apple.lower, apple.upper) == pytest.approx((found.lower[0], found.upper[0]))


def test_a_side_that_only_another_version_counted_is_taken_from_it() -> None:
    changed()
    view = windows((2, 1), (6, 5))
    assert [(side.version.number, side.histogram.n) for side in view.sides] == [(2, 40_000), (1, 20_000)]
    # A day of both is that of the version looked at.
    assert [side.version.number for side in windows((1, 1), (3, 3)).sides] == [2, 2]
    swapped = windows((6, 5), (2, 1))
    assert [side.version.number for side in swapped.sides] == [1, 2]
    first, second = by_element(view)["apple"], by_element(swapped)["apple"]
    assert (first.difference, first.lower, first.upper) == pytest.approx(
        (-second.difference, -second.upper, -second.lower)
    )


def test_the_newest_is_compared_with_the_days_before_although_another_version_counted_them() -> None:
    older = define(locales=["en_US"])
    publish_day(older, 2, {"apple": 5000})
    newer = define(locales=["en_US"], **LOCAL_HASHING)
    publish_day(newer, 1, {"apple": 5000})
    view = comparison()
    assert (days_of(view), [side.version.number for side in view.sides]) == ([(1, 1), (2, 2)], [2, 1])


def test_two_windows_of_another_version_are_compared_as_if_it_had_been_asked_for() -> None:
    changed()
    view = windows((5, 5), (6, 6))
    assert (view.version.number, view.query.version, view.spans_versions) == (1, 1, False)
    assert view.document() == windows((5, 5), (6, 6), version="1").document()


def test_elements_of_one_dictionary_alone_are_in_no_row() -> None:
    older = define(dictionary=["fig", "apple", "cherry"])
    publish_day(older, 2, {"fig": 4000, "apple": 5000})
    newer = define(**LOCAL_HASHING, dictionary=["apple", "kiwi", "cherry"])
    publish_day(newer, 1, {"kiwi": 4000, "apple": 2000})
    for view in (windows((1, 1), (2, 2)), windows((2, 2), (1, 1))):
        (apple,) = view.rows
        assert sorted([apple.first.value, apple.second.value]) == pytest.approx([0.2, 0.5], abs=1e-3)
        assert [(each.element, each.since) for each in view.not_counted] == [("kiwi", days_ago(1))]


def test_days_left_out_tell_apart_what_another_version_counted() -> None:
    changed()
    view = windows((8, 1), (6, 4))
    first = view.sides[0]
    assert (first.version.number, first.left_out) == (2, ((days_ago(8), days_ago(7)),))
    assert [(each.version.number, each.days) for each in first.elsewhere] == [(1, ((days_ago(6), days_ago(3)),))]


def test_what_is_not_released_takes_no_part() -> None:
    changed()
    Period.objects.filter(version__number=1).update(n=99)
    view = windows((2, 1), (6, 5))
    assert (view.state, view.sides[1].elsewhere) == (State.NOT_YET, ())


def test_words_found_are_not_compared_with_elements_counted() -> None:
    before = define_search(slug="fruits", title="Fruits")
    find(before, ["yeet"])
    Period.objects.create(
        version=before,
        locale="en_US",
        first_day=days_ago(4),
        last_day=days_ago(4),
        n=10_000,
        closed_at=before.created_at,
    )
    newer = define(**LOCAL_HASHING)
    publish_day(newer, 1, {"apple": 5000})
    view = windows((1, 1), (4, 4))
    assert (view.state, view.sides[1].state) == (State.OTHER_VERSION, State.OTHER_VERSION)
    assert [each.version.number for each in view.sides[1].elsewhere] == [1]
    assert view.document() is None


def test_lists_of_words_of_two_versions_are_compared() -> None:
    words = {"lol": 0.6, "able": 0.4}
    older = define_words(alphabet="abeilost")
    send_words(older, 600, words=words, day=days_ago(2))
    aggregate(older, days_ago(2), days_ago(2))
    newer = define_words(alphabet="abeilost", parameters={**older.parameters, "seed": "2d" * 16})
    send_words(newer, 900, words=words, day=days_ago(1), seed=1)
    aggregate(newer, days_ago(1), days_ago(1))
    view = comparison("words", locale="en_US", other_locale="en_US")
    assert (view.state, [side.version.number for side in view.sides]) == (State.SHOWN, [2, 1])
    assert {row.display for row in view.rows} == {"lol", "able"}
    for row in view.rows:
        assert row.first.value == pytest.approx(words[row.display], abs=0.1)
        assert row.difference == pytest.approx(row.first.value - row.second.value)


def test_a_document_names_the_version_of_either_side() -> None:
    changed()
    found = windows((2, 1), (6, 5)).document()
    sides = [(found[side]["version"], found[side]["algorithm"]) for side in ("first", "second")]
    assert sides == [(2, "LocalHashing"), (1, "CountMeanSketch")]
    assert [each["version"] for each in found["other_versions"]] == [1]
    columns = comparison_table(found).columns
    assert {"first_version", "second_version", "first_algorithm", "second_algorithm"} <= {*columns}
