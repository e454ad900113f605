"""Single sign-on at a real provider: who comes in, with which rights, and what is said to those who do not."""

import base64
import hashlib
import re
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import requests
import time_machine
from authlib.integrations.django_client.apps import DjangoOAuth2App
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from reports.accounts.reset_form import ResetForm
from reports.accounts.single_sign_on import oidc
from reports.accounts.single_sign_on.signed_on import Claimed, account_of
from reports.models import Identity, WebSession
from tests.oidc_provider import Provider, log_in
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _use_case(db: None) -> None:
    define(viewer_groups=["analysts"], owner_group="growers")


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_a_viewer_an_owner_and_an_administrator_come_in_with_the_rights_of_their_groups(provider: Provider) -> None:
    login = Client().get("/use-cases/fruits/", follow=True)
    assert f"{reverse('oidc_begin')}?next=/use-cases/fruits/" in text(login)
    viewer, owner, administrator = Client(), Client(), Client()
    answer = log_in(viewer, provider, "ada", next="/use-cases/fruits/")
    assert answer.headers["Location"] == "/use-cases/fruits/"
    log_in(owner, provider, "olga")
    log_in(administrator, provider, "rita")
    pages = [
        "/use-cases/fruits/",
        "/use-cases/fruits/quarantine/",
        reverse("admin:index"),
        reverse("admin:auth_user_add"),
    ]
    seen = [[client.get(page).status_code for page in pages] for client in (viewer, owner, administrator)]
    assert seen == [[200, 404, 404, 404], [200, 200, 200, 403], [200, 200, 200, 200]]
    ada = User.objects.get(username="ada")
    assert (ada.email, ada.has_usable_password(), ada.is_superuser) == ("ada@example.org", False, False)
    account = text(viewer.get(reverse("account")))
    assert "This account has no password here." in account
    assert reverse("change_address") not in account


def test_nobody_comes_in_without_a_group_and_what_is_withdrawn_there_is_gone_here(provider: Provider) -> None:
    client, other = Client(), Client()
    refused = log_in(client, provider, "nick")
    assert (refused.status_code, "You are in no group that may use this site" in text(refused)) == (403, True)
    assert not User.objects.filter(username="nick").exists()
    log_in(client, provider, "olga")
    olga = User.objects.get(username="olga")
    olga.groups.add(Group.objects.create(name="of-this-site"))
    provider.know("olga", groups=["there-viewers"])
    log_in(other, provider, "olga")
    olga.refresh_from_db()
    assert {group.name for group in olga.groups.all()} == {"analysts", "of-this-site"}
    assert not olga.is_staff
    # In the browser that was logged in before, too.
    assert client.get("/use-cases/fruits/quarantine/").status_code == 404
    provider.know("olga", groups=[])
    assert log_in(Client(), provider, "olga").status_code == 403
    assert client.get("/use-cases/fruits/").status_code == 404
    assert {group.name for group in olga.groups.all()} == {"of-this-site"}


def test_administrators_are_made_and_unmade_by_their_group_alone(provider: Provider, settings: Settings) -> None:
    settings.LDPSITE_SSO_STAFF_GROUPS = []
    for groups, is_admin in ((["there-admins"], True), (["there-viewers"], False)):
        provider.know("rita", preferred_username="rita", groups=groups)
        log_in(Client(), provider, "rita")
        rita = User.objects.get(username="rita")
        assert (rita.is_superuser, rita.is_staff) == (is_admin, is_admin)
    # Rights that the provider does not decide are decided here.
    User.objects.filter(username="rita").update(is_staff=True)
    log_in(Client(), provider, "rita")
    assert User.objects.get(username="rita").is_staff


def test_neither_name_nor_address_takes_an_account_over(provider: Provider, alice: User) -> None:
    provider.know("mallory", preferred_username="alice", email=alice.email, groups=["there-viewers"])
    client = Client()
    log_in(client, provider, "mallory")
    made = Identity.objects.get(subject="mallory").user
    assert (made.username, made.pk == alice.pk) == ("alice-2", False)
    provider.know("mallory", preferred_username="rita", email="else@example.org", groups=["there-viewers"])
    log_in(Client(), provider, "mallory")
    made.refresh_from_db()
    assert (made.username, made.email) == ("alice-2", "else@example.org")
    provider.know("mallory", email="unproved@example.org", email_verified=False, groups=["there-viewers"])
    log_in(Client(), provider, "mallory")
    made.refresh_from_db()
    assert made.email == "else@example.org"


def test_an_account_of_before_is_kept_by_who_is_connected_with_it(provider: Provider, alice: User) -> None:
    before, client = Client(), Client()
    assert before.login(username="alice", password="password")
    call_command("connect_account", "alice", "ada", "--keep-password")
    assert before.get("/accounts/").status_code == 200
    # The provider alone decides about the account once connected: neither its password nor a mail opens it.
    call_command("connect_account", "alice", "ada")
    assert before.get("/accounts/").status_code == 302
    assert not Client().login(username="alice", password="password")
    assert not list(ResetForm().get_users(alice.email))
    log_in(client, provider, "ada")
    assert Identity.objects.get().user == alice
    with pytest.raises(CommandError, match="has the account 'alice' already"):
        call_command("connect_account", User.objects.create_user("second").username, "ada")


def test_what_is_asked_of_the_provider_cannot_be_used_by_others(provider: Provider) -> None:
    client, other = Client(), Client()
    asked = client.get(reverse("oidc_begin"), {"next": "https://evil.example.org/"}).headers["Location"]
    for part in ("code_challenge_method=S256", "code_challenge=", "nonce=", "state=", "response_type=code"):
        assert part in asked
    back = re.sub("^http://testserver", "", provider.answer(asked, "ada"))
    state = re.search(r"state=([^&]+)", back)
    assert state is not None
    for wrong, who in ((back.replace(state[1], "x" + state[1][1:]), client), (back, other)):
        answer = who.get(wrong)
        assert (answer.status_code, "This login was not begun here" in text(answer)) == (400, True)
    before = client.session.session_key
    answer = client.get(back)
    assert answer.headers["Location"] == "/"
    assert client.session.session_key != before
    # Used once, it is of no more use; and nothing that came with it is kept.
    assert client.get(back).headers["Location"] == reverse("login")
    client.post(reverse("logout"))
    assert client.get(back).status_code == 400
    log_in(client, provider, "ada")
    kept = str(dict(client.session))
    assert not any(word in kept for word in ("token", "verifier", "nonce", "_state_"))
    assert not client.cookies["single_sign_on"].value


def test_the_way_to_the_provider_is_kept_shortly_and_by_the_browser_alone(
    provider: Provider, client: Client, settings: Settings
) -> None:
    settings.SESSION_COOKIE_SECURE = True
    longest = "/" + base64.urlsafe_b64encode(hashlib.shake_256(b"page").digest(750)).decode()[:999]
    tabs = [client.get(reverse("oidc_begin"), {"next": longest}).headers["Location"] for _ in range(5)]
    assert not WebSession.objects.exists()
    cookie = client.cookies["single_sign_on"]
    assert (cookie["max-age"], cookie["path"], cookie["samesite"]) == (900, reverse("oidc_begin"), "Lax")
    assert (cookie["httponly"], cookie["secure"]) == (True, True)
    assert len(cookie.OutputString()) < 4096
    # One cannot be forged, and none is of use for longer.
    for value, moved in ((cookie.value[:-1] + "!", 0), (cookie.value, 901)):
        other = Client()
        other.cookies["single_sign_on"] = value
        with time_machine.travel(time.time() + moved):
            assert other.get(re.sub("^http://testserver", "", provider.answer(tabs[-1], "ada"))).status_code == 400
    # An earlier tab may be the first that comes back.
    back = client.get(re.sub("^http://testserver", "", provider.answer(tabs[-2], "ada")))
    assert back.headers["Location"] == longest


def test_a_page_to_open_may_be_a_word(provider: Provider, client: Client) -> None:
    assert log_in(client, provider, "ada", next="x").headers["Location"] == "x"


def test_a_provider_that_does_not_answer_is_not_waited_for_again_at_once(
    provider: Provider, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def send(self: requests.Session, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        asked.append(str(request.url))
        return original(self, request, **options)

    original, now = requests.Session.send, [1000.0]
    monkeypatch.setattr(requests.Session, "send", send)
    monkeypatch.setattr(oidc, "time", SimpleNamespace(monotonic=lambda: now[0]), raising=False)
    settings.LDPSITE_OIDC_DISCOVERY_URL = "http://127.0.0.1:9/nothing"
    for _ in range(3):
        assert Client().get(reverse("oidc_begin")).status_code == 503
        assert "Log out at" not in text(Client().get(reverse("signed_out")))
    assert len(asked) == 1
    # Later one asks again, and others do not wait for what that comes to.
    now[0] += 15
    assert [Client().get(reverse("oidc_begin")).status_code for _ in range(2)] == [503, 503]
    assert len(asked) == 2
    monkeypatch.setattr(oidc.provider(), "_server_metadata_url", provider.discovery_url)
    now[0] += 15
    assert Client().get(reverse("oidc_begin")).status_code == 302


def test_every_failure_says_what_to_do_next_and_logs_only_its_kind(
    provider: Provider, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def shown(client: Client, **replaced: str) -> tuple[int, str]:
        asked = client.get(reverse("oidc_begin")).headers["Location"]
        back = re.sub("^http://testserver", "", provider.answer(asked, "ada"))
        for old, new in replaced.items():
            back = re.sub(rf"{old}=[^&]+", f"{old}={new}", back)
        answer = client.get(back)
        assert not client.cookies["single_sign_on"].value
        heading = re.search("<h1>(.+)</h1>", text(answer))
        assert heading is not None
        return answer.status_code, heading[1]

    assert shown(Client(), code="wrong") == (502, "The login service refuses this site")
    denied = Client().get(reverse("oidc_callback"), {"error": "access_denied", "error_description": "<b>secret</b>"})
    assert (denied.status_code, "The login was cancelled" in text(denied)) == (403, True)
    assert "secret" not in text(denied)
    original = DjangoOAuth2App.parse_id_token

    def late(self: Any, token: Any, **options: Any) -> Any:
        return original(self, token, **options | {"leeway": -10_000})

    with monkeypatch.context() as patch:
        patch.setattr(DjangoOAuth2App, "parse_id_token", late)
        assert shown(Client()) == (502, "A clock is wrong")
    # Signed by another key, or meant for another site.
    metadata = oidc.provider().server_metadata
    keys = dict(metadata["jwks"])
    with monkeypatch.context() as patch:
        patch.setitem(metadata, "jwks", {"keys": [{**keys["keys"][0], "n": keys["keys"][0]["n"][:-8] + "AAAAAAAA"}]})
        assert shown(Client()) == (502, "The answer of the login service is not valid")
    with monkeypatch.context() as patch:
        patch.setattr(oidc.provider(), "client_id", "another")
        asked = Client()
        began = asked.get(reverse("oidc_begin")).headers["Location"].replace("client_id=another", "client_id=ldpsite")
        back = re.sub("^http://testserver", "", provider.answer(began, "ada"))
        assert asked.get(back).status_code == 502
    User.objects.filter(username="ada").update(is_active=False)
    log_in(Client(), provider, "ada")
    User.objects.filter(username="ada").update(is_active=False)
    assert shown(Client()) == (403, "Your account here is closed")
    settings.LDPSITE_OIDC_DISCOVERY_URL = "http://127.0.0.1:9/nothing"
    down = Client().get(reverse("oidc_begin"))
    assert (down.status_code, "The login service does not answer" in text(down)) == (503, True)
    lines = [record.getMessage() for record in caplog.records if "single sign-on" in record.getMessage()]
    assert len(lines) == 7
    assert not any(word in " ".join(lines) for word in ("secret", "ada", "http"))


def test_a_logout_here_offers_the_one_there(provider: Provider, client: Client, alice: User) -> None:
    log_in(client, provider, "ada")
    page = client.post(reverse("logout"), follow=True)
    found = re.search(r'href="([^"]+)">Log out at Example', text(page))
    assert found is not None
    there = requests.get(found[1].replace("&amp;", "&"), allow_redirects=False, timeout=30)
    assert "token" not in found[1]
    assert there.status_code == 200 or there.headers["Location"].startswith("http://testserver/accounts/login/")
    client.force_login(alice, "reports.accounts.logins.ThrottledBackend")
    assert client.post(reverse("logout")).headers["Location"] == reverse("login")


def test_passwords_can_be_turned_off(provider: Provider, settings: Settings, alice: User) -> None:
    before = Client()
    assert before.login(username="alice", password="password")
    settings.LDPSITE_PASSWORD_LOGIN = False
    settings.AUTHENTICATION_BACKENDS = settings.AUTHENTICATION_BACKENDS[1:]
    assert before.get("/accounts/").status_code == 302
    assert 'name="password"' not in text(Client().get(reverse("login")))
    for path in (reverse("login"), reverse("password_reset"), reverse("admin:login")):
        answer = Client().post(path, {"username": "alice", "password": "password", "email": "alice@example.org"})
        assert (answer.status_code, answer.headers.get("Location", "")[:16]) in ((404, ""), (302, "/accounts/login/"))
    log_in(before, provider, "ada")
    assert before.get("/accounts/").status_code == 200


def test_two_first_logins_at_once_make_one_account(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = Claimed("issuer", "twice", frozenset({"there-viewers"}), "twice")
    first = account_of(claimed)
    found = Identity.objects.select_related("user")
    looks = iter([found.none(), found.filter(subject="twice")])
    monkeypatch.setattr(Identity.objects, "select_related", lambda *_names: _Looks(looks))
    assert account_of(claimed) == first
    assert User.objects.filter(username__startswith="twice").count() == 1


class _Looks:
    def __init__(self, looks: Iterator[Any]) -> None:
        self._looks = looks

    def filter(self, **_named: str) -> Any:
        return next(self._looks)


def test_without_a_provider_there_is_no_way_to_it(client: Client) -> None:
    for name in ("oidc_begin", "oidc_callback", "signed_out"):
        assert client.get(reverse(name)).status_code == 404
