"""Words that people accepted, taken as a dictionary that is counted."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.models import Version
from reports.results import HistogramQuery, histogram_view
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, define, send_words
from tests.reports.web.admin.dictionary_page import entries, field_error, save
from tests.reports.web.admin.forms import page
from tests.reports.words.published import HOSTILE
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def version(db: None) -> Version:
    return define(dictionary=["apple", "banana"])


def accept(person: User, version: Version, *words: str, locale: str = "en_US", other: str = "") -> None:
    """Into one dictionary, and a last word into another."""
    find(version, [*words, other] if other else words, locale=locale)
    decided = [Decided(word, "accepted", "slang") for word in words]
    decided += [Decided(other, "accepted", "other")] if other else []
    decide(person, version.use_case, locale, decided)


def named(client: Client, version: Version) -> dict[str, str]:
    """The choices of named dictionaries on the page, by what they are called."""
    fields = client.get(page("version_dictionary", version.pk)).context["form"].fields
    if "named" not in fields:
        return {}
    (_none, *groups) = fields["named"].choices
    return {f"{title}: {label}": value for title, choices in groups for value, label in choices}


def take(client: Client, version: Version, value: str, **more: Any) -> HttpResponse:
    # The text field shows the dictionary in force.
    body = {"text": "apple", "form": "lines", "named": value, **more}
    return client.post(page("version_dictionary", version.pk), body, follow=True)  # type: ignore[return-value]


def test_the_words_of_a_named_dictionary_are_previewed_then_saved(
    as_alice: Client, alice: User, version: Version
) -> None:
    search = define_search()
    accept(alice, search, "lmao", "apple", *HOSTILE)
    accept(alice, search, "lmao", "wesh", locale="fr_FR", other="bruh")
    choices = named(as_alice, version)
    assert list(choices) == [
        "Slang: other, fr_FR: 1 word",
        "Slang: slang, en_US: 7 words",
        "Slang: slang, fr_FR: 2 words",
        "Slang: slang, all locales",
    ]
    shown = take(as_alice, version, choices["Slang: slang, en_US: 7 words"])
    counts = shown.context["comparison"]  # type: ignore[attr-defined]
    assert (counts.new, counts.gone, counts.unchanged) == (6, 1, 1)
    assert "<b>x" not in shown.content.decode()
    save(as_alice, version)
    assert sorted(element for element, _display, _category in entries(version)) == sorted(["lmao", "apple", *HOSTILE])
    both = take(as_alice, version, choices["Slang: slang, all locales"], file=SimpleUploadedFile("x.txt", b"kiwi"))
    assert "not both" in field_error(both, "named")
    take(as_alice, version, choices["Slang: slang, all locales"])
    save(as_alice, version)
    assert {"wesh", "lmao"} < {element for element, _display, _category in entries(version)}


def test_a_use_case_counts_the_words_of_a_named_dictionary(as_alice: Client, alice: User) -> None:
    accept(alice, define_search(), "lol", "able", "it's")
    counting = define(
        slug="counted", normalization="word", locales=["en_US"], dictionary=["nothing"], minimum_reports=100
    )
    (value,) = named(as_alice, counting).values()
    take(as_alice, counting, value)
    save(as_alice, counting)
    assert entries(counting) == [
        ("able______", "able", ""),
        ("it's______", "it's", ""),
        ("lol_______", "lol", ""),
    ]
    truth = send_words(counting, 2000)
    aggregate(counting)
    document = histogram_view(counting.use_case, HistogramQuery()).document()
    assert document is not None
    # People see the word without pads. "o" is typed too, but is in no dictionary.
    found = {entry["display"]: entry for entry in document["entries"]}
    assert found.keys() == {"lol", "able", "it's"} == {entry["element"] for entry in found.values()}
    # Beyond six standard errors lies a chance of 2e-9; and the fleet is the same each time.
    assert all(abs(entry["estimate"] - truth[word]) < 6 * entry["standard_error"] for word, entry in found.items())


def test_only_dictionaries_of_use_cases_one_may_view_are_offered(
    as_alice: Client, as_root: Client, admin_user: User, version: Version
) -> None:
    accept(admin_user, define_search(owner_group="gardeners", viewer_groups=[]), "secret")
    assert named(as_alice, version) == {}
    (value,) = named(as_root, version).values()
    assert "secret" not in take(as_alice, version, value).content.decode()
    accept(admin_user, define_search(slug="seen", title="Seen", owner_group="gardeners"), "lmao")
    assert list(named(as_alice, version)) == []
    accept(admin_user, define_search(slug="mine", title="Mine"), "lmao")
    assert list(named(as_alice, version)) == ["Mine: slang, en_US: 1 word"]
    assert "Select a valid choice" in field_error(take(as_alice, version, value), "named")


def test_as_many_queries_for_the_dictionaries_of_many_use_cases(
    as_alice: Client, alice: User, version: Version
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            as_alice.get(page("version_dictionary", version.pk))
        return len(asked)

    accept(alice, define_search(), "lmao")
    one = queries()
    for number in range(3):
        accept(alice, define_search(slug=f"more-{number}", title=f"More {number}"), "lmao")
    assert queries() == one
    assert list(named(as_alice, version)) == [
        f"{title}: slang, en_US: 1 word" for title in ("More 0", "More 1", "More 2", "Slang")
    ]
