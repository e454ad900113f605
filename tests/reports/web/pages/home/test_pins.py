"""The part of the front page that is the reader's own: pinned views with their answers, and the pages visited last."""

import datetime
import re

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from reports.accounts.tasks import forget_old_traces
from reports.models import Pin, Run, SavedView, Version, Viewing, Visit
from reports.models.uploads import utc_today
from reports.visits import MOST_VISITS
from reports.web.pages.bookmarks.pins import MOST_PINS
from reports.web.pages.bookmarks.query_strings import READERS
from tests.conftest import logged_in, make_user
from tests.reports.web.pages import reading

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

QUERIES = {"compare": "locale=en_US&other-locale=fr_FR", "element": "element=banana"}


def save(
    owner: User, version: Version, name: str, page: str = "use_case", query: str = "", team: str = ""
) -> SavedView:
    shared_with = Group.objects.get(name=team) if team else None
    use_case = version.use_case
    return SavedView.objects.create(
        owner=owner, name=name, use_case=use_case, page=page, query=query, shared_with=shared_with
    )


def pin(client: Client, view: SavedView, do: str = "pin") -> int:
    return client.post("/pins/", {"view": view.pk, "do": do}).status_code


def cards(client: Client) -> list[str]:
    """The names of pinned views, in their order."""
    return re.findall(r'<h3> <a href="[^"]*">([^<]*)</a> </h3>', reading.words(client.get("/")))


def test_pinned_views_stand_on_the_front_page_with_their_answers(published: Run, alice: User, as_alice: Client) -> None:
    assert "pin it when you save it" in reading.text_of(as_alice.get("/"))
    version = published.version
    views = [save(alice, version, f"A {page}", page, QUERIES.get(page, "days=7")) for page in READERS]
    assert "Pin a saved view" in reading.text_of(as_alice.get("/"))
    for view in views:
        assert pin(as_alice, view) == 302
    Viewing.objects.all().delete()
    read = reading.text_of(as_alice.get("/"))
    assert cards(as_alice) == [view.name for view in views]
    said = {view.page: read.split(f"{view.name} Fruits · ")[1].split(" A ")[0] for view in views}
    assert re.match(r"histogram · Last 7 days apple 5\d\.\d\d % 5\d\.\d\d % – 5\d\.\d\d %", said["use_case"])
    assert re.match(r"trend · Last 7 days apple \d\d\.\d\d % ", said["trend"])
    assert re.match(r"element · banana banana \d\d\.\d\d % .* English \(United States\) ·", said["element"])
    assert Viewing.objects.filter(user=alice, what="card").count() == 1


def test_the_order_is_ones_own(version: Version, alice: User, bob: User, as_alice: Client) -> None:
    first, second, third = (save(alice, version, name) for name in ("first", "second", "third"))
    for view in (first, second, third, third):
        pin(as_alice, view)
    pin(as_alice, third, "earlier")
    pin(as_alice, first, "earlier")
    assert cards(as_alice) == ["first", "third", "second"]
    pin(as_alice, first, "later")
    pin(as_alice, second, "later")
    assert cards(as_alice) == ["third", "first", "second"]
    pin(as_alice, first, "unpin")
    assert cards(as_alice) == ["third", "second"]
    for number in range(MOST_PINS):
        pin(as_alice, save(alice, version, f"{number}"))
    assert Pin.objects.count() == MOST_PINS
    assert pin(logged_in(bob), second) == 404
    assert as_alice.post("/pins/", {"view": "9" * 30, "do": "pin"}).status_code == 404
    assert as_alice.post("/pins/", {"view": second.pk, "do": "nonsense"}).status_code == 404


def test_a_shared_view_is_pinned_for_its_group_by_its_owner_alone(
    version: Version, alice: User, bob: User, as_alice: Client
) -> None:
    """Alice and bob are in the group, and dora is not."""
    shared = save(alice, version, "Ours", team="keyboard")
    alice.groups.add(Group.objects.get(name="keyboard"))
    as_bob, outsider = logged_in(bob), make_user("dora")
    pin(as_bob, shared)
    pin(as_bob, shared, "for-team")
    assert not Pin.objects.filter(for_team=True).exists()
    pin(as_bob, shared, "unpin")
    pin(as_alice, shared)
    assert cards(as_bob) == []
    pin(as_alice, shared, "for-team")
    assert cards(as_bob) == cards(as_alice) == ["Ours"]
    assert "for keyboard" in reading.text_of(as_bob.get("/"))
    assert 'value="unpin"' not in reading.words(as_bob.get("/"))
    assert cards(logged_in(outsider)) == []
    # One may have it in one's own order, too.
    pin(as_bob, shared)
    assert cards(as_bob) == ["Ours"]
    SavedView.objects.update(shared_with=None)
    assert cards(as_bob) == []
    assert cards(as_alice) == ["Ours"]


def test_a_view_is_pinned_as_it_is_saved(version: Version, as_bob: Client) -> None:
    fields = {"use_case": "fruits", "page": "use_case", "query": "", "name": "Mine", "pinned": "on"}
    as_bob.post("/views/", fields)
    assert cards(as_bob) == ["Mine"]


def test_pages_visited_last_are_for_their_visitor_and_forgotten(published: Run, alice: User, as_alice: Client) -> None:
    for days in (*range(1, MOST_VISITS + 2), 5, 5):
        as_alice.get(f"/use-cases/fruits/?days={days}", follow=True)
    as_alice.get("/use-cases/fruits/?q=nothing&nonsense=1", follow=True)
    found = as_alice.get("/search.json?q=").json()["groups"][0]
    assert (found["kind"], len(found["hits"])) == ("visit", MOST_VISITS)
    assert found["hits"][0]["address"] == "/use-cases/fruits/?q=nothing"
    assert found["hits"][1]["detail"] == "histogram · Last 5 days"
    assert Visit.objects.exclude(day=utc_today()).count() == 0
    assert "Last visited" not in reading.text_of(logged_in(make_user("dora", "keyboard")).get("/"))
    as_alice.get("/use-cases/fruits/trend/?days=7&add=zzz&nonsense=1")
    assert Visit.objects.values_list("page", "query")[0] == ("trend", "days=7")
    Visit.objects.filter(query="days=5").update(day=utc_today() - datetime.timedelta(days=31))
    forget_old_traces()
    assert Visit.objects.count() == MOST_VISITS - 1
    assert "Last visited" in reading.text_of(as_alice.get("/"))
    as_alice.post("/visits/forget/")
    assert not Visit.objects.exists()
