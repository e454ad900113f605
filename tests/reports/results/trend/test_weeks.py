"""Weeks of the calendar along a trend: sums of the periods that lie in them."""

import datetime

import pytest

from reports.models import Histogram
from reports.results.trend.trend_view import TrendView
from tests.reports.results.trend.seen import see, states, weeks_of_days
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

DAY = datetime.timedelta(days=1)


def sizes(view: TrendView) -> list[int | None]:
    return [slot.histogram and slot.histogram.n for slot in view.slots]


def test_weeks_are_those_of_the_calendar(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 2)
    view = see(version, step=7, elements=("apple",))
    assert [slot.first for slot in view.slots] == [monday - 7 * DAY, monday]
    assert states(view, "apple") == ["above-threshold"] * 2
    assert sizes(view) == [450, 450]
    # It is there, whichever days are asked for.
    there = Histogram.objects.count()
    again = see(version, step=7, first=monday + 2 * DAY, last=monday + 9 * DAY)
    assert again.slots[0] == view.slots[-1]
    assert Histogram.objects.count() == there


def test_days_that_are_released_together_are_in_their_week(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 1)
    other = monday - 7 * DAY
    send(version, 80, day=other + DAY, seed=8)
    send(version, 80, day=other + 3 * DAY, seed=9)
    # Days of the week that follows make these reports enough.
    send(version, 80, day=other + 5 * DAY, seed=10)
    send(version, 80, day=monday + DAY, seed=11)
    aggregate(version)
    view = see(version, step=7)
    assert sizes(view) == [160, 450]
    # From Tuesday to Thursday.
    assert [slot.missing for slot in view.slots] == [4, 4]
    days = see(version, first=other, last=monday + 6 * DAY)
    assert sizes(days) == [None] * 7 + [150, None, None, 150, None, None, 150]
