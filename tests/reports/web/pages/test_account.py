"""Passwords, sessions and addresses: people change and end their own, and nothing tells who has an account."""

import datetime
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
from reports.accounts.sessions import SessionStore, browser_words
from reports.accounts.tasks import forget_old_traces, send_password_resets
from reports.models import FailedLogins, WebSession
from reports.web.pages import account

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

NEW = "quite another 1"
RESET = "/accounts/reset/"


@pytest.fixture
def called(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the calls of workers, where mail is set up."""
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
    # Logins are not: an attacker would lock people out by asking for mails.
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


# --- Sessions ---


def log_in(browser: str = "") -> Client:
    client = Client(headers={"user-agent": browser})
    client.post(reverse("login"), {"username": "charlie", "password": "password"})
    return client


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0"


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (FIREFOX, "Firefox, Linux"),
        (EDGE, "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile Safari/604.1", "Safari, iOS"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36", "Chrome, Android"),
        ("curl/8.5", ""),
    ],
)
def test_browsers_are_named_by_family_and_system(user_agent: str, words: str) -> None:
    assert browser_words(user_agent) == words


def test_people_see_their_sessions_and_end_them_from_afar(
    charlie: User, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, third = log_in(FIREFOX), log_in(EDGE), log_in()
    hers = Client()
    hers.force_login(alice)
    page = here.get("/accounts/").content.decode()
    assert page.index("Firefox, Linux") < page.index("this one") < page.index("Edge, Windows")
    with monkeypatch.context() as patch:
        patch.setattr(account, "LISTED", 2)
        assert "and 1 other, used before" in here.get("/accounts/").content.decode()
    # Nothing in the page lets anybody in, and nothing that is kept tells more of a browser than its words.
    assert not any(session.pk in page for session in WebSession.objects.all())
    assert not any("143" in SessionStore().decode(session.session_data) for session in WebSession.objects.all())
    (name,) = re.findall(r'value="(\w+)">\s*End<span class="hidden-text"> Edge', page)
    hers.post(reverse("end_sessions"), {"session": name})
    assert there.get("/accounts/").status_code == 200
    here.post(reverse("end_sessions"), {"session": name})
    assert [client.get("/accounts/").status_code for client in (here, there, third, hers)] == [200, 302, 200, 200]
    here.post(reverse("end_sessions"))
    assert [client.get("/accounts/").status_code for client in (here, third, hers)] == [200, 302, 200]


def test_a_session_ends_at_a_fixed_time_and_keeps_the_hour_of_its_last_use(charlie: User) -> None:
    client = log_in()
    row = WebSession.objects.get()
    WebSession.objects.update(active_at=row.expire_date - datetime.timedelta(days=30))
    change(client, "password")
    after = WebSession.objects.get()
    assert (after.user, after.expire_date) == (charlie, row.expire_date)
    assert after.active_at is not None
    assert (after.active_at.minute, after.active_at.second) == (0, 0)
    WebSession.objects.update(active_at=after.active_at - datetime.timedelta(days=1))
    client.get("/accounts/")
    assert WebSession.objects.get().active_at == after.active_at
    WebSession.objects.update(expire_date=timezone.now())
    assert client.get("/accounts/").status_code == 302
    forget_old_traces()
    assert not WebSession.objects.exists()


# --- Another address ---

ADDRESS = "/accounts/address/"


def test_an_address_counts_once_the_link_of_a_mail_to_it_was_opened(
    charlie: User, alice: User, called: list[Any]
) -> None:
    client = log_in()
    assert client.post(ADDRESS, {"email": "new@example.org", "password": "password"}).status_code == 302
    assert mail.outbox[0].to == ["new@example.org"]
    found = re.search(r"https://ldp\.example\.org(/accounts/address/\S+)", str(mail.outbox[0].body))
    assert found is not None
    hers = Client()
    hers.force_login(alice)
    assert "This link is not valid" in hers.get(found[1]).content.decode()
    assert "new@example.org" in client.get(found[1]).content.decode()
    charlie.refresh_from_db()
    assert charlie.email == "charlie@example.org"
    client.post(found[1])
    charlie.refresh_from_db()
    assert charlie.email == "new@example.org"
    assert mail.outbox[1].to == ["charlie@example.org"]
    assert "another e-mail address now" in str(mail.outbox[1].body)
    assert "This link is not valid" in client.get(found[1]).content.decode()


def test_without_the_password_nobody_changes_an_address_or_makes_mails_go_out(charlie: User, called: list[Any]) -> None:
    client = log_in()
    answers = [client.post(ADDRESS, {"email": "new@example.org", "password": "x"}) for _ in range(FREE_FAILURES + 1)]
    assert [answer.status_code for answer in answers] == [200] * (FREE_FAILURES - 1) + [429] * 2
    assert not mail.outbox
    charlie.set_unusable_password()
    charlie.save()
    client.force_login(charlie)
    assert client.get(ADDRESS).status_code == 404


def test_where_no_mail_is_sent_an_address_counts_at_once(charlie: User, settings: Settings) -> None:
    settings.EMAIL_HOST = ""
    log_in().post(ADDRESS, {"email": "new@example.org", "password": "password"})
    charlie.refresh_from_db()
    assert charlie.email == "new@example.org"
