"""Search for everything: what is found, what is said of it, and that nothing is found that one may not see."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.formatting import day_range
from reports.models import Annotation, Histogram, Run, SavedView, UseCase, Version, Viewing
from reports.words import Decided, decide
from tests.conftest import logged_in
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.pages import reading

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def found(client: Client, search: str) -> dict[str, list[dict[str, Any]]]:
    """The hits by what they are."""
    answer = client.get("/search.json", {"q": search}).json()
    return {group["kind"]: group["hits"] for group in answer["groups"]}


def titles(client: Client, search: str, kind: str) -> list[str]:
    return [hit["title"] for hit in found(client, search).get(kind, [])]


# --- Elements ---


def test_an_element_is_answered_with_its_share_in_each_use_case(published: Run, as_bob: Client) -> None:
    """The second use case has the same dictionary, and shows nothing yet."""
    define(slug="pears", title="Other fruits", parameters={"epsilon": 8, "k": 1024, "m": 64, "seed": "0e" * 16})
    entry = Histogram.objects.get(locale="en_US", first_day=days_ago(2), last_day=days_ago(1)).entries.at(0)
    share, lower, upper = (100 * x / 800 for x in (entry.estimate, entry.adjusted_lower, entry.adjusted_upper))
    with_share, without = found(as_bob, "appl")["element"]
    assert with_share["title"] == "apple"
    assert f"Fruits: {share:.2f} % ({lower:.2f} % – {upper:.2f} %) in" in with_share["detail"].replace("\u00a0", " ")
    assert with_share["address"] == "/use-cases/fruits/elements/?element=apple"
    assert without["detail"] == "Other fruits: in the dictionary; too few reports yet, or none"
    (below,) = [hit for hit in found(as_bob, "fig")["element"] if "Fruits:" in hit["detail"]]
    words = r"Fruits: too rare to be told from noise, \d\d?\.\d\d\s% of reports at most, .+ – .+"
    assert re.fullmatch(words, below["detail"])
    assert Viewing.objects.filter(what="search").count() == 2  # use cases, the first time on a day


def test_questions_are_answered_in_one_line(published: Run, as_bob: Client) -> None:
    for question, answered in (
        ("is apple a problem?", ("apple", "Fruits: ")),
        ("How many people use “apple” in English (United States)?", ("apple", "in English (United States), ")),
        ("quelle est la part de l'apple la semaine dernière ?", ("apple", "Fruits: ")),
        ("apple fruits today", ("apple", "Fruits: ")),
        ("apple fruits", ("apple", "Fruits: ")),
        ("top fruits in English last week", ("apple", "Fruits · English (United States) · ")),
        ("apple est-il un problème ?", ("apple", "Fruits: ")),
        ("which are the fruits of the last 2 days", ("apple", "Fruits · English (United States) · ")),
    ):
        Viewing.objects.all().delete()
        groups = as_bob.get("/search.json", {"q": question}).json()["groups"]
        assert groups[0]["kind"] == "answer"
        (hit,) = groups[0]["hits"]
        title, detail = answered
        assert title in hit["title"]
        assert detail in hit["detail"]
        assert day_range(days_ago(2), days_ago(1)) in hit["detail"]
        assert as_bob.get(hit["address"]).status_code == 200
        assert Viewing.objects.filter(what="search").exists()


def test_a_question_is_answered_by_what_is_not_made_up(published: Run, as_alice: Client) -> None:
    copied = define(slug="a-copy", title="Fruits", parameters={"epsilon": 8, "k": 1024, "m": 64, "seed": "0e" * 16})
    send(copied, 500, day=days_ago(1))
    aggregate(copied)
    UseCase.objects.filter(pk=copied.use_case_id).update(simulation_of=published.version.use_case)
    for question in ("is apple a problem?", "top fruits last week"):
        (hit,) = found(as_alice, question)["answer"]
        assert hit["address"].startswith("/use-cases/fruits/")


def test_questions_about_what_is_not_there_are_searched_without_their_empty_words(
    published: Run, as_bob: Client, charlie: User
) -> None:
    assert titles(as_bob, "how popular is bananna?", "element") == ["banana"]
    assert found(as_bob, "is zzz a problem?") == {}
    for question in ("is apple a problem?", "top fruits last week"):
        assert found(logged_in(charlie), question) == {}


def test_elements_are_found_by_nearly_their_names(published: Run, as_bob: Client) -> None:
    page = reading.text_of(as_bob.get("/search/?q=bananna"))
    assert "Nothing is called “bananna”. Nearly so: Elements banana Fruits:" in page
    page = reading.text_of(as_bob.get("/search/?q=zzz"))
    assert "Nothing that you may see is called “zzz”." in page
    assert "Show the use cases" in page


def test_emoji_are_found_by_names_and_by_themselves(as_bob: Client) -> None:
    define(normalization="emoji", dictionary=["😂", "❤️"])
    for search in ("tears joy", "larmes", "LARMES", "😂", "❤️ red", "cœur"):
        assert titles(as_bob, search, "element") == ["❤️" if "❤" in search or "c" in search else "😂️"]


def test_words_are_found_unless_they_are_rejected(alice: User, as_bob: Client) -> None:
    version = define_search()
    find(version, ["older"], first=days_ago(20), last=days_ago(14))
    find(version, ["yeet", "lol"])
    assert titles(as_bob, "yee", "element") == ["yeet"]
    # From an older list, written in full.
    assert titles(as_bob, "older", "element") == ["older"]
    decide(
        alice, version.use_case, "en_US", [Decided("yeet", "rejected", "", ""), Decided("older", "rejected", "", "")]
    )
    assert found(as_bob, "yeet") == found(as_bob, "older") == {}


# --- Everything else ---


def test_titles_and_descriptions_are_searched_whatever_the_accents(as_bob: Client) -> None:
    define(slug="popular-emoji", title="Keyboard emoji", description="As they are typed\nin cafés.")
    define(slug="pages", title="Web pages", parameters={"epsilon": 8, "k": 64, "m": 64, "seed": "0e" * 16})
    for search in ("keyboard", "EMOJI keyb", "cafes", "Cafés", "popular-emoji", "keybaord"):
        assert titles(as_bob, search, "use-case") == ["Keyboard emoji"]


def test_views_annotations_pages_and_actions_are_found(version: Version, alice: User, as_alice: Client) -> None:
    SavedView.objects.create(owner=alice, name="Breakfast", use_case=version.use_case, page="trend", query="days=7")
    Annotation.objects.create(use_case=version.use_case, day=days_ago(1), text="Release <4>")
    (view,) = found(as_alice, "breakf")["view"]
    assert view["address"] == "/use-cases/fruits/trend/?days=7"
    (annotation,) = found(as_alice, "release")["annotation"]
    assert annotation["address"].startswith("/use-cases/fruits/trend/?from=")
    assert "Release &lt;4&gt;" in reading.words(as_alice.get("/search/?q=release"))
    assert titles(as_alice, "workers", "page") == ["Operations"]
    (logout,) = found(as_alice, "sign out")["action"]
    assert logout["posts"]
    assert '<form method="post" action="/accounts/logout/">' in reading.words(as_alice.get("/search/?q=log+out"))


def test_nothing_is_found_that_one_may_not_see(published: Run, alice: User, charlie: User, as_bob: Client) -> None:
    """Bob sees the use case, but owns nothing; charlie sees nothing of it."""
    use_case = published.version.use_case
    SavedView.objects.create(owner=alice, name="Apple pie", use_case=use_case, page="use_case")
    Annotation.objects.create(use_case=use_case, day=days_ago(1), text="Apple day")
    Annotation.objects.create(use_case=None, day=days_ago(1), text="Apple year")
    assert set(found(as_bob, "apple")) == {"element", "annotation"}
    for search in ("apple", "fruits", "aple"):
        assert found(logged_in(charlie), search) == {}
    assert not Viewing.objects.filter(what="search").exclude(user__username="bob").exists()
    assert titles(as_bob, "operations", "page") == []
    assert found(as_bob, "new use case").get("action", []) == []
    assert as_bob.get("/search.json?q=").json()["groups"][0]["kind"] == "action"


def test_one_search_has_one_address(as_bob: Client) -> None:
    assert as_bob.get("/search/?q=+fruit+&x=1").headers["Location"] == "/search/?q=fruit"
    assert as_bob.get("/?q=fruit").headers["Location"] == "/search/?q=fruit"
    assert as_bob.get("/?x=1").headers["Location"] == "/"
    assert Client().get("/search.json?q=fruit").status_code == 302


def test_the_largest_share_comes_first_of_names_that_match_as_well(version: Version, as_bob: Client) -> None:
    send(version, 500, day=days_ago(1))
    aggregate(version)
    # By position elderberry and date would come before.
    assert titles(as_bob, "a", "element")[:2] == ["apple", "banana"]
