"""Lists for products: made and approved by owners, read by products, with what changed between versions."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reports.formatting import written_day
from reports.models import ApiToken, ProductList, ProductListVersion, Version, Viewing
from reports.product_lists import changes_between, propose
from reports.product_lists.tasks import propose_lists
from reports.web.pages.product_lists.product_list_pages import Changes
from reports.words import Decided, decide
from tests.conftest import logged_in
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.web.api.described import departure
from tests.reports.web.pages.reading import text_of
from tests.reports.web.pages.reading import words as said
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LISTS = "/use-cases/fruits/lists/"
READ = "/api/v1/use-cases/fruits/lists/order/"
ENGLISH_AND_FRENCH = ("English (United States) · en_US", "French (France) · fr_FR")
ORDER = {"name": "order", "rule": "ordered", "length": "2", "days": "28"}


@pytest.fixture
@once
def version(db: None) -> Version:
    """Counted two days ago: half of the reports are apples, three of ten bananas, two cherries."""
    found = define()
    for seed, locale in ((1, "en_US"), (2, "fr_FR")):
        send(found, 500, locale=locale, day=days_ago(2), seed=seed)
    aggregate(found)
    return found


def changed(changes: Changes) -> dict[str, list[tuple[str, list[str]]]]:
    return {
        label: [(words, [element.display for element in some.elements]) for words, some in lines]
        for label, lines in changes
    }


def approve(client: Client, name: str = "order") -> str:
    proposal = ProductListVersion.objects.get(product_list__name=name, approved_at=None)
    page = client.post(f"{LISTS}{name}/approve/", {"proposal": proposal.pk}, follow=True)
    return said(page)


def test_an_order_is_proposed_approved_and_read(as_alice: Client, as_bob: Client, version: Version) -> None:
    made = as_alice.post(LISTS, ORDER, follow=True)
    assert "Version 1 waits for approval" in said(made)
    # Who approves sees how sure each is, and of which days.
    text = text_of(made).replace("\u00a0", " ")
    assert re.search(
        r"English \(United States\) · en_US 2 .+ apple 5\d\.\d+ % \(4\d\.\d+ % – 5\d\.\d+ %\) banana 2\d", text
    )
    assert written_day(days_ago(2)) in text
    assert as_bob.get(READ).status_code == 404
    assert "Version 1 is approved" in approve(as_alice)
    answer = as_bob.get(READ)
    assert not departure(answer.json(), "ProductListVersion")
    assert answer.json()["locales"] == {"en_US": ["apple", "banana"], "fr_FR": ["apple", "banana"]}
    assert as_bob.get(READ, headers={"if-none-match": answer.headers["ETag"]}).status_code == 304
    [entry] = as_bob.get("/api/v1/use-cases/fruits/lists/").json()["entries"]
    assert (entry["list"], entry["version"]) == ("order", 1)
    assert Client().get(entry["address"]).status_code == 401
    assert "Products read version 1" in said(as_bob.get(LISTS))
    assert Viewing.objects.filter(user__username="bob", what="api").count() == 2


def test_the_number_of_queries_does_not_depend_on_that_of_lists(as_alice: Client, version: Version) -> None:
    def queries() -> int:
        as_alice.get(LISTS)
        with CaptureQueriesContext(connection) as found:
            assert "waits for approval" in said(as_alice.get(LISTS))
        return len(found)

    for name in ("order", "other"):
        as_alice.post(LISTS, {**ORDER, "name": name})
    assert "Version 1 is approved" in approve(as_alice)
    before = queries()
    for name in ("third", "fourth"):
        as_alice.post(LISTS, {**ORDER, "name": name})
    approve(as_alice, "third")
    assert queries() == before


def test_a_list_is_proposed_as_soon_as_something_is_published(
    as_alice: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(propose_lists, "apply_async", lambda arguments, **_options: propose_lists(*arguments))
    version = define()
    assert "once there are results for it" in said(as_alice.post(LISTS, ORDER, follow=True))
    send(version, 500, day=days_ago(2))
    with django_capture_on_commit_callbacks(execute=True):
        aggregate(version)
    assert "Version 1 waits for approval" in said(as_alice.get(f"{LISTS}order/"))


def test_what_changed_is_proposed_and_old_versions_stay(as_alice: Client, version: Version) -> None:
    as_alice.post(LISTS, ORDER)
    approve(as_alice)
    product_list = ProductList.objects.get()
    assert propose(product_list) is None
    assert "Nothing has changed" in said(as_alice.post(f"{LISTS}order/propose/", follow=True))
    product_list.length = 3
    product_list.save()
    propose_lists()
    page = as_alice.get(f"{LISTS}order/")
    assert "Version 2 waits for approval" in said(page)
    assert changed(page.context["proposed"]) == {label: [("New", ["cherry"])] for label in ENGLISH_AND_FRENCH}
    product_list.length = 1
    product_list.save()
    seen = ProductListVersion.objects.get(approved_at=None).pk
    propose_lists()
    answer = as_alice.post(f"{LISTS}order/approve/", {"proposal": seen}, follow=True)
    assert "has changed meanwhile" in said(answer)
    approve(as_alice)
    assert as_alice.get(READ).json()["locales"]["en_US"] == ["apple"]
    assert as_alice.get(f"{READ}?version=1").json()["locales"]["en_US"] == ["apple", "banana"]
    assert as_alice.get(f"{READ}?version=3").status_code == 404
    assert as_alice.get(f"{READ}?versoin=1").status_code == 400
    history = as_alice.get(f"{LISTS}order/")
    assert "by alice" in said(history)
    (_two, second), (_one, first) = history.context["history"]
    assert changed(second) == {label: [("Gone", ["banana"])] for label in ENGLISH_AND_FRENCH}
    assert changed(first) == {label: [("New", ["apple", "banana"])] for label in ENGLISH_AND_FRENCH}


def test_above_a_share_is_what_is_certain(as_alice: Client, version: Version) -> None:
    for name, least in (("tenth", "10"), ("third", "33"), ("half", "50")):
        as_alice.post(LISTS, {"name": name, "rule": "above", "least_percent": least, "days": "28"})
        if ProductListVersion.objects.filter(product_list__name=name).exists():
            approve(as_alice, name)
    [tenth] = ProductList.objects.get(name="tenth").versions.all()
    assert tenth.elements["en_US"] == ["apple", "banana", "cherry"]
    [third] = ProductList.objects.get(name="third").versions.all()
    # Three of ten reports are no third, and half is not certainly above a half.
    assert third.elements["en_US"] == ["apple"]
    assert all(not listed for each in ProductListVersion.objects.filter(product_list__name="half")
               for listed in each.elements.values())  # fmt: skip


def test_public_lists_need_no_login(as_alice: Client, version: Version) -> None:
    as_alice.post(LISTS, ORDER | {"is_public": "on"})
    assert Client().get(READ).status_code == 404
    approve(as_alice)
    answer = Client().get(READ)
    assert answer.json()["locales"]["fr_FR"] == ["apple", "banana"]
    assert not any(key in answer.content.decode() for key in ("alice", "500", '"n":'))
    assert Client().get("/api/v1/use-cases/fruits/lists/").status_code == 401
    _token, uploading = ApiToken.create("collector", may_ingest=True)
    assert Client(headers={"authorization": f"Bearer {uploading}"}).get(READ).status_code == 200


def test_words_are_those_that_were_accepted(as_alice: Client, alice: User) -> None:
    found = define_search()
    assert "needs a dictionary of accepted ones" in said(as_alice.get("/use-cases/slang/lists/"))
    find(found, ["yeet", "lol"])
    decide(alice, found.use_case, "en_US", [Decided("yeet", "accepted", "keyboard", "")])
    as_alice.post("/use-cases/slang/lists/", {"name": "new", "rule": "words", "dictionary": "keyboard"})
    [proposed] = ProductListVersion.objects.all()
    assert proposed.elements == {"en_US": ["yeet"]}


def test_wrong_rules_are_refused_beside_their_field(as_alice: Client, version: Version) -> None:
    for changes, problem in (
        ({"length": ""}, "This rule needs it"),
        ({"length": "1001"}, "less than or equal to 1000"),
        ({"name": "With Blanks"}, "lower-case letters and digits"),
        ({"rule": "words"}, "Select a valid choice"),
        ({"rule": "above"}, "This rule needs it"),
        ({"days": "0"}, "greater than or equal to 1"),
    ):
        answer = as_alice.post(LISTS, ORDER | changes)
        assert answer.status_code == 422
        assert problem in said(answer)
        assert not ProductList.objects.exists()


def test_owners_make_viewers_look_and_strangers_find_nothing(
    as_alice: Client, as_bob: Client, charlie: User, version: Version
) -> None:
    as_alice.post(LISTS, ORDER)
    assert "Make a list" not in said(as_bob.get(LISTS))
    proposal = ProductListVersion.objects.get()
    for address, data in (
        (LISTS, ORDER | {"name": "other"}),
        (f"{LISTS}order/propose/", {}),
        (f"{LISTS}order/approve/", {"proposal": proposal.pk}),
        (f"{LISTS}order/delete/", {}),
    ):
        assert as_bob.post(address, data).status_code == 404
    assert logged_in(charlie).get(f"{LISTS}order/").status_code == 404
    assert "then find nothing" in said(as_alice.get(f"{LISTS}order/delete/"))
    as_alice.post(f"{LISTS}order/delete/")
    assert not ProductList.objects.exists()


def test_simulations_have_no_lists(as_alice: Client, version: Version) -> None:
    as_alice.post(LISTS, ORDER | {"is_public": "on"})
    approve(as_alice)
    other = define(slug="other", title="Other")
    version.use_case.title += " (simulation)"
    version.use_case.simulation_of = other.use_case
    version.use_case.save()
    assert Client().get(READ).status_code == 401
    assert as_alice.get(READ).status_code == as_alice.get(LISTS).status_code == 404
    assert as_alice.post(LISTS, ORDER | {"name": "other"}).status_code == 404


def test_elements_move_among_those_that_stayed() -> None:
    [change] = changes_between(
        {"und": ["a", "b", "c", "d"], "fr_FR": ["x"]}, {"und": ["e", "b", "a", "d"], "fr_FR": ["x"]}
    )
    assert (change.added, change.removed, change.moved) == (("e",), ("c",), ("b", "a"))
