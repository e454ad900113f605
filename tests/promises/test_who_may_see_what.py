"""Seen by few: every address that is not listed here as public is closed to strangers, whatever views are added."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.promises.addresses import Address, addresses, without_name
from tests.promises.conftest import World

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# For everybody, without a login.
PUBLIC = {
    "healthz",
    "readyz",
    "login",
    "admin:login",
    "api_reports",  # a device's document
    "api_device_configuration",
    "what_leaves",
    "privacy",  # of the site: strangers see published use cases there, and those of nobody else
    "privacy_json",
}
# For whoever is signed in: nothing about any use case that they may not see.
OF_EVERYBODY = {"home", "logout", "api_schema"}
# For staff: the frame of the admin, without any object.
OF_STAFF = {"admin:index", "admin:logout", "admin:password_change", "admin:password_change_done", "admin:jsi18n"}
# Takes requests that no page of ours made: it reads no cookie, so that nothing can be done in somebody's name.
WITHOUT_SESSION = {"api_reports"}


def closed() -> list[Address]:
    return [address for address in addresses() if address.name not in PUBLIC]


def answers(client: Client, path: str) -> dict[str, int]:
    """The status of each method that the view has."""
    found = {method: getattr(client, method)(path) for method in ("get", "post")}
    return {method: answer.status_code for method, answer in found.items() if answer.status_code != 405}


def test_every_view_has_a_name_to_be_listed_by() -> None:
    # Of the admin and of the API those that say that there is nothing, and old addresses of the admin's objects.
    assert set(without_name()) == {"(?P<url>.*)$", "<path:object_id>/", ""}


def test_what_is_listed_exists() -> None:
    assert PUBLIC | OF_EVERYBODY | OF_STAFF <= {address.name for address in addresses()}


def test_charlie_finds_nothing_anywhere(world: World, charlie: User, client: Client) -> None:
    client.force_login(charlie)
    wrong = {}
    for address in closed():
        if address.name not in OF_EVERYBODY:
            seen = answers(client, world.path(address))
            if not seen or set(seen.values()) != {404}:
                wrong[address.name] = seen
    assert not wrong


def test_charlie_among_the_staff_finds_no_object(world: World, charlie: User, client: Client) -> None:
    charlie.is_staff = True
    charlie.save()
    client.force_login(charlie)
    wrong = {}
    for address in closed():
        if address.name not in OF_EVERYBODY | OF_STAFF:
            seen = answers(client, world.path(address))
            # The admin sends whoever asks for an object that is not there to its front page.
            if not set(seen.values()) <= {302, 403, 404}:
                wrong[address.name] = seen
    assert not wrong


def test_anonymous_people_find_the_login_everywhere(world: World, client: Client) -> None:
    wrong = {}
    for address in closed():
        path = world.path(address)
        for method in ("get", "post"):
            answer = getattr(client, method)(path)
            if answer.status_code in (401, 405):
                continue
            target = answer.headers.get("Location", "")
            logins = (reverse("login"), reverse("admin:login"))
            if address.name in ("logout", "admin:logout"):
                continue  # leads to the login, or to the admin's
            if answer.status_code != 302 or not target.startswith(logins):
                wrong[address.name, method] = (answer.status_code, target)
    assert not wrong


def test_nothing_is_changed_by_a_request_that_our_pages_did_not_make(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root", password="password"))
    wrong = {}
    for address in addresses():
        if address.name not in WITHOUT_SESSION:
            status = client.post(world.path(address), "{}", content_type="application/json").status_code
            if status not in (403, 405):
                wrong[address.name] = status
    assert not wrong


def test_a_session_is_void_after_logging_out(world: World, alice: User, client: Client) -> None:
    client.force_login(alice)
    stolen = client.cookies["sessionid"].value
    assert client.get("/use-cases/fruits/", follow=True).status_code == 200
    client.post(reverse("logout"))
    thief = Client()
    thief.cookies["sessionid"] = stolen
    assert thief.get("/use-cases/fruits/").status_code == 302
