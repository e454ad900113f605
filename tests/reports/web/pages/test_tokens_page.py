"""API tokens of one's own: a program reads what its person may see, as long as they may, until it is revoked."""

import datetime
import html
import io
import re
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reports import access
from reports.models import ApiToken, Identity, Run, UseCase
from reports.privacy.readers import readers
from tests.conftest import logged_in
from tests.reports.small_fleet import aggregate, define, send
from tests.reports.web.pages.reading import text_of
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE, API = reverse("tokens"), "/api/v1/use-cases/fruits/histogram/"
READ: dict[str, str] = {"name": "notebook", "may": "", "days": "90"}


@pytest.fixture
@once
def published(db: None) -> Run:
    version = define()
    send(version, 1_500)
    return aggregate(version)


def made(response: Any) -> tuple[str, Client]:
    """The secret that a page shows, once, and a program that has it."""
    (secret,) = re.findall(r'<code id="secret">([^<]+)</code>', response.content.decode())
    return secret, Client(headers={"authorization": f"Bearer {secret}"})


def test_a_viewer_makes_a_token_that_reads_what_they_may_see(published: Run, as_bob: Client, bob: User) -> None:
    theirs = define(slug="pears", title="Of others", owner_group="gardeners", viewer_groups=[]).use_case
    answer = as_bob.post(PAGE, READ)
    assert "no-store" in answer.headers["Cache-Control"]
    secret, program = made(answer)
    lines = html.unescape(re.findall(r'(?s)<code id="lines">(.*?)</code>', answer.content.decode())[0])
    assert lines.splitlines()[1:] == [
        f'site = Site("http://testserver/", "{secret}")',
        'site.use_case("fruits").histogram(locale="en_US", days=7).to_frame()',
    ]
    assert secret not in as_bob.get(PAGE).content.decode()
    assert program.get(API).status_code == 200
    assert [each["use_case"] for each in program.get("/api/v1/use-cases/").json()["entries"]] == ["fruits"]
    assert program.post("/api/v1/batches/", "{}", content_type="application/json").status_code == 404
    assert readers(published.version.use_case, named=False)["programs_that_read_results"] == 1
    assert readers(theirs, named=False)["programs_that_read_results"] == 0
    # With their own right goes the token's.
    bob.groups.clear()
    assert program.get(API).status_code == 404
    assert "You have had a token of this name." in text_of(as_bob.post(PAGE, READ))


def test_the_token_of_a_person_who_is_no_longer_active_reads_nothing(published: Run, bob: User) -> None:
    _secret, program = made(logged_in(bob).post(PAGE, READ))
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert program.get(API).status_code == 404


def test_tokens_are_seen_and_revoked_by_their_person(
    published: Run, as_bob: Client, as_alice: Client, as_root: Client
) -> None:
    _secret, program = made(as_bob.post(PAGE, READ))
    revoke = reverse("revoke_token", args=[ApiToken.objects.get().pk])
    assert "bob: notebook" not in as_alice.get(PAGE).content.decode()
    assert as_alice.post(revoke).status_code == 404
    assert "bob: notebook read: what bob may see · until" in text_of(as_root.get(PAGE))
    assert "“bob: notebook” is revoked." in text_of(as_bob.post(revoke, follow=True))
    assert "Tokens that hold" not in as_bob.get(PAGE).content.decode()
    assert program.get(API).status_code == 401


def test_owners_make_tokens_that_upload_reports_of_theirs_alone(
    published: Run, as_alice: Client, as_bob: Client, alice: User
) -> None:
    define(slug="pears", title="Of others", owner_group="gardeners")
    sent = {**READ, "may": "fruits"}
    assert as_bob.post(PAGE, sent).status_code == as_alice.post(PAGE, {**READ, "may": "pears"}).status_code == 422
    answer = as_alice.post(PAGE, sent)
    _secret, program = made(answer)
    assert 'id="lines"' not in answer.content.decode()
    assert program.get(API).status_code == 404
    token = ApiToken.objects.get()
    assert (token.may_ingest, token.may_read, token.person, token.every_use_case) == (True, False, alice, False)
    assert (
        list(token.use_cases.all()) == list(access.use_cases(token, "upload")) == [UseCase.objects.get(slug="fruits")]
    )
    assert "upload: Fruits" in text_of(as_alice.get(PAGE))
    # With their own right goes the token's.
    alice.groups.clear()
    assert not access.use_cases(ApiToken.objects.get(), "upload").exists()
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert not access.may_upload(ApiToken.objects.get())


def test_token_of_a_person_who_logs_in_elsewhere_holds_for_a_month_after_their_last_login(
    published: Run, as_bob: Client, bob: User
) -> None:
    _secret, program = made(as_bob.post(PAGE, READ))
    long_ago = timezone.now() - datetime.timedelta(days=31)
    User.objects.filter(pk=bob.pk).update(last_login=long_ago)
    assert program.get(API).status_code == 200
    Identity.objects.create(user=bob, issuer="https://provider.example", subject="1")
    assert program.get(API).status_code == 404
    assert readers(published.version.use_case, named=False)["programs_that_read_results"] == 0
    assert "pauses when your last login here is 30 days ago" in text_of(as_bob.get(PAGE))
    User.objects.filter(pk=bob.pk).update(last_login=long_ago + datetime.timedelta(days=2))
    assert program.get(API).status_code == 200
    assert readers(published.version.use_case, named=False)["programs_that_read_results"] == 1


def test_tokens_end_with_the_sessions_of_all_other_browsers(published: Run, as_bob: Client) -> None:
    _secret, program = made(as_bob.post(PAGE, READ))
    as_bob.post(reverse("end_sessions"))
    assert program.get(API).status_code == 401


def test_tokens_end_with_a_password_that_is_set_in_the_admin_or_by_a_command(
    published: Run, bob: User, as_root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = "correct horse battery"
    monkeypatch.setattr("getpass.getpass", lambda **_words: new)
    form = {"password1": new, "password2": new, "usable_password": "true"}
    for name in ("admin", "command"):
        bob.refresh_from_db()
        _secret, program = made(logged_in(bob).post(PAGE, READ | {"name": name}))
        assert program.get(API).status_code == 200
        if name == "admin":
            as_root.post(reverse("admin:auth_user_password_change", args=[bob.pk]), form)
        else:
            call_command("changepassword", bob.username, stdout=io.StringIO())
        assert program.get(API).status_code == 401


def test_no_token_is_made_by_a_page_that_fails(published: Run, as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.web.pages.tokens_page.install_command", mock.Mock(side_effect=FileNotFoundError))
    with pytest.raises(FileNotFoundError):
        as_bob.post(PAGE, READ)
    assert not ApiToken.objects.exists()


def test_lines_for_those_who_see_nothing_list_what_there_is(charlie: User) -> None:
    page = html.unescape(logged_in(charlie).get(reverse("api_page")).content.decode())
    assert "site.use_cases()</code>" in page
    assert 'Site("http://testserver/", "your token")' in page
    assert f'href="{PAGE}"' in page
