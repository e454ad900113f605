"""Passwords: everybody changes their own, and a mail resets a forgotten one, without telling who has an account."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django import Settings

from reports.accounts.logins import FREE_FAILURES
from reports.accounts.passwords import send_resets
from reports.accounts.tasks import send_password_resets
from reports.models import FailedLogins

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

NEW = "quite another 1"
RESET = "/accounts/reset/"


@pytest.fixture
def called(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What workers are called for, where mail is set up."""
    settings.EMAIL_HOST = "mail.example.org"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.LDPSITE_ADDRESS = "https://ldp.example.org"
    found: list[Any] = []
    monkeypatch.setattr(send_password_resets, "apply_async", lambda args, **_options: found.append(args))
    return found


def ask(email: str, client: Client | None = None, **headers: str) -> Any:
    return (client or Client()).post(RESET, {"email": email}, headers=headers)


def change(client: Client, old: str) -> Any:
    return client.post(reverse("account"), {"old_password": old, "new_password1": NEW, "new_password2": NEW})


def link_in_mail() -> str:
    found = re.search(r"https://ldp\.example\.org(/accounts/reset/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


# --- Changing it ---


def test_everybody_changes_their_own_and_other_browsers_have_to_log_in_again(charlie: User) -> None:
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        assert client.login(username="charlie", password="password")
    assert 'href="/accounts/"' in here.get("/").content.decode()
    assert change(here, "password").headers["Location"] == "/accounts/"
    assert "Your password is changed." in here.get("/accounts/").content.decode()
    assert elsewhere.get("/accounts/").status_code == 302
    charlie.refresh_from_db()
    assert charlie.check_password(NEW)


def test_an_open_session_lets_nobody_try_passwords(charlie: User, client: Client) -> None:
    client.force_login(charlie)
    answers = [change(client, "wrong") for _ in range(FREE_FAILURES)] + [change(client, "password")]
    assert [answer.status_code for answer in answers] == [200] * (FREE_FAILURES - 1) + [429] * 2
    assert "Too many logins to this account have failed." in answers[-1].content.decode()
    assert int(answers[-1].headers["Retry-After"]) > 0
    charlie.refresh_from_db()
    assert charlie.check_password("password")


def test_a_weak_password_is_refused_in_words(charlie: User, client: Client) -> None:
    client.force_login(charlie)
    weak = {"old_password": "password", "new_password1": "1234", "new_password2": "1234"}
    assert "This password is too short." in client.post("/accounts/", weak).content.decode()


# --- Resetting it ---


def test_a_link_comes_by_mail_and_works_once(charlie: User, called: list[Any]) -> None:
    old = Client()
    assert old.login(username="charlie", password="password")
    answer = ask("Charlie@example.org")
    assert answer.headers["Location"] == reverse("login")
    ((people, language),) = called
    assert (people, language) == ([charlie.pk], "en")
    send_resets(people, language)
    assert mail.outbox[0].to == ["charlie@example.org"]
    assert "for charlie" in str(mail.outbox[0].body)
    link, browser = link_in_mail(), Client()
    form = browser.get(link)
    # Where the address of the page is told, as to a proxy, the key is no more in it.
    assert form.headers["Location"].endswith("/set-password/")
    answer = browser.post(form.headers["Location"], {"new_password1": NEW, "new_password2": NEW})
    assert answer.headers["Location"] == reverse("login")
    assert old.get("/accounts/").status_code == 302
    assert Client().login(username="charlie", password=NEW)
    assert "This link is not valid" in Client().get(link).content.decode()


def test_whoever_was_locked_out_may_log_in_with_the_new_one(charlie: User, called: list[Any]) -> None:
    for _ in range(FREE_FAILURES):
        Client().post(reverse("login"), {"username": "charlie", "password": "wrong"})
    assert FailedLogins.objects.get().blocked_until is not None
    ask("charlie@example.org")
    send_resets(*called[0])
    browser = Client()
    browser.post(browser.get(link_in_mail()).headers["Location"], {"new_password1": NEW, "new_password2": NEW})
    answer = Client().post(reverse("login"), {"username": "charlie", "password": NEW})
    assert answer.status_code == 302


@pytest.mark.parametrize("state", ["known", "unknown", "closed", "without a password"])
def test_the_answer_does_not_tell_whether_there_is_an_account(charlie: User, called: list[Any], state: str) -> None:
    """Neither by its words nor by what is done before it: a worker is called in any case."""
    if state == "closed":
        User.objects.update(is_active=False)
    elif state == "without a password":
        charlie.set_unusable_password()
        charlie.save()
    client = Client()
    answer = ask("nobody@example.org" if state == "unknown" else "charlie@example.org", client)
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("login"))
    page = client.get(reverse("login")).content.decode()
    assert "If an account has this address, a mail with a link is on its way to it." in page
    assert called == [([charlie.pk] if state == "known" else [], "en")]
    send_resets(*called[0])
    assert len(mail.outbox) == (state == "known")


@pytest.mark.parametrize("email", ["charlie@example.org", "nobody@example.org"])
def test_mails_are_slowed_down_by_address_whether_there_is_an_account_or_not(
    charlie: User, called: list[Any], email: str
) -> None:
    answers = [ask(email) for _ in range(FREE_FAILURES + 1)]
    assert [answer.status_code for answer in answers] == [302] * FREE_FAILURES + [429]
    assert "Too many mails were asked for with this address. Wait" in answers[-1].content.decode()
    assert len(called) == FREE_FAILURES
    assert ask("another@example.org").status_code == 302
    # Logins are not: somebody else would lock people out by asking for mails.
    assert Client().login(username="charlie", password="password")
    row = FailedLogins.objects.get(failures=FREE_FAILURES)
    FailedLogins.objects.filter(pk=row.pk).update(blocked_until=timezone.now())
    assert ask(email).status_code == 302


def test_links_lead_to_this_site_whatever_host_was_asked_for(charlie: User, called: list[Any]) -> None:
    ask("charlie@example.org", host="localhost")
    send_resets(*called[0])
    assert link_in_mail()
    assert "localhost" not in str(mail.outbox[0].body)


def test_the_mail_speaks_the_language_of_whoever_asked(charlie: User, called: list[Any]) -> None:
    client = Client()
    client.cookies["language"] = "fr"
    ask("charlie@example.org", client)
    assert called == [([charlie.pk], "fr")]


def test_without_a_broker_it_says_so_for_every_address(
    charlie: User, called: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise OperationalError

    monkeypatch.setattr(send_password_resets, "apply_async", broken)
    for email in ("charlie@example.org", "nobody@example.org"):
        answer = ask(email)
        assert answer.status_code == 503
        assert "No mail can be sent at the moment." in answer.content.decode()


def test_without_mail_the_page_says_whom_to_ask(charlie: User, settings: Settings, client: Client) -> None:
    settings.EMAIL_HOST = ""
    assert reverse("password_reset") in client.get(reverse("login")).content.decode()
    for answer in (client.get(RESET), ask("charlie@example.org", client)):
        page = answer.content.decode()
        assert "This site sends no mail." in page
        assert "manage.py changepassword" in page
    assert not FailedLogins.objects.exists()
