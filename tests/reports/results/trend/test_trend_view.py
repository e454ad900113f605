"""From which day to which a trend is shown, and in how many queries."""

import pytest
from pytest_django import DjangoAssertNumQueries

from reports.models import UseCase
from reports.results.trend.query import TrendQuery
from reports.results.trend.trend_document import trend_document
from reports.results.trend.trend_view import trend_view
from tests.reports.results.trend.seen import see
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_four_weeks_up_to_the_newest_day(db: None) -> None:
    version = define()
    for back in (3, 6, 30, 31):
        publish_day(version, back, {"apple": 10})
    view = see(version)
    assert (view.first, view.last) == (days_ago(30), days_ago(3))
    assert [slot.last for slot in view.slots if slot.state == "shown"] == [days_ago(30), days_ago(6), days_ago(3)]
    # Not more than there is, but what was asked for in full.
    view = see(version, days=5)
    assert (view.first, view.last, len(view.slots)) == (days_ago(6), days_ago(3), 4)
    assert len(see(version, first=days_ago(7)).slots) == 5
    view = see(version, last=days_ago(10), days=2)
    assert (view.first, view.last) == (days_ago(11), days_ago(10))
    assert view.is_empty
    assert trend_document(view) is None


def test_without_anything_there_is_no_view_of_days(db: None) -> None:
    view = see(define())
    assert (view.slots, view.series, view.is_empty) == ((), (), True)


def test_the_number_of_queries_does_not_depend_on_days(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = define()
    use_case = UseCase.objects.get()
    for back in range(1, 20):
        publish_day(version, back, {"apple": 10, "fig": 10})
    see(version)
    for elements, days in ((("apple",), 2), (("apple", "fig", "date"), 19), (("fig",), 300)):
        with django_assert_num_queries(9):
            trend_view(use_case, TrendQuery(elements=elements, days=days))
