"""The page of discovered words: each with what is known of it, and plainly what cannot be found."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.models import Discovery, ReadOut, Run, Sealing, Version
from reports.pages.numbers import day_range
from reports.runs import finish_inline
from reports.words import Decided, decide
from tests.reports.found_words import define_search, entry, find
from tests.reports.pages.reading import chart, exported, make_histogram, table, words
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/slang/"
FOUND = ["lov", "yeet", "skibid", "rizz", "selfie"]
ARABIC = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"


@pytest.fixture
def search(db: None) -> Version:
    return define_search()


@pytest.fixture
def found(search: Version) -> Version:
    find(search, FOUND)
    return search


@pytest.fixture
def sorted_words(found: Version, alice: User) -> Version:
    decisions = [
        Decided("yeet", "accepted", "slang-words", "everybody <i>says</i> it"),
        Decided("rizz", "rejected", "", "no word"),
        Decided("lov", "truncated"),
        Decided("selfie", "foreign"),
    ]
    decide(alice, found.use_case, "en_US", decisions)
    return found


def row(page: str, word: str) -> str:
    """What the table says of a word."""
    rows: list[str] = re.findall(r'<tr role="row"> <td.*?</tr>', page)
    return next(row for row in rows if f">{word}</bdi> <span" in row)


def sealed_day(version: Version, day: int) -> None:
    """A day whose reports were sketched."""
    sealing = Sealing.objects.create(version=version, day=days_ago(day))
    ReadOut.objects.create(
        version=version, locale="en_US", day=sealing.day, sealing=sealing, n=5, file_name=f"day-{day}"
    )


def finished_run(version: Version, first: int, last: int, state: Run.State = Run.State.FINISHED) -> None:
    Run.objects.create(
        version=version, first_day=days_ago(first), last_day=days_ago(last), state=state, failure="The disk is full."
    )


@pytest.mark.usefixtures("found")
def test_page_csv_json_and_chart_have_the_same_words(as_bob: Client) -> None:
    for query, shown in (
        ("", FOUND),
        ("?sort=-name", ["yeet", "skibid", "selfie", "rizz", "lov"]),
        ("?q=e", ["yeet", "selfie"]),
        ("?top=2&words=all", ["lov", "yeet"]),
        (f"?from={days_ago(7)}&to={days_ago(1)}", FOUND),
    ):
        response = as_bob.get(PAGE + query)
        assert table(response) == shown
        assert [entry["element"] for entry in exported(as_bob, response, "csv")] == shown
        assert [entry["element"] for entry in exported(as_bob, response, "json")["entries"]] == shown
        assert len(chart(response)["data"][0]["x"]) == len(shown)


@pytest.mark.usefixtures("found")
def test_the_page_says_how_to_read_it(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    for text in (
        "Estimated share of all reports, with 95 % intervals, adjusted for showing only the largest.",
        "so this is not how often people type a word, nor how many people do.",
        "Words under T = 50 reports are not shown: they cannot be told from noise.",
        "13 candidates are below it",
        "A word with a share of 1.23 % is found nine times in ten; rarer ones are missed more often.",
        "more often. What is missing is absent, not zero. </p>",
        "<dt>Reports (n)</dt><dd>10,000</dd>",
        "<dt>Candidates tried</dt><dd>55</dd>",
        "<dt>Cut, in reports of a position</dt><dd>110 – 130</dd>",
        "<dt>Smallest share found with probability 0.9</dt><dd>1.23 %</dd>",
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
    entry("yeet").update(is_new=True, first_day=days_ago(30), last_day=days_ago(2))
    page = words(as_bob.get(PAGE))
    assert "new since the last run" in row(page, "yeet")
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


@pytest.mark.usefixtures("found")
def test_words_are_sorted_by_the_first_day_with_those_of_no_day_last(as_bob: Client) -> None:
    entry("yeet").update(first_day=days_ago(5))
    entry("rizz").update(first_day=days_ago(2))
    response = as_bob.get(PAGE + "?sort=-first-seen")
    assert table(response) == ["rizz", "yeet", "lov", "skibid", "selfie"]
    assert re.search(r'aria-sort="descending"> <a href="\?sort=first-seen">First seen</a>', words(response))
    assert table(as_bob.get(PAGE + "?sort=first-seen")) == ["yeet", "rizz", "lov", "skibid", "selfie"]
    assert '<a href="?sort=-first-seen">First seen</a>' in words(as_bob.get(PAGE))
    # Of all words those of the first or last days, not of the most frequent ones.
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
def test_verdicts_are_words_with_whose_they_are(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    yeet = re.sub("<[^>]*>", "", row(page, "yeet"))
    assert re.search(
        r"accepted into slang-words, by alice, \w+\. \d+, \d{4}: everybody &lt;i&gt;says&lt;/i&gt; it", yeet
    )
    assert "truncated" in row(page, "lov")
    assert "foreign" in row(page, "selfie")
    assert "by <bdi>" not in row(page, "skibid")
    User.objects.get(username="alice").delete()
    assert "by <bdi>somebody who has left</bdi>" in words(as_bob.get(PAGE))


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
@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        ("all", FOUND),
        ("new", ["lov"]),
        ("undecided", ["skibid"]),
        ("accepted", ["yeet"]),
        ("truncated", ["lov"]),
        ("foreign", ["selfie"]),
    ],
)
def test_words_are_chosen_by_what_was_decided(choice: str, shown: list[str], as_bob: Client) -> None:
    entry("lov").update(is_new=True)
    entry("rizz").update(is_new=True)  # which was rejected
    response = as_bob.get(PAGE, {"words": choice})
    assert table(response) == shown
    assert re.search(rf'<option value="{choice}" selected>', words(response))
    assert exported(as_bob, response, "json")["words"] == choice
    assert [entry["element"] for entry in exported(as_bob, response, "csv")] == shown


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
    assert '<a class="button" href="?words=rejected">Show the rejected words</a>' in page
    assert "Show everything" not in page, "this is everything already"
    assert "All 5 words above the threshold were rejected." in page


def none_of_kind(client: Client, kind: str) -> str:
    page = words(client.get(PAGE, {"words": kind}))
    ((said, more),) = re.findall(r"No word of this kind</h3> <p>(.*?)</p> (.*?)</div>", page)
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
    assert none_of_kind(as_bob, "undecided") == "Somebody has decided about each of the 5 words above the threshold."
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
    entry("later").update(is_new=True)
    decide(alice, found.use_case, "en_US", [Decided("later", "rejected")])
    page = words(as_bob.get(f"{PAGE}?words=new"))
    assert "All words that are new since the last run were rejected." in page
    assert '<a class="button" href="?words=rejected">Show the rejected word</a>' in page


def test_newcomers_are_announced(found: Version, alice: User, as_bob: Client) -> None:
    assert "new since the last run." not in words(as_bob.get(PAGE))
    entry("yeet").update(is_new=True)
    entry("rizz").update(is_new=True)
    entry("selfie").update(is_new=True)
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
    entry("lov").update(is_new=True)
    assert ">Sort these words (4 undecided)</a>" in words(as_alice.get(PAGE + "?words=rejected&top=1"))
    assert "undecided)" not in words(as_bob.get(PAGE))
    decide(alice, found.use_case, "en_US", [Decided(word, "foreign") for word in FOUND])
    assert ">Sort these words</a>" in words(as_alice.get(PAGE))


def test_words_are_texts_and_nothing_else(as_bob: Client) -> None:
    hostile = ["<b>x", "=1+1", "\"'&gt;", "</td>", "<a/b>", "2024"]
    version = define_search(alphabet={"en_US": "<>/=+\"'&;012345abtdgx", "fr_FR": "a"})
    find(version, hostile)
    response = as_bob.get(PAGE)
    page = response.content.decode()
    for text in ("<b>x", "\"'&gt;", "</td></bdi>", "<a/b>"):
        assert text not in page
    figure = chart(response)
    labels = figure["layout"]["yaxis"]["ticktext"]
    assert labels == ["&lt;b&gt;x", "=1+1", "\"'&amp;gt;", "&lt;/td&gt;", "&lt;a/b&gt;", "2024"]
    assert labels == figure["layout"]["meta"]["named"]
    for hover in figure["data"][0]["hovertext"]:
        assert re.sub(r"^<b>(.*?)</b><br>", r"\1", hover).replace("<br>", "").count("<") == 0
    assert "led by &lt;b&gt;x with" in re.findall(r'aria-label="(Bar chart[^"]*)"', page)[0]
    rows = exported(as_bob, response, "csv")
    assert [row["element"] for row in rows] == [hostile[0], "'=1+1", *hostile[2:]]
    entries = exported(as_bob, response, "json")["entries"]
    assert [entry["element"] for entry in entries] == hostile
    found = re.search(r'href="([^"]*histogram\.csv\?[^"]*)"', page)
    assert found is not None
    name = as_bob.get(found[1].replace("&amp;", "&")).headers["Content-Disposition"]
    assert name == f'attachment; filename="slang-en_US-{days_ago(7)}-{days_ago(1)}.csv"'


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
    assert page.count('<th role="rowheader" scope="row">') == 5
    assert page.count('role="columnheader"') == 7
    assert 'aria-sort="ascending"' in page


@pytest.mark.usefixtures("found")
def test_owners_sort_and_all_see_the_dictionaries(as_alice: Client, as_bob: Client) -> None:
    assert "/use-cases/slang/sort/?locale=en_US" in words(as_alice.get(PAGE))
    assert "/use-cases/slang/sort/" not in words(as_bob.get(PAGE))
    for client in (as_alice, as_bob):
        address = re.findall(r'<a href="([^"]*)">Dictionaries of accepted words</a>', words(client.get(PAGE)))[0]
        assert client.get(address).status_code == 200


def test_charlie_sees_no_words(found: Version, charlie: User, login: Callable[[User], Client]) -> None:
    assert login(charlie).get(PAGE).status_code == 404


def test_the_newest_window_is_shown_and_others_are_linked(search: Version, as_bob: Client) -> None:
    find(search, ["old"], first=days_ago(20), last=days_ago(14))
    find(search, ["short"], first=days_ago(3), last=days_ago(1))
    find(search, ["long"])
    response = as_bob.get(PAGE)
    assert table(response) == ["long"]
    links = re.findall(r'<a href="(\?from=[^"]*)"', words(response))
    assert [table(as_bob.get(PAGE + link.replace("&amp;", "&"))) for link in links] == [["long"], ["short"], ["old"]]


def test_each_state_has_its_own_words(search: Version, as_alice: Client, as_bob: Client) -> None:
    assert "No reports yet" in words(as_bob.get(PAGE))
    sealed_day(search, 3)
    assert "nobody has looked for words in them" in words(as_bob.get(PAGE))
    assert "Aggregate now" not in words(as_bob.get(PAGE))
    assert "Aggregate now" in words(as_alice.get(PAGE))
    finished_run(search, 3, 3, Run.State.RUNNING)
    assert "Words are being looked for" in words(as_bob.get(PAGE))
    Run.objects.update(state=Run.State.FAILED)
    assert "The disk is full." in words(as_bob.get(PAGE))
    Run.objects.update(state=Run.State.FINISHED)
    page = words(as_bob.get(PAGE))
    assert "Too few reports to show" in page
    assert "A run has looked for words here, but what it found may not be shown." in page
    assert "only where no fewer could be singled out by subtracting" in page
    find(search, [], first=days_ago(3), last=days_ago(3))
    page = words(as_bob.get(PAGE))
    assert "No word stands out from the noise" in page
    assert "Of 55 candidates, none reaches the threshold T = 50 reports." in page
    assert "A word with a share of 1.23 % is found nine times in ten" in page
    Discovery.objects.update(smallest_share=1)
    page = words(as_bob.get(PAGE))
    assert "However large its share, a word is found less than nine times in ten. What is missing is absent" in page


def test_a_window_nobody_searched_says_what_to_do(found: Version, as_alice: Client, as_bob: Client) -> None:
    for day in (5, 4, 3):
        sealed_day(found, day)
    address = f"{PAGE}?from={days_ago(5)}&to={days_ago(4)}"
    page = words(as_bob.get(address))
    assert "These days have no list of words yet" in page
    assert "Ask somebody in the group keyboard-owners." in page
    assert "Look for words in these days" not in page
    page = words(as_alice.get(address))
    form = re.findall(r'<form method="post" action="/use-cases/slang/runs/">.*?</form>', page)[0]
    assert "Look for words in these days" in form
    assert re.search(rf'name="from" value="{days_ago(5)}"', form)
    assert re.search(rf'name="to" value="{days_ago(4)}"', form)
    assert table(as_alice.get(PAGE)) == FOUND


def test_a_window_that_was_searched_in_vain_is_not_searched_again(found: Version, as_bob: Client) -> None:
    for day in (5, 4, 3):
        sealed_day(found, day)
    finished_run(found, 5, 4)
    assert "may not be shown" in words(as_bob.get(f"{PAGE}?from={days_ago(5)}&to={days_ago(4)}"))
    assert "may not be shown" in words(as_bob.get(f"{PAGE}?from={days_ago(6)}&to={days_ago(4)}")), "the same days"
    assert "have no list of words yet" in words(as_bob.get(f"{PAGE}?from={days_ago(5)}&to={days_ago(3)}"))
    assert "No reports in this window" in words(as_bob.get(f"{PAGE}?from={days_ago(9)}&to={days_ago(8)}"))


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("query", ["words=bad", "group=size", "sort=seen", "locale=de_DE"])
def test_what_cannot_be_understood_is_said(query: str, as_bob: Client) -> None:
    assert as_bob.get(f"{PAGE}?{query}").status_code == 400
    assert as_bob.get(f"{PAGE}histogram.csv?{query}").status_code == 400


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("query", ["words=all", "sort=first-seen"])
def test_a_dictionary_has_no_words_to_choose(query: str, as_bob: Client) -> None:
    response = as_bob.get(f"/use-cases/fruits/histogram.csv?{query}")
    assert response.status_code == 400
    assert "This version counts a dictionary and looks for no words." in words(response)
    assert 'name="words"' not in words(as_bob.get("/use-cases/fruits/"))
    assert "sort/" not in words(as_bob.get("/use-cases/fruits/"))


@pytest.fixture
def turned(db: None) -> None:
    """A use case that counted a dictionary of two categories first, and now finds words."""
    counted = [{"element": "lol", "category": "short"}, {"element": "banana", "category": "long"}]
    version = define(
        slug="slang", dictionary=counted, normalization="word", locales=["de_DE", "en_US"], minimum_reports=100
    )
    make_histogram(version, ["lol_____", "banana__"])
    find(define_search(), FOUND)


@pytest.mark.usefixtures("turned")
@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ("version=1&words=new", "version=1"),
        ("version=1&sort=first-seen", "version=1"),
        ("version=1&words=accepted&sort=-first-seen&q=o", "version=1&q=o"),
        ("version=1&locale=fr_FR", "version=1"),
        ("version=2&group=category", ""),
        ("version=2&category=short&sort=name", "sort=name"),
        ("version=2&locale=de_DE", ""),
        ("version=2&category=short&locale=de_DE", ""),
    ],
)
def test_choosing_another_version_leaves_behind_what_it_does_not_have(chosen: str, shown: str, as_bob: Client) -> None:
    response = as_bob.get(f"{PAGE}?{chosen}")
    assert (response.status_code, response.headers["Location"]) == (302, f"{PAGE}?{shown}".rstrip("?"))
    assert as_bob.get(response.headers["Location"]).status_code == 200
    assert as_bob.get(f"{PAGE}histogram.csv?{chosen}").status_code == 400


@pytest.mark.usefixtures("turned")
@pytest.mark.parametrize("query", ["version=1&words=bad", "version=2&group=bad", "version=1&locale=xx", "sort=seen"])
def test_what_no_version_has_stays_an_error(query: str, as_bob: Client) -> None:
    assert as_bob.get(f"{PAGE}?{query}").status_code == 400


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


def test_the_button_looks_for_words_in_exactly_this_window(as_alice: Client, as_bob: Client) -> None:
    version = define_words()
    for day in (4, 3, 2):
        send_words(version, 400, day=days_ago(day), seed=day)
    aggregate(version)
    address = f"/use-cases/words/?from={days_ago(4)}&to={days_ago(3)}"
    form = re.findall(
        r'<form method="post" action="(/use-cases/words/runs/)">(.*?)</form>', words(as_alice.get(address))
    )
    ((action, content),) = form
    sent = dict(re.findall(r'name="(version|from|to)" value="([^"]*)"', content))
    response = as_alice.post(action, sent)
    run = Run.objects.exclude(state=Run.State.FINISHED).get()
    assert (run.first_day, run.last_day) == (days_ago(4), days_ago(3))
    assert response.headers["Location"] == f"/runs/{run.pk}/"
    assert "Words are being looked for" in words(as_bob.get(address))
    finish_inline(run.pk, lambda _progress: None)
    response = as_bob.get(address)
    assert table(response) == ["lol", "able", "it's", "o"]
    assert exported(as_bob, response, "json")["n"] == 800
    assert table(as_bob.get("/use-cases/words/")) == table(response)
    assert "<dd>1,200</dd>" in words(as_bob.get("/use-cases/words/"))


def test_the_newest_days_are_searched_again_if_they_may_be_shown_now(as_alice: Client, as_bob: Client) -> None:
    version = define_words()
    send_words(version, 99, day=days_ago(2))
    aggregate(version)
    page = words(as_alice.get("/use-cases/words/"))
    assert "Too few reports to show" in page
    version.use_case.minimum_reports = 50
    version.use_case.save()
    page = words(as_bob.get("/use-cases/words/"))
    assert "The newest days have no list of words yet" in page
    assert "There are enough reports for one. The owners of this use case can start a run" in page
    assert "Ask somebody in the group keyboard-owners." in page
    assert '<form method="post" action="/use-cases' not in page
    page = words(as_alice.get("/use-cases/words/"))
    assert "A run looks for words in the 7 days up to the last that has reports" in page
    ((action, content),) = re.findall(r'<form method="post" action="(/use-cases/words/runs/)">(.*?)</form>', page)
    assert "Aggregate now" in content
    assert 'name="from"' not in content, "which would be empty"
    as_alice.post(action, dict(re.findall(r'name="(version)" value="([^"]*)"', content)))
    finish_inline(Run.objects.exclude(state=Run.State.FINISHED).get().pk, lambda _progress: None)
    assert "<dd>99</dd>" in words(as_bob.get("/use-cases/words/"))


def test_owners_learn_that_a_newer_list_may_not_be_shown(as_alice: Client, as_bob: Client) -> None:
    version = define_words()
    for day, reports in ((4, 400), (3, 400), (2, 50)):
        send_words(version, reports, day=days_ago(day), seed=day)
    aggregate(version, days_ago(4), days_ago(3))
    page = "/use-cases/words/"
    said = "could not be shown: either it is about fewer than 100 reports, or together with earlier windows"
    assert said not in words(as_alice.get(page)), "nobody has looked yet"
    aggregate(version, days_ago(4), days_ago(2))
    assert f"over {day_range(days_ago(4), days_ago(2))}, {said}" in words(as_alice.get(page))
    assert "<dd>800</dd>" in words(as_alice.get(page))
    assert said not in words(as_bob.get(page)), "who cannot do anything about it"
    assert said not in words(as_alice.get(f"{page}?from={days_ago(4)}&to={days_ago(3)}")), "that is what was asked for"
    send_words(version, 400, day=days_ago(1))
    aggregate(version, days_ago(4), days_ago(1))
    assert "<dd>1,250</dd>" in words(as_alice.get(page))
    assert said not in words(as_alice.get(page))


def test_what_devices_cut_off_is_no_slip_of_somebody(search: Version, as_bob: Client) -> None:
    find(search, ["becaus", "shoul"])
    page = words(as_bob.get(PAGE))
    assert "may be a prefix" in row(page, "becaus")
    assert "lacks the last letter" not in row(page, "becaus")
    assert "lacks the last letter" in row(page, "shoul")
