"""Saved views: kept as what the page understands, listed for those who may see them, changed by their owners alone."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reports.models import Run, SavedView, Version
from reports.web.pages.bookmarks.saved_views import SaveForm
from tests.conftest import logged_in, make_user
from tests.reports.small_fleet import define
from tests.reports.web.pages.reading import PAGE, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

VIEWS = "/views/"


def save(client: Client, name: str = "French", **changes: Any) -> Any:
    fields = {"use_case": "fruits", "page": "use_case", "query": "locale=fr_FR&top=10", "name": name, "shared_with": ""}
    return client.post(VIEWS, fields | changes)


def listed(client: Client) -> list[tuple[str, str]]:
    """Address and name of each view."""
    page = client.get(VIEWS).content.decode().replace("&amp;", "&")
    return re.findall(r'<a href="([^"]*)"><bdi>([^<]*)</bdi></a>', page)


def shared_with(name: str) -> str:
    return str(Group.objects.get(name=name).pk)


def test_a_view_is_saved_from_its_page_and_opened_again(published: Run, as_bob: Client) -> None:
    page = as_bob.get(PAGE, {"top": "10"}).content.decode()
    form = page[page.index('action="/views/"') :]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[: form.index("</form>")]))
    del hidden["csrfmiddlewaretoken"]
    assert hidden == {"use_case": "fruits", "page": "use_case", "query": "top=10"}
    answer = as_bob.post(VIEWS, hidden | {"name": "The first ten"}, follow=True)
    assert answer.redirect_chain == [(f"{PAGE}?top=10", 302)]
    assert "The view is saved as “The first ten”." in words(answer)
    assert listed(as_bob) == [(f"{PAGE}?top=10", "The first ten")]


def test_only_what_the_page_knows_is_kept(version: Version, as_bob: Client) -> None:
    for query, kept in (
        ("?top=10", "top=10"),
        ("nonsense=1&next=https://evil.example/&locale=", ""),
        ("q=%20a%26b%3Dc&sort=rank", "q=a%26b%3Dc"),
        ("q=" + "é" * 100, "q=" + "%C3%A9" * 100),
    ):
        answer = save(as_bob, query[:80], query=query)
        assert SavedView.objects.get(name=query[:80]).query == kept
        assert answer.headers["Location"] == (f"{PAGE}?{kept}" if kept else PAGE)
    for page in ("compare", "trend"):
        answer = save(as_bob, page, page=page, query="locale=fr_FR&days=7&unknown=1")
        assert answer.headers["Location"] == f"{reverse(page, args=['fruits'])}?locale=fr_FR&days=7"


def test_what_no_page_understands_is_refused(version: Version, as_bob: Client) -> None:
    for changes in ({"page": "home"}, {"page": "https://evil.example/"}, {"use_case": "other"}, {"use_case": "//evil"}):
        assert save(as_bob, **changes).status_code == 404
    assert save(as_bob, query="top=010").status_code == 422
    answer = save(as_bob, query="category=" + "x" * 3000)
    assert answer.status_code == 422
    assert "too many choices" in words(answer)
    assert not SavedView.objects.exists()


def test_a_name_is_an_owners_once(version: Version, as_bob: Client, as_alice: Client) -> None:
    save(as_bob)
    again = save(as_bob, query="top=50")
    assert again.status_code == 422
    assert "You have a view of this name already. Choose another name." in words(again)
    # The form comes back with everything in it.
    assert 'name="query" value="top=50"' in again.content.decode()
    assert 'value="French"' in again.content.decode()
    assert save(as_alice).status_code == 302
    for name in ("", "  ", "x" * 81, "a\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace") * 41):
        assert save(as_bob, name=name).status_code == 422
    assert SavedView.objects.count() == 2


def test_of_two_at_the_same_moment_one_is_told(version: Version, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SaveForm, "clean_name", lambda form: form.cleaned_data["name"])
    client = logged_in(bob)
    assert save(client).status_code == 302
    again = save(client)
    assert again.status_code == 422
    assert "You have a view of this name already" in words(again)


def test_the_page_of_a_view_says_its_name(published: Run, as_bob: Client) -> None:
    others = define(slug="more", title="More").use_case
    for page, query in (
        ("use_case", "locale=fr_FR&top=10"),
        ("use_case", ""),
        ("compare", "locale=fr_FR&days=1&other-days=1"),
        ("trend", "locale=fr_FR&element=apple&element=fig"),
        ("element", "element=apple"),
    ):
        SavedView.objects.all().delete()
        save(as_bob, "<b>Fruit</b> of France", page=page, query=query)
        (address, _name) = listed(as_bob)[0]
        opened = words(as_bob.get(address))
        assert "This is your saved view “<bdi>&lt;b&gt;Fruit&lt;/b&gt; of France</bdi>”." in opened
        assert f'href="{reverse("saved_view", args=[SavedView.objects.get().pk])}">Change it</a>' in opened
        # Another view of the same page, and the same of another use case, are not it.
        assert "your saved view" not in words(as_bob.get(address, {"element": "banana", "days": "2"}, follow=True))
        SavedView.objects.update(use_case=others)
        assert "your saved view" not in words(as_bob.get(address))


# --- Who finds them ---


def test_shared_with_a_group_those_find_it_who_may_see_the_use_case(version: Version, as_bob: Client) -> None:
    dana, eve = make_user("dana", "keyboard", "friends"), make_user("eve", "friends")
    User.objects.get(username="bob").groups.add(Group.objects.get(name="friends"))
    save(as_bob, "Mine")
    save(as_bob, "Ours", shared_with=shared_with("friends"))
    clients = {user.username: Client() for user in (dana, eve)}
    clients["dana"].force_login(dana)
    clients["eve"].force_login(eve)
    assert [name for _address, name in listed(as_bob)] == ["Mine", "Ours"]
    assert listed(clients["dana"]) == [(f"{PAGE}?locale=fr_FR&top=10", "Ours")]
    assert listed(clients["eve"]) == []
    assert "bob shares it with friends" in words(clients["dana"].get(VIEWS))
    view = SavedView.objects.get(name="Ours")
    for name in ("saved_view", "delete_saved_view"):
        assert clients["dana"].post(reverse(name, args=[view.pk])).status_code == 404


def test_the_name_is_said_to_those_alone_who_find_the_view(version: Version, as_bob: Client, as_alice: Client) -> None:
    dana = make_user("dana", "keyboard")
    as_dana = logged_in(dana)
    save(as_bob, "Mine")
    save(as_bob, "Ours", shared_with=shared_with("keyboard"))
    save(as_dana, "Dana’s own")
    page = words(as_dana.get(PAGE, {"locale": "fr_FR", "top": "10"}))
    assert page.index("“<bdi>Dana’s own</bdi>”") < page.index(
        "This is the view “<bdi>Ours</bdi>”, which <bdi>bob</bdi> shares with <bdi>keyboard</bdi>."
    )
    assert "Mine" not in page
    page = words(as_alice.get(PAGE, {"locale": "fr_FR", "top": "10"}))
    assert not any(name in page for name in ("Mine", "Ours", "own</bdi>"))


def test_one_shares_with_groups_of_ones_own_alone(version: Version, as_bob: Client, alice: User) -> None:
    assert save(as_bob, shared_with=shared_with("keyboard-owners")).status_code == 422
    page = as_bob.get(PAGE, follow=True).content.decode()
    assert "Also everybody in keyboard<" in page
    assert "keyboard-owners" not in page


def test_who_lost_access_does_not_find_it(version: Version, as_bob: Client, bob: User) -> None:
    save(as_bob)
    pk = SavedView.objects.get().pk
    bob.groups.clear()
    assert listed(as_bob) == []
    assert as_bob.get(reverse("saved_view", args=[pk])).status_code == 404


def test_the_list_takes_as_many_queries_as_ever(version: Version, as_bob: Client) -> None:
    counts = []
    for number in range(3):
        use_case = define(slug=f"more-{number}", title="More").use_case.slug
        save(as_bob, str(number), use_case=use_case, shared_with=shared_with("keyboard"))
        as_bob.get(VIEWS)  # with the message
        with CaptureQueriesContext(connection) as queries:
            assert len(listed(as_bob)) == number + 1
        counts.append(len(queries))
    assert len(set(counts)) == 1


# --- Changing ---


def test_an_owner_renames_shares_and_deletes(version: Version, as_bob: Client) -> None:
    save(as_bob)
    save(as_bob, "Taken")
    view = SavedView.objects.get(name="French")
    address = reverse("saved_view", args=[view.pk])
    assert 'value="French"' in as_bob.get(address).content.decode()
    taken = as_bob.post(address, {"name": "Taken"})
    assert taken.status_code == 422
    assert "You have a view of this name already" in words(taken)
    answer = as_bob.post(address, {"name": "Français", "shared_with": shared_with("keyboard")}, follow=True)
    assert answer.redirect_chain == [(VIEWS, 302)]
    view.refresh_from_db()
    assert (view.name, view.query) == ("Français", "locale=fr_FR&top=10")
    assert view.shared_with == Group.objects.get(name="keyboard")
    # Under its own name it may stay, and stop being shared.
    as_bob.post(address, {"name": "Français", "shared_with": ""})
    assert SavedView.objects.get(pk=view.pk).shared_with is None
    delete = reverse("delete_saved_view", args=[view.pk])
    assert as_bob.get(delete).status_code == 405
    assert as_bob.post(delete).status_code == 302
    assert [found.name for found in SavedView.objects.all()] == ["Taken"]


def test_an_empty_list_says_what_to_do(as_bob: Client) -> None:
    page = words(as_bob.get(VIEWS))
    assert "No view is saved yet" in page
    assert "Save this view" in page
