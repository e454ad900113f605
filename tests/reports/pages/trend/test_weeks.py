"""Weeks that are not over, and weeks that lack days: no week passes for a whole one that is none."""

import datetime
import re

import pytest
from django.test import Client

from reports.models import Batch, Histogram, UseCase, Version
from reports.models.uploads import utc_today
from reports.pages.trend.words import missing_words
from reports.results.trend.document import trend_document
from reports.results.trend.query import TrendQuery
from reports.results.trend.view import TrendView, trend_view
from reports.results.trend.weeks import weeks_over
from reports.results.trend.windows import Slot, SlotState
from tests.reports.pages.reading import chart
from tests.reports.small_fleet import LOCALES, aggregate, days_ago, define, send
from tests.reports.trends import rows, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/trend/?element=apple&step=7"
_DAY = datetime.timedelta(days=1)


def last_monday() -> datetime.date:
    """Of the newest week that is over."""
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
    whole = Histogram.objects.filter(first_day__gte=this_monday)
    assert {histogram.first_day for histogram in whole} == {utc_today()}, "of the week nothing was published"
    # Also where somebody asked for just its days so far: it is no week.
    Histogram.objects.filter(first_day=utc_today(), last_day=utc_today()).update(first_day=this_monday)
    assert see().slots[-1].histogram is None


def test_a_week_of_which_nothing_is_known_is_not_running(version: Version) -> None:
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
    assert "without reports" not in whole[0]
    assert partial[0].endswith("5 of 7 days without reports")
    assert "%" in partial[1]
    assert running[1:] == ["not over yet, or not counted to its end"]
    # A week with values has another tone than one without.
    lacking, going_on = [shape for shape in chart(page)["layout"]["shapes"] if shape["type"] == "rect"]
    assert (lacking["name"], going_on["name"]) == ("partial", "below")
    sunday = last_monday() + 6 * _DAY
    # From the middle of the week before on: places are Sundays.
    assert lacking["x0"] == f"{sunday - 4 * _DAY}T12:00:00"
    assert lacking["x1"] == going_on["x0"] == f"{sunday + 3 * _DAY}T12:00:00"
    assert going_on["x1"].startswith(str(sunday + 10 * _DAY))
    line = next(trace for trace in chart(page)["data"] if trace["meta"]["role"] == "series-1")
    assert [text.endswith("5 of 7 days without reports") for text in line["text"]] == [False, True, False]
    assert line["y"][1] is not None
    assert "Weeks that lack days are grey, too" in words(page)
    drawn = re.findall(r'data-caption="([^"]*)"', page.content.decode())
    assert len(drawn) == 1
    assert "Grey windows show nothing" in drawn[0]
    assert "Weeks that lack days are grey, too" in drawn[0], "a picture says it where the page is not"
    assert "Weeks that lack days" not in words(as_bob.get(PAGE.replace("&step=7", "")))


def test_each_locale_of_an_element_says_it_of_its_own_weeks(version: Version, as_bob: Client) -> None:
    # Days that are sealed take no more reports.
    for number in (0, 2, 4, 5, 6):
        send(version, 120, locale="fr_FR", day=last_monday() + number * _DAY, seed=30 + number)
    aggregate(version)
    page = as_bob.get("/use-cases/fruits/elements/?element=apple&step=7")
    partial = rows(page, "days")[1]
    assert sorted(cell[-27:] for cell in partial[1:]) == [f"{days} of 7 days without reports"[-27:] for days in (2, 5)]
    assert sorted(rows(page, "days")[2][1:]) == ["no reports", "not over yet, or not counted to its end"]


def test_the_picture_of_an_element_explains_what_is_grey(version: Version, as_bob: Client) -> None:
    page = as_bob.get("/use-cases/fruits/elements/?element=apple&step=7").content.decode()
    _bars, lines = re.findall(r'data-caption="([^"]*)"', page)
    assert "Grey windows show nothing" in lines
    assert lines in " ".join(page.split('<p class="caption">')[2].split("</p>")[0].split())


def test_all_pages_agree_which_weeks_are_over(as_bob: Client) -> None:
    """Of one locale as soon as any has been counted to the end of the week."""
    fresh = define()
    for number in range(6):
        send(fresh, 120, day=last_monday() + number * _DAY, seed=number)
    send(fresh, 120, locale="fr_FR", day=last_monday() + 6 * _DAY, seed=6)
    # No run is about a whole week, and the last not about this locale.
    for first, last in ((0, 2), (3, 5), (6, 6)):
        aggregate(fresh, last_monday() + first * _DAY, last_monday() + last * _DAY)
    published = Histogram.objects.filter(locale="en_US", last_day=last_monday() + 5 * _DAY, first_day=last_monday())
    assert published.get().n == 720, "by the run"
    published.delete()
    assert [(str(slot.state), slot.missing) for slot in see().slots] == [("shown", 1)]
    assert published.get().n == 720, "by a page, as runs do"
    of_element = rows(as_bob.get("/use-cases/fruits/elements/?element=apple&step=7"), "days")
    assert "1 of 7 days without reports" in " ".join(of_element[0])
    assert as_bob.get("/use-cases/fruits/trend.csv?step=7&element=apple").status_code == 200


def counted_before_its_end() -> Version:
    """On its Sunday somebody aggregated what another locale had by then; of days that are too few by themselves."""
    found = define()
    for number in range(6):
        for locale in LOCALES:
            send(found, 50, locale=locale, day=last_monday() + number * _DAY, seed=number)
    send(found, 120, locale="fr_FR", day=last_monday() + 6 * _DAY, seed=6)
    aggregate(found)
    # On a Sunday no week is over that ends with it.
    Histogram.objects.filter(locale="en_US").delete()
    return found


def arrive_late(version: Version, reports: int, number: int) -> None:
    """On a day of the week of which another locale is sealed already."""
    send(version, reports, day=utc_today(), seed=9)
    late = version.shards.filter(sealing=None)
    Batch.objects.filter(shards__in=late).update(day=last_monday() + number * _DAY)
    late.update(day=last_monday() + number * _DAY)


def test_no_week_is_published_while_some_of_it_waits(as_bob: Client) -> None:
    """By pages as little as by runs: with its Sunday it would then be too few more for good."""
    version = counted_before_its_end()
    arrive_late(version, 40, 6)
    assert [(str(slot.state), slot.histogram) for slot in see().slots] == [("waiting", None)]
    week = last_monday(), last_monday() + 6 * _DAY
    assert weeks_over(version, LOCALES, *week) == [("fr_FR", *week)]
    of_element = rows(as_bob.get("/use-cases/fruits/elements/?element=apple&step=7"), "days")
    assert "not counted yet" in of_element[0]
    assert not Histogram.objects.filter(locale="en_US").exists()
    aggregate(version)
    assert set(weeks_over(version, LOCALES, *week)) == {(locale, *week) for locale in LOCALES}
    (slot,) = see().slots
    assert slot.histogram is not None
    assert (slot.histogram.n, slot.is_whole) == (340, True)
    assert rows(as_bob.get("/use-cases/fruits/elements/?element=apple&step=7"), "days") != of_element


def test_a_published_week_stays_and_says_which_of_its_days_wait(as_bob: Client) -> None:
    version = counted_before_its_end()
    assert [(slot.missing, slot.uncounted) for slot in see().slots] == [(1, 0)]
    arrive_late(version, 40, 6)
    (week,) = see().slots
    assert week.histogram is not None
    assert (week.histogram.n, week.missing, week.uncounted, week.is_whole) == (300, 0, 1, False)
    page = as_bob.get(PAGE)
    assert rows(page, "days")[0][0].endswith("1 of 7 days not counted yet")
    assert [shape["name"] for shape in chart(page)["layout"]["shapes"] if shape["type"] == "rect"] == ["partial"]
    document = trend_document(see())
    assert document is not None
    assert [point["missing_days"] for point in document["points"]] == [1]
    # Of an element each locale says it of its own, in the table and on its line.
    of_element = as_bob.get("/use-cases/fruits/elements/?element=apple&step=7").content.decode()
    assert of_element.count("1 of 7 days not counted yet") == 2
    # What is counted by an earlier dictionary alone was counted.
    define(dictionary=["apple", "quince"])
    assert [(str(slot.state), slot.missing, slot.uncounted) for slot in see().slots] == [("shown", 0, 1)]


def test_both_are_said_of_a_week_that_lacks_some_days_and_waits_for_others() -> None:
    slot = Slot(last_monday(), last_monday() + 6 * _DAY, SlotState.SHOWN, None, 2, 1)
    assert missing_words(slot) == "2 of 7 days without reports, 1 of 7 days not counted yet"


def test_a_week_that_is_published_is_shown_whatever_may_still_come() -> None:
    fresh = define()
    for number in range(6):
        send(fresh, 120, day=last_monday() + number * _DAY, seed=number)
    # As the window of the run.
    aggregate(fresh)
    assert [(str(slot.state), slot.missing) for slot in see().slots] == [("shown", 1)]


def test_where_no_week_is_over_it_is_said(as_bob: Client) -> None:
    fresh = define()
    send(fresh, 400, day=utc_today())
    aggregate(fresh)
    page = as_bob.get("/use-cases/fruits/trend/?step=7")
    assert "No week is over yet" in words(page)
    assert "Choose steps of one day" in words(page)
    assert days_ago(0) == utc_today()
