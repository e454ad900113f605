"""People whom a proxy logs in: only a request from the proxy may say who asks, and each one says it anew."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from reports.accounts.single_sign_on.checks import check_single_sign_on
from reports.models import WebSession
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/"
SECRET = "s" * 40


@pytest.fixture(autouse=True)
def _proxy(settings: Settings) -> None:
    settings.LDPSITE_PROXY_USER_HEADER = "X-Auth-User"
    settings.LDPSITE_PROXY_GROUPS_HEADER = "X-Auth-Groups"
    settings.LDPSITE_PROXY_ADDRESSES = ["10.0.0.7", "unix"]
    settings.LDPSITE_SSO_GROUPS = {"there-viewers": ["analysts"], "there-owners": ["growers"]}
    settings.AUTHENTICATION_BACKENDS = [
        *settings.AUTHENTICATION_BACKENDS,
        "reports.accounts.single_sign_on.proxy.ProxyBackend",
    ]
    middleware = list(settings.MIDDLEWARE)
    place = middleware.index("reports.accounts.preferences.PreferencesMiddleware")
    settings.MIDDLEWARE = [
        *middleware[:place],
        "reports.accounts.single_sign_on.proxy.ProxyMiddleware",
        *middleware[place:],
    ]
    define(viewer_groups=["analysts"], owner_group="growers")


def ask(client: Client, user: str = "ada", groups: str = "there-viewers", path: str = PAGE, **rest: str) -> Any:
    headers = {"x-auth-user": user, "x-auth-groups": groups} if user else {}
    more = {"REMOTE_ADDR": "10.0.0.7"} | rest
    return client.get(path, headers=headers, **more)  # type: ignore[arg-type]


def test_the_proxy_says_who_asks_and_what_their_groups_are() -> None:
    client = Client()
    assert ask(client).status_code == 200
    for sender in ("", "::ffff:10.0.0.7"):
        assert ask(client, REMOTE_ADDR=sender).status_code == 200
    assert User.objects.get().username == "ada"
    kept = WebSession.objects.get()
    assert ask(client).status_code == 200
    assert WebSession.objects.get().session_data == kept.session_data
    assert ask(client, path=f"{PAGE}quarantine/").status_code == 404
    # Groups that change there change here at once, in the same session.
    assert ask(client, groups="else, there-owners", path=f"{PAGE}quarantine/").status_code == 200
    assert ask(client, groups="").status_code == 302
    assert not User.objects.get().groups.exists()


@pytest.mark.parametrize("address", ["10.0.0.8", "127.0.0.1", "::1"])
def test_from_elsewhere_the_headers_say_nothing(address: str) -> None:
    client = Client()
    assert ask(client, REMOTE_ADDR=address).status_code == 302
    assert not User.objects.exists()
    # Nor with a session of the proxy that the browser brings along.
    ask(client)
    assert ask(client, REMOTE_ADDR=address).status_code == 302
    assert ask(client, HTTP_X_FORWARDED_FOR="10.0.0.7", REMOTE_ADDR=address).status_code == 302


def test_with_a_secret_only_the_proxy_that_knows_it_is_believed(settings: Settings) -> None:
    settings.LDPSITE_PROXY_SECRET = SECRET
    for rest in ({}, {"HTTP_X_LDPSITE_PROXY_SECRET": "s" * 39}):
        assert ask(Client(), **rest).status_code == 302
    assert ask(Client(), HTTP_X_LDPSITE_PROXY_SECRET=SECRET).status_code == 200
    assert ask(Client(), HTTP_X_LDPSITE_PROXY_SECRET=SECRET, REMOTE_ADDR="10.0.0.8").status_code == 302
    settings.LDPSITE_PROXY_ADDRESSES = []
    assert ask(Client(), HTTP_X_LDPSITE_PROXY_SECRET=SECRET, REMOTE_ADDR="10.0.0.8").status_code == 200


def test_a_person_without_a_group_is_told_so(client: Client) -> None:
    page = ask(client, groups="else", path=reverse("login"))
    assert (page.status_code, "You are in no group that may use this site" in page.content.decode()) == (403, True)
    assert not User.objects.exists()


def test_another_person_in_the_same_browser_is_another_person(alice: User) -> None:
    client = Client()
    ask(client, "alice")
    assert WebSession.objects.get().user == User.objects.get(username="alice-2")
    ask(client, "bob")
    assert WebSession.objects.get().user == User.objects.get(username="bob")
    # Where the proxy names no person, a session alone is no one's, and goes on afterwards.
    kept = WebSession.objects.get().pk
    assert ask(client, user="").status_code == 302
    assert ask(client, "bob").status_code == 200
    assert WebSession.objects.get().pk == kept
    # A person who logged in with a password goes on without the proxy.
    client.force_login(alice, "reports.accounts.logins.ThrottledBackend")
    assert ask(client, user="", path="/accounts/").status_code == 200


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        ({"LDPSITE_PROXY_ADDRESSES": ["10.0.0.0/8"]}, ["ldpsite.W16"]),
        ({"LDPSITE_PROXY_ADDRESSES": ["127.0.0.1"]}, ["ldpsite.W17"]),
        ({"LDPSITE_PROXY_SECRET": "short"}, ["ldpsite.W15"]),
        ({"LDPSITE_PROXY_USER_HEADER": "X-Forwarded-Email"}, ["ldpsite.W18"]),
        ({"LDPSITE_PASSWORD_LOGIN": False}, ["ldpsite.W14"]),
        ({"SESSION_COOKIE_AGE": 14 * 24 * 3600}, ["ldpsite.W13"]),
        ({"LDPSITE_OIDC_DISCOVERY_URL": "http://id.example.org/x"}, ["ldpsite.W11", "ldpsite.W12"]),
    ],
)
def test_dangerous_settings_are_told_before_they_are_deployed(
    settings: Settings, changed: dict[str, Any], found: list[str]
) -> None:
    for name, value in ({"SESSION_COOKIE_AGE": 3600} | changed).items():
        setattr(settings, name, value)
    assert [warning.id for warning in check_single_sign_on(None)] == found
