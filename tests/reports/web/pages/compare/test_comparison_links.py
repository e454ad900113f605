"""Comparisons that are offered next: swapped, earlier, later, and of one locale with the days before."""

import html
import re

import pytest
from django.test import Client

from reports.formatting import day_range
from tests.reports.comparing import EATEN, send_shares
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words
from tests.reports.web.pages.compare.reading import PAGE, cells, others
from tests.reports.web.pages.reading import words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.usefixtures("both")
def test_the_sides_are_swapped_by_a_link_that_says_all(as_bob: Client) -> None:
    page = as_bob.get(PAGE)
    found = re.search(r'href="(\?[^"]*)" title="Swap A and B"', words(page))
    assert found is not None
    swapped = as_bob.get(PAGE + html.unescape(found[1]))
    assert swapped.status_code == 200
    first = cells(page)["apple"]
    assert cells(swapped)["apple"][:2] == [first[1], first[0]]
    assert str(days_ago(1)) in found[1]


def test_both_windows_move_by_the_length_of_the_first_as_long_as_there_are_reports(as_bob: Client) -> None:
    version = define(locales=["en_US"])
    for day in (3, 2, 1):
        send_shares(version, 200, day=days_ago(day), seed=day)
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert 'rel="next"' not in page
    found = re.search(r'href="(\?[^"]*)" rel="prev"', page)
    assert found is not None
    assert found[1] == html.escape(
        f"?from={days_ago(2)}&to={days_ago(2)}&other-from={days_ago(3)}&other-to={days_ago(3)}"
    )
    page = words(as_bob.get(PAGE + html.unescape(found[1])))
    assert 'rel="prev"' not in page
    assert 'rel="next"' in page


def test_only_comparisons_are_offered_of_which_there_is_something_to_see(as_bob: Client) -> None:
    version = define()
    for day in (4, 3, 2, 1):
        for locale in EATEN:
            if (day, locale) != (2, "fr_FR"):
                send_shares(version, 200, locale=locale, day=days_ago(day), seed=day)
    aggregate(version)
    newest = {name: str(days_ago(1)) for name in ("from", "to", "other-from", "other-to")}
    page = as_bob.get(PAGE, newest)
    assert [label.split(":")[0] for label in others(page)] == ["English (United States)"]
    for address in others(page).values():
        assert cells(as_bob.get(PAGE + address)), re.findall(r"<h2.*?</h3>", words(as_bob.get(PAGE + address)))
    # Two days before of both, and nothing after.
    two = {name: str(days_ago(3)) for name in ("from", "to", "other-from", "other-to")}
    written = day_range(days_ago(3), days_ago(3))
    assert list(others(as_bob.get(PAGE, two))) == [
        "Both earlier",
        *(f"{place}: {written} and the days before" for place in ("English (United States)", "French (France)")),
    ]


def test_of_words_an_earlier_list_is_offered_where_there_is_one(as_bob: Client) -> None:
    version = define_words(alphabet="abeilost")
    send_words(version, 600, words={"lol": 0.6, "able": 0.4}, day=days_ago(2))
    aggregate(version)
    for locale in ("en_US", "fr_FR"):
        send_words(version, 600, locale=locale, words={"lol": 0.4, "able": 0.6}, day=days_ago(1))
    aggregate(version, days_ago(1), days_ago(1))
    offered = others(as_bob.get("/use-cases/words/compare/"))
    day = day_range(days_ago(1), days_ago(1))
    assert list(offered) == [f"English (United States): {day} and the days before"]
    assert cells(as_bob.get(f"/use-cases/words/compare/{offered.popitem()[1]}"))
