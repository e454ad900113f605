"""Sorting words in vain: mistakes, decisions that others made meanwhile, and people who may not."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.models import ApiToken, Version, WordDecision
from reports.words import Decided, decide, newest_decisions
from tests.conftest import logged_in
from tests.reports.found_words import find
from tests.reports.small_fleet import define as define_fruits
from tests.reports.web.pages.reading import words as said
from tests.reports.web.pages.words.sorting import LISTS, SORT, filled_in, holding, lines, publish_words, sort
from tests.reports.words.published import find_instead

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def version(db: None) -> Version:
    return publish_words()


def test_mistakes_are_said_beside_their_field_and_nothing_is_stored(as_alice: Client, version: Version) -> None:
    for dictionary, changes, field, words in (
        ("", {"verdict": "accepted"}, "dictionary", "Name the dictionary"),
        ("two words", {"verdict": "accepted"}, "dictionary", "letters from a to z"),
        ("slang", {"verdict": "perhaps"}, "line", "one of the verdicts"),
        ("slang", {"verdict": "foreign", "note": "x" * 501}, "note", "longer than 500"),
        ("slang", {"verdict": "foreign", "note": "\0"}, "note", "NUL"),
    ):
        response = sort(as_alice, dictionary, bruh=changes, lmao={"verdict": "rejected", "note": "keep this"})
        assert response.status_code == 422
        form, line = response.context["form"], lines(response)["bruh"]
        errors = {"dictionary": form.dictionary_errors, "line": line.errors, "note": line.note_errors}
        assert [name for name, found in errors.items() if found] == [field]
        assert words in errors[field][0]
        assert words in said(response)
        assert "Nothing is stored yet." in said(response)
        assert not WordDecision.objects.exists()
        # Filled-in values stay.
        assert form.dictionary == dictionary
        assert (line.verdict, lines(response)["lmao"].note) == (changes["verdict"], "keep this")
        assert 'value="rejected" checked' in said(response)


def test_what_came_back_with_mistakes_is_marked_as_not_saved(as_alice: Client, version: Version) -> None:
    assert '<form method="post" data-unsaved="">' in said(as_alice.get(SORT))
    assert '<form method="post" data-unsaved="already">' in said(sort(as_alice, lmao={"verdict": "perhaps"}))


def test_what_somebody_else_decided_meanwhile_is_shown_and_not_replaced(
    as_alice: Client, alice: User, admin_user: User, version: Version
) -> None:
    page = as_alice.get(SORT)
    decide(admin_user, version.use_case, "en_US", [Decided("lmao", "foreign", note="it is French")])
    decide(admin_user, version.use_case, "en_US", [Decided("lov", "truncated")])
    data = filled_in(page, lmao={"verdict": "accepted", "note": "mine"}, bruh={"verdict": "rejected"})
    response = as_alice.post(SORT, data | {"dictionary": "slang"})
    assert response.status_code == 409
    assert holding(version) == {"lmao": "foreign", "lov": "truncated", "bruh": "rejected"}
    text = said(response)
    assert "1 change is saved." in text
    assert "Meanwhile another person decided: <strong>foreign</strong>, <q" in text
    assert "it is French</q>" in text
    assert '<a href="#line-0">' in text
    found = lines(response)
    assert [word for word, line in found.items() if line.overtaken] == ["lmao"]
    assert (found["lmao"].verdict, found["lmao"].note) == ("accepted", "mine")
    assert found["lov"].verdict == "truncated"  # which was not touched here
    # Having seen it, one may replace it.
    again = as_alice.post(SORT, filled_in(response), follow=True)
    assert "1 change is saved." in said(again)
    newest = newest_decisions(version.use_case, "en_US")["lmao"]
    assert (newest.verdict, newest.dictionary, newest.note, newest.decided_by) == ("accepted", "slang", "mine", alice)


def test_a_mistake_does_not_hide_what_somebody_else_decided(
    as_alice: Client, admin_user: User, version: Version
) -> None:
    page = as_alice.get(SORT)
    decide(admin_user, version.use_case, "en_US", [Decided("lmao", "foreign")])
    refused = as_alice.post(SORT, filled_in(page, lmao={"verdict": "accepted"}) | {"dictionary": ""})
    assert refused.status_code == 422
    assert as_alice.post(SORT, filled_in(refused) | {"dictionary": "slang"}).status_code == 409
    assert holding(version) == {"lmao": "foreign"}


def test_a_key_that_is_none_or_of_another_word_hides_nothing(
    as_alice: Client, admin_user: User, version: Version
) -> None:
    decided = [Decided("lmao", "foreign"), Decided("bruh", "foreign")]
    stored = {each.word: each.pk for each in decide(admin_user, version.use_case, "en_US", decided).stored}
    for seen in ("", "x", "-1", "9" * 30, "１", str(stored["bruh"])):
        data = {"word-0": "lmao", "seen-0": seen, "verdict-0": "rejected", "note-0": ""}
        assert as_alice.post(SORT, data).status_code == 409
    assert holding(version) == {"lmao": "foreign", "bruh": "foreign"}


def test_words_that_are_not_shown_cannot_be_probed(as_alice: Client, version: Version) -> None:
    find(version, ["wesh"], locale="fr_FR")
    for word in ("secret", "wesh", "", "\0", "x" * 5000):
        data = {"word-0": word, "seen-0": "0", "verdict-0": "rejected", "note-0": ""}
        response = as_alice.post(SORT, data)
        assert response.status_code == 422
        assert "no longer among those shown" in said(response)
    assert not WordDecision.objects.exists()


def test_a_word_that_vanished_does_not_keep_the_others_from_being_sorted(as_alice: Client, version: Version) -> None:
    page = as_alice.get(SORT)
    find_instead(version, "lmao", "lov")
    response = as_alice.post(SORT, filled_in(page, lmao={"verdict": "rejected"}, bruh={"verdict": "rejected"}))
    assert response.status_code == 422
    assert list(lines(response)) == ["lmao", "lov"]
    assert "1 change is saved." in said(as_alice.post(SORT, filled_in(response), follow=True))


def test_addresses_that_cannot_be_understood(as_alice: Client, version: Version) -> None:
    for query in ("locale=de_DE", "locale=%00", "words=all the best", "from=yesterday", "version=7"):
        assert as_alice.get(f"{SORT}?{query}").status_code == 400


def test_who_may_sort(
    alice: User,
    bob: User,
    charlie: User,
    client: Client,
    version: Version,
) -> None:
    data = {"word-0": "lmao", "seen-0": "0", "verdict-0": "rejected", "note-0": ""}
    for person, seen, stored in ((charlie, 404, 404), (bob, 404, 404), (alice, 200, 302)):
        assert logged_in(person).get(SORT).status_code == seen
        assert logged_in(person).post(SORT, data).status_code == stored
    _token, secret = ApiToken.create("collector", may_ingest=True)
    for headers in ({}, {"authorization": f"Bearer {secret}"}):
        for address in (SORT, LISTS, f"{LISTS}slang.txt"):
            response = client.get(address, headers=headers)
            assert (response.status_code, response.headers["Location"].startswith(reverse("login"))) == (302, True)
    assert WordDecision.objects.count() == 1


def test_a_use_case_with_a_dictionary_has_nothing_to_sort(as_alice: Client) -> None:
    define_fruits()
    assert as_alice.get(reverse("sort_words", args=["fruits"])).status_code == 404
    page = as_alice.get(reverse("named_dictionaries", args=["fruits"]))
    assert "counts a dictionary and finds no words" in said(page)
