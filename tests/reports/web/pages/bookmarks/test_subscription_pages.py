"""Subscribing by the form of a use case, and one's own list: states in words, going on, ending."""

import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from reports.models import Run, Subscription, UseCase, Version
from reports.notifications import secret_of
from tests.conftest import logged_in
from tests.reports.small_fleet import days_ago
from tests.reports.web.pages.reading import PAGE, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LIST = "/subscriptions/"
FORM = f"{LIST}?about=fruits"
HOOK = "https://hooks.example.org/news"


@pytest.fixture(autouse=True)
def _set_up(settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.LDPSITE_WEBHOOK_HOSTS = ["hooks.example.org"]


def subscribe(client: Client, **changes: Any) -> Any:
    fields = {"use_case": "fruits", "locale": "", "new_in_top": "on", "channel": "email", "webhook_url": ""} | changes
    return client.post(LIST, {name: value for name, value in fields.items() if value is not None})


def test_the_page_of_a_use_case_leads_to_its_form(published: Run, as_bob: Client, bob: User) -> None:
    assert f'<a href="{FORM}">Tell me about news</a>' in words(as_bob.get(PAGE))
    page = words(as_bob.get(FORM))
    assert "E-mail to bob@example.org" in page
    assert "A new word" not in page  # a dictionary has none
    answer = subscribe(as_bob, significant_change="on")
    assert answer.headers["Location"] == LIST
    (found,) = Subscription.objects.all()
    assert (found.owner, found.about.slug, found.locale, found.channel) == (bob, "fruits", "", "email")
    assert (found.new_words, found.new_in_top, found.significant_change) == (False, True, True)
    # Results that are published already are no news.
    assert set(found.told.values()) == {days_ago(1).isoformat()}
    assert found.language == "en"
    page = words(as_bob.get(LIST))
    assert "Fruits" in page
    assert "a new entry in the top 10, a significant change" in page
    assert "E-mail to bob@example.org" in page


def test_where_words_are_discovered_new_ones_can_be_told(found: Version, as_bob: Client) -> None:
    assert "A new word" in words(as_bob.get(LIST, {"about": "slang"}))
    assert subscribe(as_bob, use_case="slang", new_in_top=None, new_words="on").status_code == 302
    assert Subscription.objects.get().new_words


def test_what_is_wrong_is_said(version: Version, as_bob: Client) -> None:
    wrong: list[tuple[dict[str, str | None], str]] = [
        ({"new_in_top": None}, "Choose at least one kind of news."),
        ({"locale": "de_DE"}, "Select a valid choice"),
        ({"channel": "pigeon"}, "Select a valid choice"),
        ({"channel": "webhook"}, "Enter the address"),
        ({"channel": "webhook", "webhook_url": "https://evil.example/"}, "This is none of them."),
        ({"channel": "webhook", "webhook_url": "http://hooks.example.org/"}, "This is none of them."),
        ({"channel": "webhook", "webhook_url": "javascript:alert(1)"}, "Enter a valid URL"),
    ]
    for changes, said in wrong:
        answer = subscribe(as_bob, **changes)
        assert answer.status_code == 422
        assert said in words(answer)
    assert not Subscription.objects.exists()


def test_nobody_subscribes_to_what_they_may_not_see(version: Version, charlie: User, client: Client) -> None:
    client.force_login(charlie)
    assert subscribe(client).status_code == 404
    assert subscribe(client, use_case="none").status_code == 404


def test_the_same_twice_is_refused(version: Version, as_bob: Client) -> None:
    assert subscribe(as_bob).status_code == 302
    assert "You are already told about this" in words(subscribe(as_bob))
    assert subscribe(as_bob, locale="fr_FR").status_code == 302
    assert subscribe(as_bob, channel="webhook", webhook_url=HOOK).status_code == 302


def test_without_an_address_or_a_server_there_is_no_mail(
    version: Version, as_bob: Client, bob: User, settings: Settings
) -> None:
    User.objects.filter(pk=bob.pk).update(email="")
    page = words(as_bob.get(FORM))
    assert "Your account has no e-mail address" in page
    assert "E-mail to" not in page
    assert subscribe(as_bob).status_code == 422
    # The way that is always there is chosen.
    assert re.search(r'type="radio" name="channel" value="inbox"[^>]* checked', as_bob.get(FORM).content.decode())
    settings.EMAIL_HOST = ""
    assert "E-mail is not set up on this site" in words(as_bob.get(FORM))
    settings.LDPSITE_WEBHOOK_HOSTS = []
    page = words(as_bob.get(FORM))
    assert "Webhooks are switched off on this site" in page
    assert 'name="webhook_url"' not in page
    assert subscribe(as_bob, channel="webhook", webhook_url=HOOK).status_code == 422
    assert not Subscription.objects.exists()
    assert subscribe(as_bob, channel="inbox").status_code == 302


def test_the_list_leads_to_the_form_of_a_use_case_that_one_may_see(
    version: Version, as_bob: Client, charlie: User
) -> None:
    assert '<option value="fruits">Fruits</option>' in words(as_bob.get(LIST))
    assert 'name="element" list="news-elements"' in words(as_bob.get(FORM))
    stranger = logged_in(charlie)
    assert "Fruits" not in words(stranger.get(LIST))
    assert stranger.get(FORM).status_code == 404


def test_the_list_says_first_which_ways_are_not_set_up(
    version: Version, as_bob: Client, as_alice: Client, bob: User, settings: Settings
) -> None:
    said = ("E-mail is not set up on this site", "Webhooks are switched off on this site")
    page = words(as_bob.get(LIST))
    assert not any(text in page for text in said)
    subscribe(as_bob)
    settings.EMAIL_HOST = ""
    page = words(as_bob.get(LIST))
    assert page.index("E-mail is not set up on this site: messages come to") < page.index(
        '<section class="subscription"'
    )
    settings.LDPSITE_WEBHOOK_HOSTS = []
    for address in (LIST, FORM):
        page = words(as_bob.get(address))
        assert all(text in page for text in said)
        assert 'href="/inbox/"' in page
        assert "LDPSITE_" not in page
        assert "What operators can set up" not in page
    # Settings are named where operators look.
    page = words(as_alice.get(LIST))
    assert 'href="/operations/#ways-title">What operators can set up' in page
    assert "LDPSITE_" not in page
    page = words(as_alice.get("/operations/"))
    assert "<code>LDPSITE_EMAIL_HOST</code>" in page
    assert "<code>LDPSITE_WEBHOOK_HOSTS</code>" in page
    settings.EMAIL_HOST = "mail.example.org"
    User.objects.filter(pk=bob.pk).update(email="")
    assert "Your account has no e-mail address" in words(as_bob.get(LIST))


def test_the_secret_is_shown_to_the_owner_of_a_webhook(version: Version, as_bob: Client, as_alice: Client) -> None:
    subscribe(as_bob, channel="webhook", webhook_url=HOOK)
    subscribe(as_alice)
    secret = secret_of(Subscription.objects.get(channel="webhook").pk)
    page = words(as_bob.get(LIST))
    assert secret in page
    assert HOOK in page
    page = words(as_alice.get(LIST))
    assert secret not in page
    assert "X-LDPSITE-Signature" not in page


def test_failures_and_pauses_are_said_and_can_be_ended(version: Version, as_bob: Client) -> None:
    subscribe(as_bob, channel="webhook", webhook_url=HOOK)
    rows = Subscription.objects.all()
    rows.update(failures=2, last_failure="redirected", next_try_at="2026-01-02T03:04:05Z")
    page = words(as_bob.get(LIST))
    assert "could not be sent, 2 times. The server of the webhook answered with a redirect" in page
    assert "tried again after Jan 2, 2026, 03:04 UTC" in page
    assert "Go on" not in page
    rows.update(paused=True)
    page = words(as_bob.get(LIST))
    assert "Paused: nothing is sent." in page
    assert "Go on" in page
    pk = rows.get().pk
    assert as_bob.post(reverse("resume_subscription", args=[pk])).status_code == 302
    row = Subscription.objects.get()
    assert (row.paused, row.failures, row.next_try_at) == (False, 0, None)
    assert as_bob.post(reverse("end_subscription", args=[pk])).status_code == 302
    assert not Subscription.objects.exists()
    assert "You have no subscriptions yet" in words(as_bob.get(LIST))


def test_of_a_use_case_that_one_sees_no_more_nothing_is_said(version: Version, as_bob: Client, bob: User) -> None:
    subscribe(as_bob, channel="webhook", webhook_url=HOOK)
    bob.groups.clear()
    UseCase.objects.update(title="Changed since")
    page = words(as_bob.get(LIST))
    assert "A use case that you may no longer see" in page
    assert "You may not see this use case any more." in page
    for hidden in ("Changed since", "fruits", secret_of(Subscription.objects.get().pk)):
        assert hidden not in page
    assert as_bob.post(reverse("end_subscription", args=[Subscription.objects.get().pk])).status_code == 302


def test_those_of_others_are_not_there(version: Version, as_bob: Client, as_alice: Client) -> None:
    subscribe(as_bob)
    pk = Subscription.objects.get().pk
    assert "You have no subscriptions yet" in words(as_alice.get(LIST))
    for name in ("end_subscription", "resume_subscription"):
        assert as_alice.post(reverse(name, args=[pk])).status_code == 404
        assert as_bob.get(reverse(name, args=[pk])).status_code == 405
        assert as_bob.post(reverse(name, args=[uuid.uuid4()])).status_code == 404
    assert Subscription.objects.count() == 1


def test_the_list_takes_as_many_queries_as_ever(version: Version, as_bob: Client) -> None:
    counts = []
    for locale in ("", "en_US", "fr_FR"):
        subscribe(as_bob, locale=locale)
        as_bob.get(LIST)  # with the message
        with CaptureQueriesContext(connection) as queries:
            as_bob.get(LIST)
        counts.append(len(queries))
    assert len(set(counts)) == 1
