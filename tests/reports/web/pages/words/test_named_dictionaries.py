"""Results of sorting words: dictionaries to download."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import UseCase, Version, Viewing
from tests.conftest import logged_in
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import define
from tests.reports.web.admin.forms import history
from tests.reports.web.pages.reading import text_of
from tests.reports.web.pages.reading import words as said
from tests.reports.web.pages.words.sorting import LISTS, SORT, lines, publish_words, sort

COUNT = f"{LISTS}slang/count/"

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def version(db: None) -> Version:
    return publish_words()


def test_named_dictionaries_and_their_lists(
    as_alice: Client, as_bob: Client, charlie: User, version: Version, bob: User
) -> None:
    assert "when you accept the first word" in said(as_alice.get(LISTS))
    assert "have not accepted any word yet" in said(as_bob.get(LISTS))
    find(version, ["lmao", "wesh"], locale="fr_FR")
    sort(as_alice, "slang", lmao={"verdict": "accepted"}, bruh={"verdict": "accepted"})
    sort(as_alice, "slang", f"{SORT}?locale=fr_FR", lmao={"verdict": "accepted"}, wesh={"verdict": "accepted"})
    page = as_bob.get(LISTS)
    assert [
        (name, [(part[0], part[2]) for part in parts], whole) for name, parts, whole in page.context["dictionaries"]
    ] == [("slang", [("en_US", "2"), ("fr_FR", "2")], "3")]
    links = re.findall(rf'href="({LISTS}[^"]+txt)"', page.content.decode())
    assert links == [f"{LISTS}slang/en_US.txt", f"{LISTS}slang/fr_FR.txt", f"{LISTS}slang.txt"]
    contents = [as_bob.get(link).content.decode() for link in links]
    assert contents == ["bruh\nlmao\n", "lmao\nwesh\n", "bruh\nlmao\nwesh\n"]
    response = as_bob.get(links[0])
    assert response.headers["Content-Disposition"] == 'attachment; filename="slang-slang-en_US.txt"'
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert list(Viewing.objects.filter(user=bob).values_list("what", flat=True)) == ["words"] * 4
    stranger = logged_in(charlie)
    assert [stranger.get(address).status_code for address in (LISTS, *links)] == [404] * 4


def test_one_button_begins_a_use_case_that_counts_accepted_words(
    as_alice: Client, charlie: User, version: Version
) -> None:
    find(version, ["wesh"], locale="fr_FR")
    sort(as_alice, "slang", lmao={"verdict": "accepted"}, bruh={"verdict": "accepted"})
    sort(as_alice, "slang", f"{SORT}?locale=fr_FR", wesh={"verdict": "accepted"})
    for page in (LISTS, SORT):
        (count,) = re.findall(r'href="([^"]+/count/)"', as_alice.get(page).content.decode())
    link = as_alice.get(count).headers["Location"]  # there is nothing else that could count them
    title = as_alice.get(link).context["form"]["title"].value()
    answers = as_alice.post(link, {"title": title, "description": ""}, follow=True)
    assert "3 answers would be counted" in said(answers)
    draft = UseCase.objects.get(title="Words of slang").versions.get()
    assert (draft.normalization, draft.locales) == ("word", ["en_US", "fr_FR"])
    as_alice.post(answers.redirect_chain[-1][0], {"use": answers.context["token"]})
    revision = draft.current_dictionary()
    assert revision is not None
    assert {*revision.entries.values_list("display", flat=True)} == {"lmao", "bruh", "wesh"}
    for wrong in ("x", f"{version.use_case_id} other", "0 slang", f"{version.use_case_id}"):
        assert as_alice.get("/set-up/", {"words": wrong}).status_code == 404
    assert logged_in(charlie).get(link).status_code == 404


def test_one_button_adds_accepted_words_to_what_a_use_case_counts(
    as_alice: Client, as_bob: Client, as_root: Client, version: Version
) -> None:
    counting = define(normalization="word", dictionary=[{"element": "bruh", "category": "slang"}, "known"])
    define(slug="pears", title="Of others", owner_group="gardeners", normalization="word", dictionary=["known"])
    sort(as_alice, "slang", lmao={"verdict": "accepted"}, bruh={"verdict": "accepted"})
    page = as_alice.get(COUNT)
    assert "It counts 2 elements. New there: 1. lmao" in text_of(page)
    assert "Of others" not in said(page)
    assert "Of others" in said(as_root.get(COUNT))
    asked = {"version": counting.pk, "revision": "1"}
    assert as_bob.get(COUNT).status_code == as_bob.post(COUNT, asked).status_code == 404
    assert "1 word more: revision 2 of its dictionary, of 3 elements." in said(as_alice.post(COUNT, asked, follow=True))
    revision = counting.current_dictionary()
    assert revision is not None
    entries = revision.entries.order_by("position").values_list("display", "category")
    assert list(entries) == [("bruh", "slang"), ("known", ""), ("lmao", "")]
    assert history(counting.use_case)[0].startswith("Version 1: Fruits counts 1 word more")
    # The revision seen is over, and other versions stay unchanged.
    assert "Nothing was saved" in said(as_alice.post(COUNT, asked, follow=True))
    others = Version.objects.get(use_case__slug="pears")
    assert as_alice.post(COUNT, {"version": others.pk, "revision": "1"}).status_code == 404
    assert Version.objects.filter(dictionary_revisions__number=2).count() == 1


def test_dictionaries_lead_owners_to_their_words(as_alice: Client, as_bob: Client, version: Version) -> None:
    find(version, ["wesh"], locale="fr_FR")
    sort(as_alice, "slang", lmao={"verdict": "accepted"})
    sort(as_alice, "slang", f"{SORT}?locale=fr_FR", wesh={"verdict": "accepted"})

    def links(client: Client) -> list[str]:
        found = re.findall(rf'href="({SORT}[^"]+)"', client.get(LISTS).content.decode())
        return [html.unescape(link) for link in found]

    english, french = (f"{SORT}?locale={locale}&words=accepted" for locale in ("en_US", "fr_FR"))
    assert links(as_alice) == [english, french]
    assert [list(lines(as_alice.get(link))) for link in links(as_alice)] == [["lmao"], ["wesh"]]
    assert links(as_bob) == []
    # Words of a locale that was taken out are still in the dictionary, and there is no page to sort them on.
    define_search(locales=["en_US"])
    assert links(as_alice) == [english]


def test_lists_that_are_not_there(as_alice: Client, version: Version) -> None:
    sort(as_alice, "slang", lmao={"verdict": "accepted"})
    for rest in ("other.txt", "slang/de_DE.txt", "slang/%00.txt", "slang/..%2fen_US.txt", "%22.txt"):
        assert as_alice.get(f"{LISTS}{rest}").status_code == 404
