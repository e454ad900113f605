"""Which published windows stand along the days of a trend."""

import pytest

from reports.models import Histogram
from tests.reports.found_words import define_search, find
from tests.reports.results.trend.seen import points, see, states
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_replaced_windows_and_groups_are_not_seen(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 10})
    Histogram.objects.update(replaced=True)
    publish_day(version, 1, {"apple": 20})
    Histogram.objects.filter(replaced=False).update(grouping="category")
    publish_day(version, 1, {"apple": 30})
    (point,) = points(see(version, first=days_ago(1)), "apple")
    assert point.numbers is not None
    assert point.numbers.estimate == 30


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
