"""Every view, for those with rights and without: alice owns, bob looks, charlie has no access, others log in first."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reports.models import Run, Version, Viewing
from tests.reports.small_fleet import send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# View, method, and the status for alice, bob and charlie.
VIEWS = [
    ("home", "get", 200, 200, 200),
    ("use_case", "get", 200, 200, 404),
    ("use_case_csv", "get", 200, 200, 404),
    ("use_case_json", "get", 200, 200, 404),
    ("start_run", "post", 302, 404, 404),
    ("run", "get", 200, 404, 404),
    ("run_progress", "get", 200, 404, 404),
    ("retry_run", "post", 302, 404, 404),
    ("upload", "get", 200, 404, 404),
    ("upload", "post", 422, 404, 404),
    ("batch", "get", 200, 404, 404),
    ("withdraw_batch", "get", 200, 404, 404),
    ("withdraw_batch", "post", 302, 404, 404),
]


@pytest.fixture
def addresses(published: Run, version: Version) -> dict[str, str]:
    batch, _counts = send(version, 10)
    use_case, run, upload = ["fruits"], [str(published.pk)], [str(batch.batch)]
    arguments = {
        "use_case": use_case,
        "use_case_csv": use_case,
        "use_case_json": use_case,
        "start_run": use_case,
        "run": run,
        "run_progress": run,
        "retry_run": run,
        "batch": upload,
        "withdraw_batch": upload,
    }
    return {name: reverse(name, args=arguments.get(name, [])) for name, *_rest in VIEWS}


def test_who_may_see_what(
    addresses: dict[str, str], alice: User, bob: User, charlie: User, login: Callable[[User], Client]
) -> None:
    for name, method, *statuses in VIEWS:
        for user, status in zip((alice, bob, charlie), statuses, strict=True):
            response = getattr(login(user), method)(addresses[name])
            assert response.status_code == status, (name, method, user)
            if user == alice:  # no shared cache keeps it
                assert "private" in response.headers["Cache-Control"], (name, method)
                assert "Cookie" in response.headers["Vary"], (name, method)


def test_anonymous_people_go_to_the_login(addresses: dict[str, str], client: Client) -> None:
    for name, method, *_statuses in VIEWS:
        response = getattr(client, method)(addresses[name])
        assert response.status_code == 302, (name, method)
        assert response.headers["Location"].startswith(reverse("login")), (name, method)
    assert not Viewing.objects.exists()


@pytest.mark.parametrize("name", ["healthz", "readyz", "login"])
def test_what_is_public(name: str, client: Client) -> None:
    assert client.get(reverse(name)).status_code == 200


@pytest.mark.parametrize("name", ["start_run", "retry_run"])
def test_looking_changes_nothing(name: str, addresses: dict[str, str], as_alice: Client) -> None:
    assert as_alice.get(addresses[name]).status_code == 405


def test_home_lists_only_what_one_may_see(
    published: Run, bob: User, charlie: User, login: Callable[[User], Client]
) -> None:
    assert b"Fruits" in login(bob).get("/").content
    page = login(charlie).get("/").content
    assert b"Fruits" not in page
    assert b"There is no use case that you may see" in page


def test_who_looked_is_noted(published: Run, bob: User, login: Callable[[User], Client]) -> None:
    client = login(bob)
    for name in ("use_case", "use_case_csv", "use_case_json"):
        client.get(reverse(name, args=["fruits"]))
    client.get(reverse("use_case", args=["fruits"]), {"locale": "fr_FR"})  # nothing to see there
    assert sorted(Viewing.objects.values_list("user", "what")) == [(bob.pk, what) for what in ("csv", "json", "page")]
