"""Published windows along the days of a trend."""

import pytest

from reports.models import Histogram, UseCase
from tests.reports.found_words import define_search, find
from tests.reports.results.trend.seen import points, see, states
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_stale_histograms_and_groups_are_not_seen(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 3000})
    Histogram.objects.update(grouping="category")
    view = see(version, first=days_ago(1), elements=("apple",))
    (made,) = Histogram.objects.filter(grouping="")
    assert [slot.histogram and slot.histogram.pk for slot in view.slots] == [made.pk]
    Histogram.objects.update(made_of="of other periods")
    (slot,) = see(version, first=days_ago(1), elements=("apple",)).slots
    (again,) = Histogram.objects.filter(grouping="")
    assert slot.histogram is not None
    assert slot.histogram.pk == again.pk != made.pk


def test_periods_that_a_raised_minimum_hides_have_no_place(db: None) -> None:
    version = define()
    publish_day(version, 2, {"apple": 5000}, n=20_000)
    publish_day(version, 1, {"apple": 5000}, n=10_000)
    UseCase.objects.update(minimum_reports=15_000)
    view = see(version, elements=("apple",))
    assert [(slot.last, str(slot.state)) for slot in view.slots] == [(days_ago(2), "shown")]


def test_lists_of_words_stand_at_their_last_day(db: None) -> None:
    version = define_search()
    find(version, ["yeet", "lol"], first=days_ago(8), last=days_ago(2))
    find(version, ["lol"], first=days_ago(7), last=days_ago(1))
    find(version, ["yeet"], first=days_ago(1), last=days_ago(1))
    find(version, ["yeet"], first=days_ago(30), last=days_ago(1))
    view = see(version, elements=("yeet", "lol"))
    assert [(slot.first, slot.last) for slot in view.slots] == [
        (days_ago(8), days_ago(2)), (days_ago(7), days_ago(1)),
    ]  # fmt: skip
    assert states(view, "yeet") == ["above-threshold", "not-found"]
    assert states(view, "lol") == ["above-threshold"] * 2
    daily = see(version, elements=("yeet",), step=1)
    assert [(slot.first, slot.last) for slot in daily.slots] == [(days_ago(1), days_ago(1))]
    assert points(view, "yeet")[1].at_most is None
