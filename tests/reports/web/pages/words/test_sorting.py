"""Sorting words on their page: what it shows, what is stored, and which words are there to be sorted."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reports.models import UseCase, Version, Viewing, WordDecision
from reports.web.pages.words.sorting_form import MOST_ROWS
from reports.words import accepted_words, newest_decisions
from tests.reports.found_words import change_word, define_search, find
from tests.reports.small_fleet import days_ago
from tests.reports.web.pages.reading import words as said
from tests.reports.web.pages.words.sorting import SORT, WORDS, filled_in, holding, lines, publish_words, sort
from tests.reports.words.published import find_instead

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def version(db: None) -> Version:
    return publish_words()


def test_a_row_says_what_is_known_of_a_word(as_alice: Client, version: Version) -> None:
    change_word("lmao", is_new=True, first_day=days_ago(3), last_day=days_ago(2))
    page = as_alice.get(SORT)
    found = lines(page)
    assert list(found) == WORDS
    text = said(page)
    assert "9.90 %, 990 reports" in text
    assert text.count('class="badge good">new<') == 1
    assert text.count("may be a prefix") == 1
    assert 'lacks the last letter of “<bdi lang="en-US">love</bdi>”' in text
    assert found["lov"].verdict == "undecided"  # a hint decides nothing
    assert text.count("on no single day by itself") == len(WORDS) - 1
    assert "Everybody who may see these words also sees verdicts, notes and who wrote them." in text


def test_words_are_sorted_and_the_page_stays(as_alice: Client, alice: User, version: Version) -> None:
    response = sort(
        as_alice,
        "slang",
        lmao={"verdict": "accepted"},
        bruh={"verdict": "rejected", "note": " a name "},
        lov={"verdict": "truncated"},
    )
    assert response.redirect_chain == [(SORT, 302)]
    assert "3 changes are saved." in said(response)
    assert holding(version) == {"lmao": "accepted", "bruh": "rejected", "lov": "truncated"}
    stored = newest_decisions(version.use_case, "en_US")
    assert (stored["lmao"].dictionary, stored["bruh"].note, stored["bruh"].decided_by) == ("slang", "a name", alice)
    # The card counts changes anew, without the rejected word.
    use_case = UseCase.objects.get(pk=version.use_case_id)
    assert use_case.clear_changes["generation"] == use_case.generation
    # They come after those that wait, and the dictionary is remembered.
    assert list(lines(response))[-3:] == ["lmao", "bruh", "lov"]
    assert response.context["form"].dictionary == "slang"
    assert '<option value="slang">' in said(response)


def test_only_what_was_changed_is_stored(as_alice: Client, version: Version) -> None:
    sort(as_alice, "slang", lmao={"verdict": "accepted"}, bruh={"verdict": "rejected"})
    assert "Nothing was changed" in said(sort(as_alice))
    assert "1 change is saved." in said(sort(as_alice, "other", bruh={"note": "a name"}))
    # A word accepted before stays where it is, even when its note is written into.
    sort(as_alice, "other", lmao={"note": "laughter"})
    assert newest_decisions(version.use_case, "en_US")["lmao"].dictionary == "slang"
    assert WordDecision.objects.count() == 4


def test_an_accepted_word_is_moved_by_one_save(as_alice: Client, version: Version) -> None:
    sort(as_alice, "slang", lmao={"verdict": "accepted", "note": "laughter"}, bruh={"verdict": "accepted"})
    page = as_alice.get(SORT)
    assert said(page).count("move into the dictionary of this page") == 2  # which the others are in none of
    response = sort(as_alice, "two words", lmao={"move": "yes"})
    assert (response.status_code, lines(response)["lmao"].move, lines(response)["bruh"].move) == (422, True, False)
    assert 'value="yes" checked' in said(response)
    response = sort(as_alice, "other", lmao={"move": "yes"})
    assert "1 change is saved." in said(response)
    assert not lines(response)["lmao"].move
    stored = newest_decisions(version.use_case, "en_US")
    assert {word: (each.verdict, each.dictionary, each.note) for word, each in stored.items()} == {
        "lmao": ("accepted", "other", "laughter"),
        "bruh": ("accepted", "slang", ""),
    }
    # It is there already; and what is no longer accepted goes nowhere.
    assert "Nothing was changed" in said(sort(as_alice, "other", lmao={"move": "yes"}))
    sort(as_alice, "other", bruh={"move": "yes", "verdict": "foreign"})
    assert newest_decisions(version.use_case, "en_US")["bruh"].dictionary == ""


def test_a_dictionary_is_proposed_so_that_accepting_works_at_once(as_alice: Client, version: Version) -> None:
    def proposed(locale: str) -> str:
        return str(as_alice.get(SORT, {"locale": locale}).context["form"].dictionary)

    find(version, ["wesh"], locale="fr_FR")
    assert (proposed("en_US"), proposed("fr_FR")) == ("slang-en", "slang-fr")
    sort(as_alice, proposed("en_US"), lmao={"verdict": "accepted"})
    # No word of French is meant for what is called English.
    assert (proposed("en_US"), proposed("fr_FR")) == ("slang-en", "slang-fr")
    sort(as_alice, "new", bruh={"verdict": "accepted"})
    assert (proposed("en_US"), proposed("fr_FR")) == ("new", "new")
    sort(as_alice, "nouveau", f"{SORT}?locale=fr_FR", wesh={"verdict": "accepted"})
    assert (proposed("en_US"), proposed("fr_FR")) == ("new", "nouveau")


def test_all_undecided_words_shown_are_accepted_at_once(as_alice: Client, version: Version) -> None:
    page = sort(as_alice, lmao={"verdict": "rejected"})
    assert f"{len(WORDS) - 1} words wait for a decision in English (United States)." in said(page)
    assert f"Accept all {len(WORDS) - 1} undecided ones shown" in said(page)
    data = filled_in(page, bruh={"verdict": "foreign"}) | {"accept": "undecided"}
    done = as_alice.post(SORT, data, follow=True)
    assert holding(version) == dict.fromkeys(WORDS, "accepted") | {"lmao": "rejected", "bruh": "foreign"}
    assert "No word waits for a decision in English (United States)." in said(done)
    assert 'name="accept"' not in said(done)


def test_an_accepted_word_has_a_kind_and_days_propose_seasonal(as_alice: Client, version: Version) -> None:
    change_word("lmao", first_day=days_ago(4), last_day=days_ago(2))  # of seven days
    change_word("bruh", first_day=days_ago(6), last_day=days_ago(2))
    found = lines(as_alice.get(SORT))
    assert [word for word, line in found.items() if line.sortable.may_be_seasonal] == ["lmao"]
    changes = {"verdict": "accepted", "kind": "seasonal"}
    response = sort(as_alice, "slang", lmao=changes, bruh=changes | {"verdict": "rejected"})
    newest = newest_decisions(version.use_case, "en_US")
    assert (newest["lmao"].kind, newest["bruh"].kind) == ("seasonal", "")
    assert "into slang (seasonal)" in said(response)
    assert list(lines(as_alice.get(SORT, {"words": "seasonal"}))) == ["lmao"]
    assert "Nothing was changed" in said(sort(as_alice, "slang", lmao=changes))


def test_what_is_proposed_is_no_longer_than_it_may_be(as_alice: Client) -> None:
    find(define_search(slug="x" * 80), ["lmao"])
    form = as_alice.get(reverse("sort_words", args=["x" * 80])).context["form"]
    assert form.dictionary == f"{'x' * 77}-en"


def test_the_history_of_a_word(as_alice: Client, as_bob: Client, version: Version) -> None:
    sort(as_alice, "slang", lmao={"verdict": "accepted", "note": "first thought"})
    response = sort(as_alice, lmao={"verdict": "foreign", "note": "second thought"})
    text = said(response)
    assert "<summary> alice, " in text
    assert "2 decisions" in text
    assert text.index('second thought</q> <span class="quiet">alice,') < text.index("first thought</q>")
    assert "<strong>accepted</strong> into slang" in text


def test_lists_may_be_narrowed_and_lose_what_is_decided(as_alice: Client, version: Version) -> None:
    change_word("bruh", is_new=True)
    response = sort(as_alice, address=f"{SORT}?words=undecided", lmao={"verdict": "rejected"})
    assert response.redirect_chain == [(f"{SORT}?words=undecided", 302)]
    assert list(lines(response)) == WORDS[1:]
    for chosen, words in (("rejected", ["lmao"]), ("new", ["bruh"]), ("undecided", WORDS[1:]), ("foreign", [])):
        page = as_alice.get(SORT, {"words": chosen})
        assert list(lines(page)) == words
    assert "No word is among these" in said(page)
    labels = [choice.label for choice in page.context["filters"]]
    assert labels == [
        "all, undecided first (9)",
        "undecided (8)",
        "new since the run before (1)",
        "rejected (1)",
        "foreign (0)",
    ]


def test_what_a_later_list_does_not_have_can_be_taken_back(as_alice: Client, version: Version) -> None:
    changes = {"lmao": {"verdict": "accepted"}, "bruh": {"verdict": "accepted", "note": "a slip"}}
    sort(as_alice, "slang", changes=changes, lov={"verdict": "foreign"}, sixsix={"verdict": "truncated"})
    find_instead(version, "lmao", "yeet")
    page = as_alice.get(SORT)
    assert list(lines(page)) == ["yeet", "lmao", "bruh", "lov", "sixsix"]
    assert [word for word, line in lines(page).items() if line.sortable.row is None] == ["bruh", "lov", "sixsix"]
    assert said(page).count("not in this list") == 3
    labels = [choice.label for choice in page.context["filters"]]
    assert labels == ["all, undecided first (5)", "undecided (1)", "accepted (2)", "truncated (1)", "foreign (1)"]
    address = f"{SORT}?words=accepted"
    page = as_alice.get(address)
    assert list(lines(page)) == ["lmao", "bruh"]
    assert "a slip</q>" in said(page)
    response = sort(as_alice, "slang", address, bruh={"verdict": "undecided"})
    assert "1 change is saved." in said(response)
    assert list(lines(response)) == ["lmao"]
    assert accepted_words(version.use_case, "slang") == ["lmao"]
    # It can still be found, should that have been the slip; but it is nothing that waits.
    assert "bruh" in lines(as_alice.get(SORT))
    assert list(lines(as_alice.get(SORT, {"words": "undecided"}))) == ["yeet"]


def test_what_was_sorted_can_be_sorted_again_when_nothing_is_published(
    as_alice: Client, alice: User, version: Version
) -> None:
    sort(as_alice, lmao={"verdict": "rejected"})
    version.histograms.all().delete()
    Viewing.objects.all().delete()
    page = as_alice.get(SORT)
    assert list(lines(page)) == ["lmao"]
    assert "these were sorted before" in said(page)
    assert list(Viewing.objects.values_list("user", flat=True)) == [alice.pk]
    sort(as_alice, lmao={"verdict": "foreign"})
    assert holding(version) == {"lmao": "foreign"}


def test_words_of_an_older_window_are_sorted_where_they_were_seen(as_alice: Client, version: Version) -> None:
    find(version, ["older", "lmao"], first=days_ago(21), last=days_ago(15))
    find(version, ["wesh"], locale="fr_FR", first=days_ago(21), last=days_ago(15))
    window = {"from": days_ago(21).isoformat(), "to": days_ago(15).isoformat()}
    seen = as_alice.get(reverse("use_case", args=["slang"]), window).content.decode()
    (address,) = re.findall(r'href="([^"]*)">Review these words', seen)
    address = html.unescape(address)
    page = as_alice.get(address)
    assert list(lines(page)) == ["older", "lmao"]
    response = sort(as_alice, address=address, older={"verdict": "rejected"})
    assert response.redirect_chain == [(address, 302)]
    assert list(lines(response)) == ["lmao", "older"]
    assert holding(version) == {"older": "rejected"}
    assert list(lines(as_alice.get(SORT))) == [*WORDS, "older"]
    # Nor do its links lead to another window.
    _english, french = page.context["locales"]
    assert list(lines(as_alice.get(f"{SORT}{french.value}"))) == ["wesh"]
    (rejected,) = [choice for choice in response.context["filters"] if choice.label.startswith("rejected")]
    assert lines(as_alice.get(f"{SORT}{rejected.value}"))["older"].sortable.row is not None
    back = as_alice.get(f"{reverse('use_case', args=['slang'])}{page.context['here']}", follow=True)
    assert back.context["page"].view.histogram.first_day == days_ago(21)


def test_words_of_an_earlier_version_are_sorted_where_they_were_seen(as_alice: Client, version: Version) -> None:
    sketches = {"k": 64, "m": 64, "fragment_k": 64, "fragment_m": 64}
    later = define_search(parameters={"epsilon": 4, "fragment_epsilon": 6, "length": 8, "seed": "0f" * 16, **sketches})
    find(later, ["yeet"])
    assert list(lines(as_alice.get(SORT))) == ["yeet"]
    seen = as_alice.get(reverse("use_case", args=["slang"]), {"version": "1"}).content.decode()
    (address,) = re.findall(r'href="([^"]*)">Review these words', seen)
    assert list(lines(as_alice.get(html.unescape(address)))) == WORDS


def test_a_page_of_a_hundred_is_saved_at_once_and_others_follow(as_alice: Client) -> None:
    version = define_search()
    words = [f"q{first}{second}" for first in "abcdefghijk" for second in "abcdefghij"][: MOST_ROWS + 5]
    find(version, words)
    first = as_alice.get(SORT)
    assert list(lines(first)) == words[:MOST_ROWS]
    assert f"{SORT}{first.context['after']}" == f"{SORT}?locale=en_US&page=2"
    address = f"{SORT}?page=2"
    assert list(lines(as_alice.get(address))) == words[MOST_ROWS:]
    changes = {word: {"verdict": "rejected", "note": "x"} for word in words[MOST_ROWS:]}
    assert sort(as_alice, address=address, changes=changes).redirect_chain == [(address, 302)]
    everything = {word: {"verdict": "rejected", "note": "x"} for word in words[:MOST_ROWS]}
    assert "100 changes are saved." in said(sort(as_alice, changes=everything))
    assert len(holding(version)) == MOST_ROWS + 5
    for number in ("0", "9", "x"):
        assert as_alice.get(SORT, {"page": number}).status_code == 200


def test_as_many_queries_for_many_words_as_for_few(as_alice: Client, version: Version) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            as_alice.get(SORT)
        return len(asked)

    sort(as_alice, "slang", lmao={"verdict": "accepted"})
    few = queries()
    sort(as_alice, "slang", changes={word: {"verdict": "accepted"} for word in WORDS})
    assert queries() == few


def test_other_locales_and_none_published(as_alice: Client, version: Version) -> None:
    page = as_alice.get(SORT, {"locale": "fr_FR"})
    assert "No words are published for this locale" in said(page)
    assert [choice.current for choice in page.context["locales"]] == [False, True]
    find(version, ["wesh"], locale="fr_FR")
    sort(as_alice, "slang", address=f"{SORT}?locale=fr_FR", wesh={"verdict": "accepted"})
    assert WordDecision.objects.get().locale == "fr_FR"


def test_who_looks_at_words_to_sort_is_noted(as_alice: Client, alice: User, version: Version) -> None:
    as_alice.get(SORT)
    as_alice.get(SORT, {"locale": "fr_FR"})  # nothing to see there
    assert list(Viewing.objects.values_list("user", "what")) == [(alice.pk, "page")]
    sort(as_alice, lmao={"verdict": "accepted"})  # refused, for no dictionary is named, and shown again
    assert Viewing.objects.count() == 3
