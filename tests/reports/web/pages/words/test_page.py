"""The page of discovered words: each with what is known of it, as what it is, and to whom it is shown."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.models import Version
from reports.words import Decided, decide
from tests.reports.found_words import change_word, define_search, find
from tests.reports.small_fleet import days_ago
from tests.reports.web.pages.reading import chart, exported, table, words
from tests.reports.web.pages.words.page import FOUND, PAGE, row

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ARABIC = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"


@pytest.mark.usefixtures("found")
def test_the_page_says_how_to_read_it(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    for text in (
        "Estimated share of all reports, with 95 % intervals, adjusted for showing only the largest.",
        "so this is not how often people type a word, nor how many people do.",
        "Words below the threshold T = 50 reports cannot be told from noise, and are not shown.",
        "13 candidates are below it",
        "A word with a share of 1.23 % is found nine times in ten; rarer ones are missed more often.",
        "more often. A word that is missing may still be typed.</p>",
        "<dt>Reports (n)</dt><dd>10,000</dd>",
        "<dt>Candidates tried</dt><dd>55</dd>",
        "<dt>Cut-off for parts of words, in reports</dt><dd>111 – 130</dd>",
        "<dt>Smallest share that is found 9 times in 10</dt><dd>1.23 %</dd>",
        "<dd>5 of 5 above T</dd>",
        "<dt>Letters 3 and 4</dt> <dd> 2,000 reports; cut at 120, 8 kept </dd>",
        "<dt>Words put together from fragments</dt> <dd> 4,321 </dd>",
    ):
        assert text in page, text
    assert "dictionary has changed" not in page
    assert "Rarer words are missing" not in page


def test_what_a_ceiling_cost_is_said(search: Version, as_bob: Client) -> None:
    find(search, FOUND, capped=True, strictness=1.301)
    page = words(as_bob.get(PAGE))
    assert "More than 4,096 fragments of a position stood out" in page
    assert "The cuts were raised by a factor of 1.31" in page
    assert page.count("Rarer words are missing") == 2


@pytest.mark.usefixtures("found")
def test_each_word_says_what_is_known_of_it(as_bob: Client) -> None:
    change_word("yeet", is_new=True, first_day=days_ago(30), last_day=days_ago(2))
    page = words(as_bob.get(PAGE))
    assert "new since the last run" in row(page, "yeet")
    assert 'href="/use-cases/slang/elements/?element=yeet"' in row(page, "yeet")
    assert f'<time datetime="{days_ago(30)}">' in row(page, "yeet")
    assert f'<time datetime="{days_ago(2)}">' in row(page, "yeet")
    assert "new since" not in row(page, "rizz")
    assert row(page, "rizz").count("> — <") == 2
    assert "in all runs until this list was made; they may lie outside its window." in page
    assert "only over a window as a whole, or its days may not be published by themselves" in page
    assert "may be a prefix" in row(page, "skibid")
    assert "may be a prefix" in row(page, "selfie"), "as long as words may be"
    assert "may be a prefix" not in row(page, "lov")
    assert 'lacks the last letter of “<bdi lang="en-US">love</bdi>”' in row(page, "lov")
    assert page.count("lacks the last letter") == 1
    hovers = chart(as_bob.get(PAGE))["data"][0]["hovertext"]
    assert ["new since the last run" in hover for hover in hovers] == [False, True, False, False, False]


@pytest.mark.usefixtures("sorted_words")
def test_verdicts_are_words_with_whose_they_are(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    yeet = re.sub("<[^>]*>", "", row(page, "yeet"))
    assert re.search(r"accepted into slang-words, by alice, \w+ \d+, \d{4}: everybody &lt;i&gt;says&lt;/i&gt; it", yeet)
    assert "truncated" in row(page, "lov")
    assert "foreign" in row(page, "selfie")
    assert "by <bdi>" not in row(page, "skibid")
    User.objects.get(username="alice").delete()
    assert "by <bdi>a former user</bdi>" in words(as_bob.get(PAGE))


def test_words_run_as_their_script_does(as_bob: Client) -> None:
    version = define_search(locales=["ar_SA"], alphabet={"ar_SA": ARABIC})
    find(version, ["يلا", "12"], locale="ar_SA")
    response = as_bob.get(PAGE)
    assert '<bdi class="element" lang="ar-SA" dir="rtl">يلا</bdi>' in words(response)
    assert chart(response)["layout"]["yaxis"]["ticktext"] == ["\u2068يلا\u2069", "12"]
    assert "led by \u2068يلا\u2069 with" in words(response)
    assert exported(as_bob, response, "csv")[0]["element"] == "يلا"


def test_accents_are_as_they_were_typed(search: Version, as_bob: Client) -> None:
    find(search, ["touïté", "déjà"], locale="fr_FR")
    response = as_bob.get(PAGE + "?locale=fr_FR")
    assert '<bdi class="element" lang="fr" dir="ltr">déjà</bdi>'.replace('"fr"', '"fr-FR"') in words(response)
    for typed in ("DÉJ", "dej", "DEJA", "dêjä"):
        assert table(as_bob.get(PAGE, {"locale": "fr_FR", "q": typed})) == ["déjà"]
    assert table(as_bob.get(PAGE, {"locale": "fr_FR", "q": "\u0301"})) == [], "a mark alone is in no word"


@pytest.mark.usefixtures("found")
def test_the_table_is_one_to_whoever_hears_it(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    assert "Discovered words of English (United States)," in page
    assert page.count('<th role="rowheader" scope="row">') == 6, "with all that is not shown"
    assert page.count('role="columnheader"') == 6
    assert 'aria-sort="ascending"' in page


@pytest.mark.usefixtures("found")
def test_owners_sort_and_all_see_the_dictionaries(as_alice: Client, as_bob: Client) -> None:
    assert "/use-cases/slang/sort/?locale=en_US" in words(as_alice.get(PAGE))
    assert "/use-cases/slang/sort/" not in words(as_bob.get(PAGE))
    for client in (as_alice, as_bob):
        address = re.findall(r'<a href="([^"]*)">Dictionaries of accepted words</a>', words(client.get(PAGE)))[0]
        assert client.get(address).status_code == 200


def test_the_number_of_queries_does_not_grow(search: Version, alice: User, as_bob: Client) -> None:
    find(search, ["w1"], first=days_ago(1))
    with CaptureQueriesContext(connection) as few:
        assert len(table(as_bob.get(f"{PAGE}?top=200"))) == 1
    many = [f"w{number}" for number in range(300)]
    find(search, many)
    decisions = [
        Decided(word, "accepted" if word.endswith("7") else "rejected", "w" * word.endswith("7")) for word in many[::2]
    ]
    decide(alice, search.use_case, "en_US", decisions)
    with CaptureQueriesContext(connection) as more:
        response = as_bob.get(f"{PAGE}?top=200&words=all&from={days_ago(7)}&to={days_ago(1)}")
    assert len(table(response)) == 200
    assert len(chart(response)["data"][0]["x"]) == 200
    assert len(more) <= len(few)


def test_what_devices_cut_off_is_no_slip_of_somebody(search: Version, as_bob: Client) -> None:
    find(search, ["becaus", "shoul"])
    page = words(as_bob.get(PAGE))
    assert "may be a prefix" in row(page, "becaus")
    assert "lacks the last letter" not in row(page, "becaus")
    assert "lacks the last letter" in row(page, "shoul")
