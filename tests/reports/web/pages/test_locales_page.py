"""All locales at once: a panel each, the same elements in a map, and what stands out against the others."""

import json
import re
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.models import Histogram, UseCase, Version, Viewing, Visit
from reports.results.locales_together import LocalesQuery, locales_document, locales_view
from reports.words import Decided, decide
from tests.reports.comparing import counted_locales
from tests.reports.found_words import define_search, find
from tests.reports.web.pages.reading import plain, text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/all-locales/"


@pytest.fixture
def version(db: None) -> Version:
    """More apples and dates in English, more cherries in French, as many bananas."""
    return counted_locales()


def test_what_stands_out_is_marked_and_what_is_hidden_has_a_bound(version: Version) -> None:
    view = locales_view(UseCase.objects.get(slug="fruits"), LocalesQuery.from_parameters({"top": "4"}))
    document = locales_document(view)
    assert document is not None
    found = {(entry["element"], entry["locale"]): entry for entry in document["entries"]}
    standing = {place: entry["standing"] for place, entry in found.items()}
    assert standing == {
        ("apple", "en_US"): "more",
        ("apple", "fr_FR"): "less",
        ("banana", "en_US"): "not-clear",
        ("banana", "fr_FR"): "not-clear",
        ("cherry", "en_US"): "less",
        ("cherry", "fr_FR"): "more",
        ("date", "en_US"): "more",
        ("date", "fr_FR"): "less",
    }
    for element, locale in (("apple", "en_US"), ("cherry", "fr_FR")):
        entry = Histogram.objects.get(locale=locale, grouping="").entries.find(element)
        assert entry is not None
        assert found[element, locale]["share"] == pytest.approx(entry.estimate / 3000, rel=1e-12)
        assert found[element, locale]["share_upper"] == entry.adjusted_upper / 3000
    # With two locales the others are the other one.
    apple = found["apple", "en_US"]
    assert apple["others_share"] == pytest.approx(found["apple", "fr_FR"]["share"], rel=1e-12)
    assert apple["difference_lower"] < apple["difference"] < apple["difference_upper"]
    hidden = found["date", "fr_FR"]
    assert (hidden["state"], hidden["share"], hidden["difference"], hidden["rank"]) == ("below", None, None, None)
    assert 0 < hidden["share_at_most"] < found["date", "en_US"]["share"]
    assert found["date", "en_US"]["others_share"] is None
    assert (document["tested"], document["listed"], document["standing_out"]) == (8, 4, 6)


def test_page_has_a_panel_for_each_locale_and_the_map(version: Version, as_bob: Client) -> None:
    answer = as_bob.get(PAGE)
    page, text = answer.content.decode(), text_of(answer)
    assert "6 shares stand out against the other locales." in text
    assert page.count('class="panel multiple"') == 2
    assert page.count("<td class=") == 8
    assert page.count('class="hatched') == 1
    assert "below T: the true share is at most this" in text
    assert "clearly more" in plain(page)
    assert "use_case.all_locales(" in page
    assert as_bob.get(PAGE, {"top": "5", "days": "7"}).headers["Location"] == PAGE
    assert Viewing.objects.filter(what="page").count() == 1


def test_files_and_api_have_the_cells_of_the_page(version: Version, as_bob: Client) -> None:
    document = json.loads(as_bob.get("/use-cases/fruits/all-locales.json").content)
    assert as_bob.get("/api/v1/use-cases/fruits/all-locales/").json() == document
    assert as_bob.get(urlsplit(document["address"]).path).status_code == 200
    assert len(as_bob.get("/use-cases/fruits/all-locales.csv").getvalue().decode().splitlines()) == 9
    missing = as_bob.get("/api/v1/use-cases/fruits/all-locales/", {"to": "2020-01-01"})
    assert (missing.status_code, missing.json()["state"]) == (404, "not-yet")


def test_rejected_words_are_in_no_locale(alice: User, as_alice: Client) -> None:
    discovered = define_search()
    find(discovered, ["yeet", "lol"])
    decide(alice, discovered.use_case, "en_US", [Decided("yeet", "rejected", "", "")])
    text = text_of(as_alice.get("/use-cases/slang/all-locales/"))
    assert ("lol" in text, "yeet" in text) == (True, False)


def test_the_map_and_its_files_are_sorted_and_filtered_alike(version: Version, as_bob: Client) -> None:
    def elements(**asked: str) -> list[str]:
        document = as_bob.get("/use-cases/fruits/all-locales.json", asked).json()
        found = list(dict.fromkeys(entry["element"] for entry in document["entries"]))
        page = as_bob.get(PAGE, asked).content.decode()
        drawn = re.findall(r'class="element" lang="und" dir="auto">(\w+)<', page)
        assert drawn == found, asked
        assert (document["tested"], document["standing_out"]) == (8, 6)
        return found

    assert elements(sort="name") == ["apple", "banana", "cherry", "date"]
    assert elements(sort="-name") == ["date", "cherry", "banana", "apple"]
    assert elements(sort="en_US") == elements(sort="-en_US")[::-1] == elements(locale="en_US")
    assert elements(q="CHER") == ["cherry"]
    # The date is below the threshold in French, and so not in its top.
    assert set(elements(locale="fr_FR")) == {"apple", "banana", "cherry"}
    refused = as_bob.get("/api/v1/use-cases/fruits/all-locales/", {"sort": "de_DE"})
    assert (refused.status_code, as_bob.get(PAGE, {"sort": "de_DE"}).status_code) == (400, 400)


def test_parts_shown_while_typing_are_one_viewing_a_day_and_no_visit(version: Version, as_bob: Client) -> None:
    for typed in ("", "c", "ch"):
        assert as_bob.get(PAGE, {"q": typed} if typed else {}, headers={"X-Part": "1"}).status_code == 200
    assert (Viewing.objects.filter(what="page").count(), Visit.objects.count()) == (1, 0)


def test_the_form_above_keeps_how_the_map_is_sorted_and_filtered(version: Version, as_bob: Client) -> None:
    page = as_bob.get(PAGE, {"q": "an", "locale": "fr_FR", "sort": "-name"}).content.decode()
    form = page.partition('id="line-of-controls"')[2].partition("</form>")[0]
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    assert kept == {"q": "an", "locale": "fr_FR", "sort": "-name"}
