"""Choosing among discovered words: by what was decided, by what is new, by version; and what then is left."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import Version
from reports.words import Decided, decide
from tests.reports.found_words import change_word, define_search, find
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import exported, make_histogram, table, words
from tests.reports.web.pages.words.page import FOUND, PAGE, row

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def turned(db: None) -> None:
    """A use case that counted a dictionary of two categories first, and now finds words."""
    counted = [{"element": "lol", "category": "short"}, {"element": "banana", "category": "long"}]
    version = define(
        slug="slang", dictionary=counted, normalization="word", locales=["de_DE", "en_US"], minimum_reports=100
    )
    make_histogram(version, ["lol_____", "banana__"])
    find(define_search(), FOUND)


def test_accepted_words_are_chosen_by_their_kind(found: Version, alice: User, as_bob: Client) -> None:
    kinds = {"yeet": "expression", "rizz": "abbreviation", "selfie": ""}
    decide(alice, found.use_case, "en_US", [Decided(word, "accepted", "slang", kind=kinds[word]) for word in kinds])
    response = as_bob.get(PAGE, {"words": "expression"})
    assert table(response) == ["yeet"]
    assert "accepted (expression)" in row(words(response), "yeet")
    assert [entry["kind"] for entry in exported(as_bob, response, "json")["entries"]] == ["expression"]
    assert "accepted as one of this kind" in words(as_bob.get(PAGE, {"words": "borrowed"}))


@pytest.mark.usefixtures("found")
def test_words_are_sorted_by_the_first_day_with_those_of_no_day_last(as_bob: Client) -> None:
    change_word("yeet", first_day=days_ago(5))
    change_word("rizz", first_day=days_ago(2))
    response = as_bob.get(PAGE + "?sort=-first-seen")
    assert table(response) == ["rizz", "yeet", "lov", "skibid", "selfie"]
    assert re.search(r'aria-sort="descending"> <a href="\?sort=first-seen">First seen</a>', words(response))
    assert table(as_bob.get(PAGE + "?sort=first-seen")) == ["yeet", "rizz", "lov", "skibid", "selfie"]
    assert '<a href="?sort=-first-seen">First seen</a>' in words(as_bob.get(PAGE))
    # Words of the first or last days, not the most frequent ones.
    for query, shown in (
        ("-first-seen&top=1", ["rizz"]),
        ("first-seen&top=1", ["yeet"]),
        ("-first-seen&top=3", ["rizz", "yeet", "lov"]),
        ("first-seen&top=1&q=i", ["rizz"]),
    ):
        response = as_bob.get(f"{PAGE}?sort={query}")
        assert table(response) == shown
        assert [entry["element"] for entry in exported(as_bob, response, "csv")] == shown


@pytest.mark.usefixtures("sorted_words")
def test_rejected_words_are_hidden_until_asked_for(as_bob: Client) -> None:
    response = as_bob.get(PAGE)
    assert table(response) == ["lov", "yeet", "skibid", "selfie"]
    assert '1 rejected word is hidden. <a href="?words=rejected">Show it</a>' in words(response)
    assert "<dd>4 of 5 above T</dd>" in words(response)
    assert "rizz" not in words(response)
    ranks = re.findall(r'class="number rank">(\d+)<', words(response))
    assert ranks == ["1", "2", "3", "5"], "ranks do not change by hiding"
    shown = as_bob.get(PAGE + "?words=rejected")
    assert table(shown) == ["rizz"]
    assert "rejected word is hidden" not in words(shown)
    assert "no word" in row(words(shown), "rizz")


@pytest.mark.usefixtures("sorted_words")
def test_words_are_chosen_by_what_was_decided(as_bob: Client) -> None:
    change_word("lov", is_new=True)
    change_word("rizz", is_new=True)  # which was rejected
    for choice, shown in (
        ("all", FOUND),
        ("new", ["lov"]),
        ("undecided", ["skibid"]),
        ("accepted", ["yeet"]),
        ("truncated", ["lov"]),
        ("foreign", ["selfie"]),
    ):
        response = as_bob.get(PAGE, {"words": choice})
        assert table(response) == shown
        assert re.search(rf'<option value="{choice}" selected>', words(response))
        document = exported(as_bob, response, "json")
        assert document["words"] == choice
        assert [entry["element"] for entry in document["entries"]] == shown


def test_a_decision_taken_back_leaves_the_word_undecided(sorted_words: Version, alice: User, as_bob: Client) -> None:
    decide(alice, sorted_words.use_case, "en_US", [Decided("rizz", "undecided", "", "looked again")])
    assert table(as_bob.get(PAGE + "?words=undecided")) == ["skibid", "rizz"]
    page = words(as_bob.get(PAGE + "?words=undecided"))
    assert "verdict-" not in page
    assert "looked again" not in page, "its note is with its history, for those who sort"


def test_if_nothing_is_left_to_show_the_page_says_why(found: Version, alice: User, as_bob: Client) -> None:
    page = words(as_bob.get(PAGE + "?words=accepted"))
    assert "No word of this kind" in page
    assert "None of the 5 words above the threshold is accepted." in page
    assert '<a class="button primary" href="?">Show everything</a>' in page
    assert "“&lt;b&gt;”" in words(as_bob.get(PAGE, {"q": "<b>"}))
    decide(alice, found.use_case, "en_US", [Decided(word, "rejected") for word in FOUND])
    page = words(as_bob.get(PAGE))
    assert "5 rejected words are hidden." in page
    assert '<a class="button primary" href="?words=rejected">Show the rejected words</a>' in page
    assert "Show everything" not in page, "this is everything already"
    assert "All 5 words above the threshold were rejected." in page


def none_of_kind(client: Client, kind: str) -> str:
    page = words(client.get(PAGE, {"words": kind}))
    ((said, more),) = re.findall(r"No word of this kind</h2> <p>\s*(.*?)\s*</p> (.*?)</section>", page)
    assert "Show everything" in more
    return str(said)


def test_each_kind_says_by_itself_that_it_has_no_word(found: Version, alice: User, as_bob: Client) -> None:
    rest = {
        "accepted": "is accepted", "rejected": "is rejected", "truncated": "is marked as truncated",
        "foreign": "is marked as foreign",
    }  # fmt: skip
    for kind, said in rest.items():
        assert none_of_kind(as_bob, kind) == f"None of the 5 words above the threshold {said}."
    decide(alice, found.use_case, "en_US", [Decided(word, "foreign") for word in FOUND])
    assert none_of_kind(as_bob, "undecided") == "All 5 words above the threshold are decided."
    assert none_of_kind(as_bob, "new") == "This is the first list of this locale: there is nothing to compare with."


def test_a_list_without_news_says_whether_there_could_be_any(found: Version, alice: User, as_bob: Client) -> None:
    find(found, ["wesh"], locale="fr_FR", first=days_ago(20), last=days_ago(14))
    find(found, ["later"], last=days_ago(0))
    address = f"{PAGE}?words=new&from={days_ago(7)}&to={days_ago(1)}"
    assert "This is the first list of this locale" in words(as_bob.get(address))
    find(found, ["old"], first=days_ago(20), last=days_ago(14))
    oldest = f"{PAGE}?words=new&from={days_ago(20)}&to={days_ago(14)}"
    assert "This is the first list of this locale" in words(as_bob.get(oldest))
    page = words(as_bob.get(f"{PAGE}?words=new"))
    assert "The one word above the threshold is not new since the last run." in page
    change_word("later", is_new=True)
    decide(alice, found.use_case, "en_US", [Decided("later", "rejected")])
    page = words(as_bob.get(f"{PAGE}?words=new"))
    assert "All words that are new since the last run were rejected." in page
    assert '<a class="button" href="?words=rejected">Show the rejected word</a>' in page


def test_newcomers_are_announced(found: Version, alice: User, as_bob: Client) -> None:
    assert "new since the last run." not in words(as_bob.get(PAGE))
    change_word("yeet", is_new=True)
    change_word("rizz", is_new=True)
    change_word("selfie", is_new=True)
    link = '<a href="?words=new">Show them</a>'
    # Also where the list is too short for them.
    top = as_bob.get(PAGE + "?top=1")
    assert f"3 words are new since the last run. {link}".replace("?", "?top=1&amp;") in words(top)
    decide(alice, found.use_case, "en_US", [Decided("yeet", "rejected")])
    assert f"2 words are new since the last run. {link}" in words(as_bob.get(PAGE))
    assert table(as_bob.get(PAGE + "?words=new")) == ["rizz", "selfie"]
    assert "are new since the last run." not in words(as_bob.get(PAGE + "?words=new"))
    decide(alice, found.use_case, "en_US", [Decided("rizz", "rejected")])
    assert '1 word is new since the last run. <a href="?words=new">Show it</a>' in words(as_bob.get(PAGE))


def test_owners_see_how_many_are_undecided(found: Version, alice: User, as_alice: Client, as_bob: Client) -> None:
    decide(alice, found.use_case, "en_US", [Decided("yeet", "rejected")])
    change_word("lov", is_new=True)
    assert ">Review these words (4 undecided)</a>" in words(as_alice.get(PAGE + "?words=rejected&top=1"))
    assert "undecided)" not in words(as_bob.get(PAGE))
    decide(alice, found.use_case, "en_US", [Decided(word, "foreign") for word in FOUND])
    assert ">Review these words</a>" in words(as_alice.get(PAGE))


@pytest.mark.usefixtures("published")
def test_a_dictionary_has_no_words_to_choose(as_bob: Client) -> None:
    for query in ("words=all", "sort=first-seen"):
        response = as_bob.get(f"/use-cases/fruits/histogram.csv?{query}")
        assert response.status_code == 400
        assert "This version counts a dictionary and looks for no words." in words(response)
    assert 'name="words"' not in words(as_bob.get("/use-cases/fruits/"))
    assert "sort/" not in words(as_bob.get("/use-cases/fruits/"))


@pytest.mark.usefixtures("turned")
def test_choosing_another_version_leaves_behind_what_it_does_not_have(as_bob: Client) -> None:
    for chosen, shown in (
        ("version=1&words=accepted&sort=-first-seen&q=o", "version=1&q=o"),
        ("version=1&locale=fr_FR", "version=1"),
        ("version=2&group=category", ""),
        ("version=2&category=short&locale=de_DE&sort=name", "sort=name"),
    ):
        response = as_bob.get(f"{PAGE}?{chosen}")
        assert (response.status_code, response.headers["Location"]) == (302, f"{PAGE}?{shown}".rstrip("?"))
        assert as_bob.get(response.headers["Location"]).status_code == 200
        assert as_bob.get(f"{PAGE}histogram.csv?{chosen}").status_code == 400


@pytest.mark.usefixtures("turned")
def test_what_no_version_has_stays_an_error(as_bob: Client) -> None:
    for query in ("version=1&words=bad", "version=2&group=bad", "version=1&locale=xx", "sort=seen"):
        assert as_bob.get(f"{PAGE}?{query}").status_code == 400
