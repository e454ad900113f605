"""Weeks of the calendar along a trend, published when somebody looks."""

import datetime

import pytest

from reports.models import Histogram
from reports.results.trend.weeks import weeks_over
from tests.reports.results.trend.seen import see, states, weeks_of_days
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_weeks_are_those_of_the_calendar_and_published_when_somebody_looks(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 2)
    view = see(version, step=7, elements=("apple",))
    assert [slot.first for slot in view.slots][-2:] == [monday - datetime.timedelta(days=7), monday]
    assert states(view, "apple")[-2:] == ["above-threshold"] * 2
    assert [slot.histogram.n for slot in view.slots if slot.histogram] == [450, 450]
    assert Histogram.objects.filter(first_day=monday, last_day=monday + datetime.timedelta(days=6)).count() == 1
    # The same, whichever days are asked for.
    there = Histogram.objects.count()
    again = see(version, step=7, first=monday + datetime.timedelta(days=2), last=monday + datetime.timedelta(days=9))
    assert again.slots[0] == view.slots[-1]
    assert Histogram.objects.count() == there


def test_a_week_with_few_days_is_published_under_their_bounds(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 1)
    other = monday - datetime.timedelta(days=7)
    send(version, 80, day=other + datetime.timedelta(days=1), seed=8)
    send(version, 80, day=other + datetime.timedelta(days=3), seed=9)
    aggregate(version)
    week = see(version, step=7).slots[-2]
    assert week.histogram is not None
    assert (week.first, week.histogram.first_day) == (other, other + datetime.timedelta(days=1))
    assert (week.histogram.last_day, week.histogram.n) == (other + datetime.timedelta(days=3), 160)


def test_runs_leave_the_week_in_which_a_locale_began_to_pages(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 1)
    began = monday - datetime.timedelta(days=3)
    send(version, 120, day=began, seed=9)
    aggregate(version)
    whole = ("en_US", monday, monday + datetime.timedelta(days=6))
    assert weeks_over(version, version.locales, began, monday) == [whole]
    assert [str(slot.state) for slot in see(version, step=7).slots] == ["shown", "shown"]
    # Once the days before are counted, too, it is as any other.
    send(version, 120, day=began - datetime.timedelta(days=4), seed=10)
    aggregate(version)
    assert weeks_over(version, version.locales, began, monday)[0][1:] == (monday - datetime.timedelta(days=7), began)
