"""Choosing the window: by its length, the one before, the one after; and what that costs."""

import html
import re
from urllib.parse import parse_qsl

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.formatting import day_range
from reports.models import Period, Version
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import PAGE, asked, links, table, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def ten_days() -> Version:
    version = define()
    for day in range(1, 11):
        send(version, 110, day=days_ago(day), seed=day)
    aggregate(version)
    return version


@pytest.mark.usefixtures("ten_days")
def test_a_quarter_and_a_year_are_offered_where_so_much_is_held(as_bob: Client) -> None:
    lengths = ["Last day", "Last 7 days", "Last 28 days", "Last 90 days", "Last 365 days"]
    for held, offered in ((89, 3), (90, 4), (364, 4), (365, 5)):
        oldest = Period.objects.order_by("first_day").values("pk")[:1]
        Period.objects.filter(pk__in=oldest).update(first_day=days_ago(held), last_day=days_ago(held))
        assert [label for each in links(as_bob.get(PAGE)) if (label := each.removesuffix("*")) in lengths] == lengths[
            :offered
        ]


@pytest.mark.usefixtures("ten_days")
def test_windows_are_chosen_by_their_length(as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    assert list(links(page)) == ["Last day", "Last 7 days*", "All days", "Earlier"], "there are only ten days"
    assert "<dd>770</dd>" in words(page)
    assert table(page)
    assert as_bob.get(PAGE + "?days=7").headers["Location"] == PAGE
    everything = as_bob.get(f"{PAGE}?days={links(page)['All days']}")
    assert list(links(everything)) == ["Last day", "Last 7 days", "All days*"]
    assert "<dd>1,100</dd>" in words(everything)
    assert "Left out" not in words(everything)
    # A window asked for by hand is among them.
    assert "Last 5 days*" in links(as_bob.get(PAGE + "?days=5"))
    assert next(iter(links(as_bob.get(f"{PAGE}?from={days_ago(5)}&to={days_ago(2)}")))) == (
        f"{day_range(days_ago(5), days_ago(2))}*"
    )


@pytest.mark.usefixtures("ten_days")
def test_the_other_choices_stay_when_the_window_changes(as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?to={days_ago(3)}&days=2&sort=name&unit=count")
    for name, value in (("sort", "name"), ("unit", "count")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in words(page)


@pytest.mark.usefixtures("ten_days")
def test_the_windows_before_and_after_are_as_long(as_bob: Client) -> None:
    page = as_bob.get(PAGE + "?days=3")
    assert 'rel="prev"' in words(page)
    assert 'rel="next"' not in words(page), "it ends on the newest day"
    assert asked(links(page)["Earlier"]) == {"to": str(days_ago(4)), "days": "3"}
    page = as_bob.get(PAGE + links(page)["Earlier"])
    assert asked(links(page)["Earlier"]) == {"to": str(days_ago(7)), "days": "3"}
    assert links(page)["Later"] == "?days=3", "the newest"
    page = as_bob.get(PAGE + links(page)["Earlier"])
    page = as_bob.get(PAGE + links(page)["Earlier"])
    assert "Earlier" not in links(page), "it begins on the first day, or before"
    assert asked(links(page)["Later"]) == {"to": str(days_ago(7)), "days": "3"}


@pytest.mark.usefixtures("ten_days")
def test_custom_windows_move_by_their_length(as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?from={days_ago(6)}&to={days_ago(5)}")
    assert asked(links(page)["Earlier"]) == {"from": str(days_ago(8)), "to": str(days_ago(7))}
    assert asked(links(page)["Later"]) == {"from": str(days_ago(4)), "to": str(days_ago(3))}
    # Open ends are those of the days there are.
    page = as_bob.get(f"{PAGE}?from={days_ago(4)}")
    assert asked(links(page)["Earlier"]) == {"from": str(days_ago(8)), "to": str(days_ago(5))}
    assert "Earlier" not in links(as_bob.get(f"{PAGE}?days=3660"))


@pytest.mark.usefixtures("ten_days")
def test_from_a_window_without_reports_one_gets_back(as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?to={days_ago(40)}")
    assert "Too few reports yet, or none" in words(page)
    assert asked(links(page)["Later"]) == {"from": str(days_ago(10)), "to": str(days_ago(10))}
    assert "Earlier" not in links(page)
    page = as_bob.get(f"{PAGE}?from={days_ago(-3)}")
    assert "Too few reports yet, or none" in words(page)
    assert asked(links(page)["Earlier"]) == {"from": str(days_ago(1)), "to": str(days_ago(1))}
    assert "Later" not in links(page)
    page = as_bob.get(f"{PAGE}?from={days_ago(40)}&to={days_ago(39)}")
    assert "Too few reports yet, or none" in words(page)
    assert asked(links(page)["Later"]) == {"from": str(days_ago(38)), "to": str(days_ago(37))}
    page = as_bob.get(f"{PAGE}?days=2&to={days_ago(-30)}")
    assert asked(links(page)["Earlier"]) == {"to": str(days_ago(1)), "days": "2"}
    page = as_bob.get(f"{PAGE}?days=2&to={days_ago(40)}")
    assert "Too few reports yet, or none" in words(page)


@pytest.mark.usefixtures("ten_days")
def test_a_first_day_beside_a_length_is_refused(as_bob: Client) -> None:
    response = as_bob.get(f"{PAGE}histogram.csv?from={days_ago(3)}&days=7")
    assert (response.status_code, response.content[:5]) == (400, b"days:")


@pytest.mark.usefixtures("ten_days")
def test_an_export_of_a_length_names_its_days(as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    (address,) = set(re.findall(r'href="[^"]*histogram.csv\?([^"]*)"', words(page)))
    query = dict(parse_qsl(html.unescape(address)))
    assert (query["from"], query["to"]) == (str(days_ago(7)), str(days_ago(1)))
    assert "days" not in query


@pytest.mark.usefixtures("ten_days")
def test_programs_ask_for_a_length_too(as_bob: Client) -> None:
    document = as_bob.get("/api/v1/use-cases/fruits/histogram/?days=2").json()
    assert (document["n"], document["first_day"], document["last_day"]) == (220, str(days_ago(2)), str(days_ago(1)))
    refused = as_bob.get("/api/v1/use-cases/fruits/histogram/?days=2&values=consistent")
    assert (refused.status_code, refused.json()["type"]) == (400, "urn:ldpsite:problem:bad-parameter")


def test_a_single_day_is_shown_whatever_is_chosen(as_bob: Client) -> None:
    version = define()
    send(version, 200, day=days_ago(1))
    aggregate(version)
    page = as_bob.get(PAGE)
    assert links(page) == {"Last day": "1", "Last 7 days*": "7", "All days": "3660"}
    assert table(page)
    assert "Left out" not in words(page)


def test_words_have_the_windows_of_their_runs(as_bob: Client) -> None:
    version = define_search()
    for back in (1, 8, 15):
        find(version, ["lov"], first=days_ago(back + 6), last=days_ago(back))
    slang = "/use-cases/slang/"
    newest, middle, oldest = ({"from": str(days_ago(b + 6)), "to": str(days_ago(b))} for b in (1, 8, 15))
    page = as_bob.get(slang)
    found = links(page)
    assert "Newest*" in found
    assert [value for value in found.values() if ".." in value] == [
        f"{days_ago(b + 6)}..{days_ago(b)}" for b in (1, 8, 15)
    ]
    assert asked(found["Earlier"]) == middle
    assert "Later" not in found
    page = as_bob.get(slang + found["Earlier"])
    assert (asked(links(page)["Earlier"]), asked(links(page)["Later"])) == (oldest, newest)
    # This version lacks what another may have: the link works without.
    assert as_bob.get(slang + "?days=7").headers["Location"] == slang
    assert as_bob.get(slang + "?values=consistent").headers["Location"] == slang
    assert as_bob.get(slang + "histogram.csv?days=7").status_code == 400


def test_many_days_cost_no_more_queries_than_few(as_bob: Client) -> None:
    few = define()
    for back in range(1, 36, 7):
        publish_day(few, back, {"apple": 1000, "fig": 900}, first=days_ago(back + 6))
    parameters = {"epsilon": 8, "k": 1024, "m": 64, "seed": "1f" * 16}
    many = define(slug="many", title="Many", parameters=parameters)
    for back in range(1, 85, 7):  # whole months, too
        publish_day(many, back, {"apple": 1000, "fig": 900}, first=days_ago(back + 6))
    for query in ("", "?days=1", f"?days=1&to={days_ago(2)}"):
        counted = []
        for slug in ("fruits", "many"):
            as_bob.get(f"/use-cases/{slug}/{query}")  # which makes what is missing
            with CaptureQueriesContext(connection) as queries:
                assert len(table(as_bob.get(f"/use-cases/{slug}/{query}"))) == 2
            counted.append(len(queries))
        assert counted[0] == counted[1]


def test_other_days_than_asked_for_and_days_that_are_left_out_are_said(as_bob: Client) -> None:
    version = define()
    for day in range(1, 8):
        send(version, 50, day=days_ago(day))
    aggregate(version)
    page = words(as_bob.get(PAGE, {"days": "1"}))
    assert "The newest days with enough reports are shown: one day by itself has too few." in page
    assert "<dd>100</dd>" in page
    assert "The newest days with enough reports" not in words(as_bob.get(PAGE, {"days": "3"}))
    # Seven days in periods of two, the last of which waits.
    assert "Left out" not in words(as_bob.get(PAGE))
    page = words(as_bob.get(PAGE, {"from": str(days_ago(6)), "to": str(days_ago(1))}))
    left = f"{day_range(days_ago(6), days_ago(6))}, {day_range(days_ago(1), days_ago(1))}"
    assert f"Left out: {left}. These days have too few reports to be shown by themselves, or none." in page
    assert "<dd>200</dd>" in page
    # With all its periods, a window is the same however it is asked for.
    whole = as_bob.get(PAGE, {"from": str(days_ago(7)), "to": str(days_ago(2))})
    assert "<dd>300</dd>" in words(whole)
    assert "Left out" not in words(whole)
