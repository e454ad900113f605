"""Seen by few: every address that is not listed here as public is closed to strangers, whatever views are added."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseNotFound
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse
from pytest_django import Settings

from ldpsite import urls
from reports.models import DictionaryEntry, DictionaryRevision, UseCase, Version, WebSession
from tests.promises.addresses import Address, addresses, without_name
from tests.promises.conftest import World

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# For everybody, without a login.
PUBLIC = {
    "healthz",
    "readyz",
    "metrics",  # holders of their token; for others there are none
    "login",
    "admin:login",
    "api_reports",  # a device's document
    "api_device_configuration",
    *("api_open_rounds", "api_training_rows", "api_contributions"),  # of a published task: statements, sealed messages
    "oidc_begin",  # the way to the provider of single sign-on, and back
    "oidc_callback",
    "signed_out",
    "what_leaves",
    "privacy",  # of the site: strangers see published use cases there, and no others
    "privacy_json",
    "choose_language",  # keeps the name of a language in a cookie
    "password_reset",  # says the same whatever address is given
    "password_reset_confirm",  # holders of the link in a mail
    "client_wheel",  # the client's source, which has a licence for all
    *("embed", "embed_preview"),  # holders of a link that an owner made, as long as it holds
}
# For all who are signed in: nothing about any use case that they may not see.
OF_EVERYBODY = {
    "home",
    "logout",
    "api_schema",
    "api_page",
    *("api_use_cases", "api_training_tasks"),  # lists of those that one may view
    "search",
    "search_json",
    *("site_changes", *(f"site_changes_{form}" for form in ("csv", "json", "parquet")), "api_site_changes"),
    "saved_views",
    "forget_visits",
    "subscriptions",
    *("inbox", "read_inbox"),
    "evaluations",
    "training_tasks",
    "regression",
    *(f"regression_{form}" for form in ("csv", "json", "parquet")),
    "planner",
    "planner_json",
    "account",
    "preferences",
    "tokens",
    "end_sessions",
    "change_address",
    "choose_theme",
} | {
    "report_format",
    "report_format_text",
}
# For staff: the frame of the admin, without any object.
OF_STAFF = {"admin:index", "admin:logout", "admin:password_change", "admin:password_change_done", "admin:jsi18n"}
# Views without a session take requests that no page of ours made: they do not look who asks, so that they cannot act
# for a user.
WITHOUT_SESSION = {"api_reports", "api_training_rows", "api_contributions", "choose_language"}


def closed() -> list[Address]:
    return [address for address in addresses() if address.name not in PUBLIC]


def answers(client: Client, path: str) -> dict[str, int]:
    """The status of each method that the view has."""
    found = {method: getattr(client, method)(path) for method in ("get", "post")}
    return {method: answer.status_code for method, answer in found.items() if answer.status_code != 405}


def not_found(_request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponseNotFound()


def forbidden(_request: HttpRequest, **_why: object) -> HttpResponse:
    return HttpResponseForbidden()


@pytest.fixture
def bare_refusals(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Leave pages of refusals away where only their status is looked at, hundreds of times."""
    monkeypatch.setattr(urls, "handler404", not_found, raising=False)
    monkeypatch.setattr(urls, "handler403", forbidden, raising=False)
    settings.CSRF_FAILURE_VIEW = forbidden


def of_objects() -> list[Address]:
    return [address for address in closed() if address.arguments and address.name != "admin:app_list"]


def everything() -> dict[str, list[Any]]:
    """All rows of the database, but those of sessions, where messages are kept."""
    models = [model for model in apps.get_models() if model is not WebSession]
    return {model._meta.label: sorted(map(repr, model._base_manager.values_list())) for model in models}


def changelist(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def lists(client: Client) -> Iterator[tuple[type[Model], Any]]:
    """Return the lists of the admin that a person may open."""
    get_resolver().url_patterns  # noqa: B018 — the admin's models are registered with its addresses
    for model in admin.site._registry:
        answer = client.get(changelist(model))
        if answer.status_code == 200:
            yield model, answer.context["cl"]


def foreign(model: type[Model]) -> set[str]:
    """Keys of what is not the gardener's: whatever was there before there was anything of theirs."""
    vegetables = UseCase.objects.get(slug="vegetables")
    theirs: dict[type[Model], QuerySet[Any]] = {
        UseCase: UseCase.objects.filter(pk=vegetables.pk),
        Version: vegetables.versions.all(),
        DictionaryRevision: DictionaryRevision.objects.filter(version__use_case=vegetables),
        DictionaryEntry: DictionaryEntry.objects.filter(revision__version__use_case=vegetables),
    }
    own = {row.pk for row in theirs.get(model, model._default_manager.none())}
    return {str(row.pk) for row in model._default_manager.all() if row.pk not in own}


def test_every_view_has_a_name_to_be_listed_by() -> None:
    # Addresses of the admin and the API that say that there is nothing, and old addresses of the admin's objects.
    assert set(without_name()) == {"(?P<url>.*)$", "<path:object_id>/", ""}


def test_what_is_listed_exists() -> None:
    assert PUBLIC | OF_EVERYBODY | OF_STAFF <= {address.name for address in addresses()}


@pytest.mark.usefixtures("bare_refusals")
def test_charlie_finds_nothing_anywhere(world: World, charlie: User, client: Client) -> None:
    client.force_login(charlie)
    wrong = {}
    for address in closed():
        if address.name not in OF_EVERYBODY:
            seen = answers(client, world.path(address))
            if not seen or set(seen.values()) != {404}:
                wrong[address.name] = seen
    assert not wrong


@pytest.mark.usefixtures("bare_refusals")
def test_charlie_among_the_staff_finds_no_object(world: World, charlie: User, client: Client) -> None:
    charlie.is_staff = True
    charlie.save()
    client.force_login(charlie)
    wrong = {}
    for address in closed():
        # The staff may open anything of the admin alone.
        if address.name.startswith("admin:") and address.name not in OF_STAFF:
            seen = answers(client, world.path(address))
            # The admin answers a request for an object that is not there with its front page.
            if not set(seen.values()) <= {302, 403, 404}:
                wrong[address.name] = seen
    assert not wrong


@pytest.mark.usefixtures("bare_refusals")
def test_an_owner_among_the_staff_finds_nothing_of_others(world: World, gardener: User, client: Client) -> None:
    client.force_login(gardener)
    before = everything()
    wrong = {}
    for address in of_objects():
        for method in ("get", "post"):
            answer = getattr(client, method)(world.path(address))
            away = answer.status_code == 302 and answer.headers["Location"] == reverse("admin:index")
            if not away and answer.status_code not in (403, 404, 405):
                wrong[address.name, method] = answer.status_code
    assert not wrong
    assert everything() == before


def test_an_owner_among_the_staff_is_told_nothing_of_others(world: World, gardener: User, client: Client) -> None:
    """Wherever no object is named: lists, their filters and forms' choices."""
    client.force_login(gardener)
    # Before pages note that the gardener looked at what is theirs.
    of_others = {model: foreign(model) for model in admin.site._registry}
    told, shown = {}, {}
    for address in addresses():
        if address.arguments or address.name in ("logout", "admin:logout"):
            continue
        answer = client.get(world.path(address))
        named = [name for name in world.names if name.encode() in answer.getvalue()]
        if named and address.name not in PUBLIC:
            told[address.name] = named
        if address.name.endswith("_changelist"):
            shown[address.name] = answer.status_code
    assert not told
    assert shown["admin:reports_usecase_changelist"] == shown["admin:reports_batch_changelist"] == 200
    for model, page in lists(client):
        assert not {str(row.pk) for row in page.result_list} & of_others[model], model


def test_an_owner_among_the_staff_does_nothing_with_what_is_of_others(
    world: World, gardener: User, client: Client
) -> None:
    client.force_login(gardener)
    request = RequestFactory().get("/")
    request.user = gardener
    done = set()
    before = everything()
    for model, _page in lists(client):
        for action in {"delete_selected", *admin.site.get_model_admin(model).get_actions(request)}:
            chosen = {"action": action, "_selected_action": sorted(foreign(model)), "post": "yes"}
            client.post(changelist(model), chosen)
            done.add(action)
    assert done >= {"delete_selected", "aggregate", "revoke", "take_out", "withdraw_batches", "release_batches"}
    assert everything() == before


def test_anonymous_people_find_the_login_everywhere(world: World, client: Client) -> None:
    wrong = {}
    for address in closed():
        path = world.path(address)
        for method in ("get", "post"):
            answer = getattr(client, method)(path)
            if answer.status_code in (401, 405):
                continue
            target = answer.headers.get("Location", "")
            login = reverse("admin:login" if address.name.startswith("admin:") else "login")
            if address.name in ("logout", "admin:logout"):
                # Leads to the login, or to the admin's, and not from there to the end of the session that has begun.
                is_right = "logout" not in target
            else:
                is_right = answer.status_code == 302 and target.startswith(login)
            if not is_right:
                wrong[address.name, method] = (answer.status_code, target)
    assert not wrong


@pytest.mark.usefixtures("bare_refusals")
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
