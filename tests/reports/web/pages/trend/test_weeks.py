"""Weeks that are not over, and weeks that lack days: no week passes for a whole one that is none."""

import datetime
import re

import pytest
from django.test import Client

from reports.models import Batch, UseCase, Version
from reports.models.uploads import utc_today
from reports.results.trend import TrendQuery, TrendView, trend_document, trend_view
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.pages.reading import chart, rows, text_of
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/trend/?element=apple&step=7"
FIVE = "5 of 7 days are left out: too few reports, or none"
_DAY = datetime.timedelta(days=1)


def last_monday() -> datetime.date:
    """Return the Monday of the newest week that is over."""
    return utc_today() - (utc_today().weekday() + 7) * _DAY


@pytest.fixture
@once
def version() -> Version:
    """A whole week, one of which two days have reports, and what there is of the running one."""
    found = define()
    monday = last_monday()
    for number in range(7):
        send(found, 120, day=monday - 7 * _DAY + number * _DAY, seed=number)
    for number in (1, 3):
        send(found, 120, day=monday + number * _DAY, seed=10 + number)
    send(found, 120, day=utc_today(), seed=20)
    aggregate(found)
    return found


def see() -> TrendView:
    return trend_view(UseCase.objects.get(), TrendQuery(elements=("apple",), step=7))


def test_the_running_week_has_a_place_and_no_value(version: Version) -> None:
    view = see()
    this_monday = last_monday() + 7 * _DAY
    running = view.slots[-1]
    assert (running.first, running.last) == (this_monday, this_monday + 6 * _DAY)
    assert (str(running.state), running.histogram) == ("not-over", None)
    assert str(view.series[0].points[-1].state) == "not-over"


def test_a_week_in_which_nothing_is_released_is_not_running(version: Version) -> None:
    far = trend_view(UseCase.objects.get(), TrendQuery(step=7, last=utc_today() + 30 * _DAY, days=60))
    assert far.slots[-1].first == last_monday() + 7 * _DAY


def test_a_week_that_is_not_counted_to_its_end_waits_for_it(as_bob: Client) -> None:
    fresh = define()
    for number in (-7, -2, 0, 2):
        send(fresh, 120, day=last_monday() + number * _DAY, seed=number + 7)
    aggregate(fresh)
    assert [str(slot.state) for slot in see().slots] == ["shown", "not-over"]
    send(fresh, 120, day=utc_today(), seed=30)
    aggregate(fresh)
    assert [str(slot.state) for slot in see().slots] == ["shown", "shown", "not-over"]


def test_it_is_said_how_many_days_a_week_lacks(version: Version) -> None:
    view = see()
    assert [slot.missing for slot in view.slots] == [0, 5, 0]
    document = trend_document(view)
    assert document is not None
    assert [point["missing_days"] for point in document["points"]] == [0, 5, None]
    days = trend_view(UseCase.objects.get(), TrendQuery(elements=("apple",)))
    assert {slot.missing for slot in days.slots} == {0}


def test_they_are_marked_in_chart_and_table(version: Version, as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    whole, partial, running = rows(page, "days")
    assert "left out" not in whole[0]
    assert partial[0].endswith(FIVE)
    assert "%" in partial[1]
    assert running[1:] == ["not over yet, or not counted to its end"]
    # A week with values has another tone than one without.
    lacking, going_on = [shape for shape in chart(page)["layout"]["shapes"] if shape["type"] == "rect"]
    assert (lacking["name"], going_on["name"]) == ("partial", "below")
    sunday = last_monday() + 6 * _DAY
    # From the middle of the week before on: places are Sundays.
    assert lacking["x0"] == f"{sunday - 4 * _DAY}T12:00:00"
    assert lacking["x1"] == going_on["x0"] == f"{sunday + 3 * _DAY}T12:00:00"
    # Where it begins there is a thin mark, and with it the axis ends.
    assert going_on["x1"] == f"{sunday + 4 * _DAY}T04:48:00"
    assert chart(page)["layout"]["xaxis"]["range"][1] == going_on["x1"]
    line = next(trace for trace in chart(page)["data"] if trace["meta"]["role"] == "series-1")
    assert [text.endswith(FIVE) for text in line["text"]] == [False, True, False]
    assert line["y"][1] is not None
    assert "Weeks that lack days are grey" in text_of(page)
    drawn = re.findall(r'data-caption="([^"]*)"', page.content.decode())
    assert len(drawn) == 1
    assert "Weeks that lack days are grey" in drawn[0], "a picture says it where the page is not"
    assert "Weeks that lack days" not in text_of(as_bob.get(PAGE.replace("&step=7", "")))


def test_each_locale_of_an_element_says_it_of_its_own_weeks(version: Version, as_bob: Client) -> None:
    # Days that are sealed take no more reports.
    for number in (0, 2, 4, 5, 6):
        send(version, 120, locale="fr_FR", day=last_monday() + number * _DAY, seed=30 + number)
    aggregate(version)
    page = as_bob.get("/use-cases/fruits/elements/?element=apple&step=7")
    partial = rows(page, "days")[1]
    left_out = [re.search(r"(\d) of 7 days are left out", cell) for cell in partial[1:]]
    assert sorted(found[1] for found in left_out if found is not None) == ["2", "5"]
    assert rows(page, "days")[2][1:] == ["not over yet, or not counted to its end"] * 2


def test_the_picture_of_an_element_explains_gaps(version: Version, as_bob: Client) -> None:
    page = as_bob.get("/use-cases/fruits/elements/?element=apple&step=7").content.decode()
    _bars, lines = re.findall(r'data-caption="([^"]*)"', page)
    assert "windows without one are gaps" in lines
    assert lines in " ".join(page.split('<p class="caption">')[2].split("</p>")[0].split())


def test_all_pages_agree_which_weeks_are_over(as_bob: Client) -> None:
    """A week is over as soon as one locale has been counted to its end."""
    fresh = define()
    for number in range(6):
        send(fresh, 120, day=last_monday() + number * _DAY, seed=number)
    aggregate(fresh)
    assert [str(slot.state) for slot in see().slots] == ["not-over"]
    send(fresh, 120, locale="fr_FR", day=last_monday() + 6 * _DAY, seed=6)
    aggregate(fresh)
    assert [(str(slot.state), slot.missing) for slot in see().slots] == [("shown", 1)]
    of_element = rows(as_bob.get("/use-cases/fruits/elements/?element=apple&step=7"), "days")
    assert "1 of 7 days is left out" in " ".join(of_element[0])
    assert as_bob.get("/use-cases/fruits/trend.csv?step=7&element=apple").status_code == 200


def test_what_arrives_late_joins_its_week_once_it_is_released() -> None:
    version = define()
    for number in range(7):
        send(version, 120, day=last_monday() + number * _DAY, seed=number)
    aggregate(version)
    (before,) = see().slots
    # It counts on a day of the week that is sealed already, with fewer than may be shown.
    arrive_late(version, 60, 6)
    assert see().slots == (before,)
    aggregate(version)
    assert see().slots == (before,)
    arrive_late(version, 60, 5)
    aggregate(version)
    (after,) = see().slots
    assert before.histogram is not None
    assert after.histogram is not None
    assert (before.histogram.n, after.histogram.n) == (840, 960)


def arrive_late(version: Version, reports: int, number: int) -> None:
    """On a day of the week that is sealed."""
    send(version, reports, day=utc_today(), seed=9 + number)
    late = version.shards.filter(sealing=None)
    Batch.objects.filter(shards__in=late).update(day=last_monday() + number * _DAY)
    late.update(day=last_monday() + number * _DAY)


def test_where_no_week_is_over_it_is_said(as_bob: Client) -> None:
    fresh = define()
    send(fresh, 400, day=utc_today())
    aggregate(fresh)
    page = as_bob.get("/use-cases/fruits/trend/?step=7")
    assert "No week is over yet" in text_of(page)
    assert "Choose steps of one day" in text_of(page)
    assert days_ago(0) == utc_today()
