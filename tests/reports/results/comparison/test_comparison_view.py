"""The rows of a comparison, in order and computed once, or why there are none."""

from typing import Any

import pytest

from aggregation.estimation import compare
from reports.models import UseCase, Version
from reports.results import State
from reports.results.comparison import counting_comparison
from reports.results.comparison.comparison_rows import Verdict
from tests.reports.comparing import EATEN, comparison, send_shares
from tests.reports.results.comparison.seen import by_element
from tests.reports.small_fleet import aggregate, days_ago, define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_clear_differences_are_said_in_words(both: Version) -> None:
    view = comparison()
    verdicts = {element: row.verdict for element, row in by_element(view).items()}
    assert verdicts == {
        "apple": Verdict.MORE_IN_FIRST,
        "banana": Verdict.NO_CLEAR_DIFFERENCE,
        "cherry": Verdict.MORE_IN_SECOND,
        "date": Verdict.MORE_IN_FIRST,
    }
    assert (view.total, view.more_in_first, view.more_in_second) == (4, 2, 1)


def test_rows_are_sorted_by_what_is_shown_of_them(both: Version) -> None:
    def order(sort: str, **more: str) -> list[str]:
        return [row.element for row in comparison(sort=sort, **more).rows]

    assert order("difference") == ["cherry", "apple", "date", "banana"]
    assert order("-difference") == ["banana", "date", "apple", "cherry"]
    assert order("first")[:2] == ["apple", "banana"]
    assert order("second")[0] == "cherry"
    assert order("second")[-1] == "date"  # which has no share there
    assert order("name") == ["apple", "banana", "cherry", "date"]
    assert order("-name", top="2") == ["cherry", "apple"]
    assert order("significance")[-1] == "banana"
    assert order("difference", q="AN") == ["banana"]
    assert order("difference", top="1") == ["cherry"]


def test_it_is_computed_once_for_each_publication(both: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        computed.append(1)
        return compare(*arguments, **options)

    monkeypatch.setattr(counting_comparison, "compare", counted)
    rows = comparison().rows
    assert comparison(sort="name").total == len(rows) == 4
    assert comparison().rows == rows
    assert len(computed) == 1
    comparison(locale="fr_FR")
    assert len(computed) == 2
    send_shares(both, 300, day=days_ago(0))
    aggregate(both)
    assert comparison().rows == rows
    assert len(computed) == 3
    # With that first side, and another second.
    days = {"from_": str(days_ago(1)), "to": str(days_ago(1)), "other_from": str(days_ago(0)), "other_to": ""}
    assert comparison(**days, other_locale="en_US").rows != rows
    assert len(computed) == 4


def test_nothing_above_on_either_side_is_a_state_of_its_own() -> None:
    version = define(dictionary=["quince"])
    for locale in EATEN:
        send_shares(version, 500, locale=locale, day=days_ago(1))
    aggregate(version)
    view = comparison()
    assert (view.state, view.rows, view.total) == (State.NONE_ABOVE, (), 0)
    document = view.document()
    assert document is not None
    assert document["entries"] == []


def test_a_window_is_not_compared_with_itself(both: Version) -> None:
    # The one day there is, asked for in two ways.
    view = comparison(from_=str(days_ago(9)), other_from=str(days_ago(1)), other_locale="en_US")
    assert (view.state, view.document()) == (State.SAME_REPORTS, None)


def test_a_version_that_nobody_activated_has_nothing() -> None:
    Version.objects.filter(pk=define().pk).update(state=Version.State.DRAFT)
    view = comparison()
    assert (view.state, view.version, view.sides, view.document()) == (State.NOT_YET, None, None, None)


def test_the_number_of_queries_does_not_grow(both: Version, django_assert_max_num_queries: Any) -> None:
    comparison()
    with django_assert_max_num_queries(12) as few:
        comparison()
    for day in range(2, 5):
        for locale in EATEN:
            send_shares(both, 120, locale=locale, day=days_ago(day))
    aggregate(both)
    comparison()
    with django_assert_max_num_queries(12) as many:
        assert comparison().state == State.SHOWN
    assert len(few) == len(many)
    assert UseCase.objects.count() == 1
