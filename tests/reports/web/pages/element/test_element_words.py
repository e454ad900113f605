"""The page of a discovered word: when it stood out, what was decided about it, and its lists."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.formatting import written_day
from reports.models import Version
from reports.words import Decided, decide
from tests.reports.entries import change_entries
from tests.reports.found_words import change_word, define_search, find
from tests.reports.small_fleet import days_ago
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_word_and_what_was_decided(alice: User, as_bob: Client) -> None:
    search = define_search()
    find(search, ["yeet", "lol"])
    change_word("yeet", first_day=days_ago(5), last_day=days_ago(2))
    decide(alice, search.use_case, "en_US", [Decided("yeet", "accepted", "slang-words")])
    text = text_of(as_bob.get("/use-cases/slang/elements/?element=yeet"))
    assert "stood out on single days, first on" in text
    assert "accepted: slang-words" in text
    assert "did not stand out on any single day" in text_of(as_bob.get("/use-cases/slang/elements/?element=lol"))
    assert as_bob.get("/use-cases/slang/elements/?element=rizz").status_code == 404


def test_a_word_and_when_it_stood_out_by_itself(as_bob: Client) -> None:
    search = define_search()
    on_one, on_some = find(search, ["yeet"]), find(search, ["yeet"], locale="fr_FR")
    change_entries(of={"histogram": on_one}, first_day=days_ago(3), last_day=days_ago(3))
    change_entries(of={"histogram": on_some}, first_day=days_ago(5), last_day=days_ago(2))
    text = text_of(as_bob.get("/use-cases/slang/elements/?element=yeet"))
    first, third, last = (written_day(days_ago(back)) for back in (5, 3, 2))
    assert f"English (United States): stood out on one day by itself, {third} " in text
    assert f"French (France): stood out on single days, first on {first} and last on {last} " in text


def test_words_have_lists_where_others_have_days(version: Version, as_bob: Client) -> None:
    find(define_search(), ["yeet"])
    publish_day(version, 1, {"apple": 1000})
    for address, heading in (
        ("/use-cases/slang/elements/?element=yeet", "List by list"),
        ("/use-cases/fruits/elements/?element=apple", "By day"),
    ):
        page = as_bob.get(address).content.decode()
        assert re.findall(r'<h2 id="days-title">([^<]*)</h2>', page) == [heading]


def test_of_words_whose_lists_end_every_day_the_page_has_fewer_locales(
    as_bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    locales = ["en_US", "de_DE", "es_ES", "fr_FR", "it_IT"]
    search = define_search(locales=locales, alphabet="abcdefghijklmnopqrstuvwxyz")
    for locale in locales:
        find(search, ["yeet"], locale=locale)
    # Fewer than five locales may have in fourteen days, more than in two weeks.
    monkeypatch.setattr("reports.web.pages.element.element_page.MOST_POINTS", 5 * 14 - 1)
    text = text_of(as_bob.get("/use-cases/slang/elements/?element=yeet&days=14"))
    assert "the table has only the 4 locales with the largest shares, of 5" in text


def test_a_rejected_word_is_for_those_who_decide(alice: User, as_alice: Client, as_bob: Client) -> None:
    search = define_search()
    find(search, ["yeet", "lol"])
    find(search, ["lol", "yeet"], locale="fr_FR")
    decide(alice, search.use_case, "en_US", [Decided("yeet", "rejected")])
    address = "/use-cases/slang/elements/?element=yeet"
    page = text_of(as_bob.get(address))
    assert "French (France)" in page
    assert "English (United States)" not in page
    assert "English (United States)" in text_of(as_alice.get(address))
    decide(alice, search.use_case, "fr_FR", [Decided("yeet", "rejected")])
    assert [client.get(address).status_code for client in (as_bob, as_alice)] == [404, 200]
    trend = "/use-cases/slang/trend/?element=yeet&element=lol"
    assert "yeet" not in as_bob.get(trend).content.decode().split("<table")[1].split("</table>")[0]
    assert "yeet" in as_alice.get(trend).content.decode().split("<table")[1].split("</table>")[0]
