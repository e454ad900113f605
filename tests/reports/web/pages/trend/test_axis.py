"""Days that a trend and an element show: how many, those before, those after."""

import html
import re
from datetime import timedelta

import pytest
from django.test import Client

from reports.models import Version
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import asked, links, rows, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TREND = "/use-cases/fruits/trend/"
ELEMENT = "/use-cases/fruits/elements/"
PAGES = [TREND, ELEMENT]


@pytest.fixture
@once
def thirty_days(version: Version) -> Version:
    for back in (100, *range(31, 0, -1)):
        publish_day(version, back, {"apple": 5000})
    return version


@pytest.mark.usefixtures("thirty_days")
def test_one_goes_to_the_days_before_and_comes_back(as_bob: Client) -> None:
    for page in PAGES:
        start = f"{page}?element=apple&days=7"
        newest = as_bob.get(start)
        assert "Later" not in links(newest)
        address = page + links(newest)["Earlier"]
        assert f"to={days_ago(8)}" in address
        before = as_bob.get(address)
        assert before.status_code == 200, "its own address"
        assert len(rows(before, "days")) == 7
        assert rows(before, "days")[-1][0] == rows(as_bob.get(f"{page}?element=apple&days=8"), "days")[0][0]
        assert 'rel="next"' in words(before)
        assert 'rel="prev"' in words(before)
        later = links(before)["Later"]
        assert asked(later) == {"element": "apple", "days": "7"}, "the newest days, also when there are newer ones"
        assert as_bob.get(page + later).status_code == 200
        twice = as_bob.get(page + links(before)["Earlier"])
        assert page + links(twice)["Later"] == address


@pytest.mark.usefixtures("thirty_days")
def test_dates_that_were_chosen_are_moved_by_their_length(as_bob: Client) -> None:
    for page in PAGES:
        found = links(as_bob.get(f"{page}?element=apple&from={days_ago(20)}&to={days_ago(11)}"))
        assert f"from={days_ago(30)}&to={days_ago(21)}" in found["Earlier"]
        assert f"from={days_ago(10)}&to={days_ago(1)}" in found["Later"]
        assert "Earlier" not in links(as_bob.get(f"{page}?element=apple&from={days_ago(100)}"))
        # From where nothing is any more one comes back.
        empty = as_bob.get(f"{TREND}?element=apple&from={days_ago(130)}&to={days_ago(121)}")
        assert list(links(empty))[-1] == "Later"


def test_so_many_days_are_offered_as_are_held(version: Version, as_bob: Client) -> None:
    publish_day(version, 1, {"apple": 5000})
    for page in PAGES:
        assert list(links(as_bob.get(f"{page}?element=apple"))) == ["Last 28 days*"]
    for held, offered in (
        (40, ["Last 7 days", "Last 28 days*", "All days", "Earlier"]),
        (90, ["Last 7 days", "Last 28 days*", "Last 90 days", "Earlier"]),
        (91, ["Last 7 days", "Last 28 days*", "Last 90 days", "All days", "Earlier"]),
        (365, ["Last 7 days", "Last 28 days*", "Last 90 days", "Last 365 days", "Earlier"]),
    ):
        publish_day(version, held, {"apple": 5000})
        for page in PAGES:
            found = links(as_bob.get(f"{page}?element=apple"))
            assert list(found) == offered
            if held == 40:
                assert len(rows(as_bob.get(f"{page}?element=apple&days={found['All days']}"), "days")) == 40
    for page in PAGES:
        year = links(as_bob.get(f"{page}?element=apple&days=365&step=1", follow=True))
        assert list(year) == ["Last 7 days", "Last 28 days", "Last 90 days", "Last 365 days*"]


@pytest.fixture
@once
def weeks(version: Version) -> Version:
    """Return weeks of the calendar, the newest of which ended two weeks ago."""
    sunday = next(back for back in range(14, 21) if days_ago(back).isoweekday() == 7)
    for back in range(sunday, sunday + 7 * 26, 7):
        publish_day(version, back, {"apple": 5000}, first=days_ago(back + 6))
    return version


@pytest.mark.usefixtures("weeks")
def test_weeks_are_moved_by_whole_weeks(as_bob: Client) -> None:
    sunday = next(back for back in range(14, 21) if days_ago(back).isoweekday() == 7)
    for page in PAGES:
        newest = as_bob.get(f"{page}?element=apple&step=7", follow=True)
        before = as_bob.get(page + links(newest)["Earlier"])
        shown, earlier = ([row[0].split(" – ") for row in rows(each, "days")] for each in (newest, before))
        assert len(earlier) == 12
        assert not {tuple(week) for week in shown} & {tuple(week) for week in earlier}
        monday = days_ago(sunday + 7 * 12 - 1)
        assert (monday.isoweekday(), len(shown)) == (1, 12)
        assert f"to={monday - timedelta(days=1)}" in links(newest)["Earlier"]
        # Also where the chosen day is in the middle of a week, which is shown from its Monday on.
        chosen = as_bob.get(f"{page}?element=apple&step=7&from={monday + timedelta(days=2)}")
        assert asked(links(chosen)["Earlier"])["to"] == str(monday - timedelta(days=1))


def test_lists_of_words_are_moved_by_their_last_days(as_bob: Client) -> None:
    search = define_search()
    for back in (1, 5, 90):
        find(search, ["yeet"], first=days_ago(back + 6), last=days_ago(back))
    page = "/use-cases/slang/trend/"
    newest = as_bob.get(f"{page}?element=yeet&days=7")
    assert len(rows(newest, "days")) == 2
    # The first list ends five days ago, though it begins before.
    assert f"to={days_ago(6)}" in links(newest)["Earlier"]
    exact = re.search(r'href="([^"]*)" data-exact', words(newest))
    assert exact is not None
    assert f"from={days_ago(5)}" in html.unescape(exact[1])


def test_where_nothing_is_counted_there_is_nowhere_to_go(db: None, as_bob: Client) -> None:
    define()
    assert not {"Earlier", "Later"} & set(links(as_bob.get(TREND)))
