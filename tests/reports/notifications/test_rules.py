"""Rules of alerts: a share that is passed, a locale that fell silent; tried out before, and told in the inbox."""

import datetime

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from reports.formatting import number_language
from reports.models import InboxMessage, Preferences, Subscription, Version, Viewing
from reports.notifications import delivery, forget_old_messages
from tests.conftest import logged_in
from tests.reports.notifications.conftest import publish_shares, subscribe
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import words as said

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

NOTHING_ELSE = {"new_words": False, "new_in_top": False, "significant_change": False}
FORM = {"use_case": "fruits", "channel": "inbox", "element": "banana", "above_percent": "40"}
STEADY, RISEN = (0.6, 0.3, 0.1), (0.3, 0.6, 0.1)


@pytest.fixture
def version(db: None) -> Version:
    return define()


def inbox(owner: User, version: Version, **rules: object) -> Subscription:
    return subscribe(owner, version, **NOTHING_ELSE, channel="inbox", **rules)


def deliver(subscription: Subscription) -> list[InboxMessage]:
    Subscription.objects.filter(pk=subscription.pk).update(seen_on=None)
    delivery.deliver(subscription.pk)
    return list(subscription.inbox_messages.all())


def test_a_share_that_is_passed_is_told_once(version: Version, bob: User, as_bob: Client) -> None:
    publish_shares(version, 4, STEADY)
    rises = inbox(bob, version, element="banana", above_share=0.4)
    falls = inbox(bob, version, element="apple", below_share=0.4)
    other = inbox(bob, version, element="cherry", above_share=0.4)
    publish_shares(version, 3, STEADY)
    assert not deliver(rises)
    publish_shares(version, 2, RISEN)
    [message] = deliver(rises)
    assert len(deliver(falls)) == 1
    assert not deliver(other)
    # It stays above: that is no news.
    publish_shares(version, 1, RISEN)
    assert deliver(rises) == [message]
    page = said(as_bob.get("/inbox/"))
    assert page.count("unread</span>") == 3  # two messages, and their number in the header
    text = said(as_bob.get(f"/inbox/{message.pk}/"))
    assert "Above the share that you named" in text
    assert "banana rises: before 30.00 % (" in text.replace("\u2068", "").replace("\u2069", "")
    assert Viewing.objects.filter(user=bob, what="page").exists()
    as_bob.post("/inbox/read/")
    assert "unread</span>" not in said(as_bob.get("/inbox/"))
    assert not mail.outbox


def test_a_locale_that_fell_silent_is_told_once(version: Version, bob: User, as_bob: Client) -> None:
    publish_shares(version, 5, STEADY)
    publish_shares(version, 1, STEADY, locale="fr_FR")
    silent = inbox(bob, version, silent_days=3)
    [message] = deliver(silent)
    assert deliver(silent) == [message]
    text = said(as_bob.get(f"/inbox/{message.pk}/"))
    assert "Nothing is published" in text
    assert "[en_US]" in text
    assert "[fr_FR]" not in text


def test_the_inbox_is_its_owners_and_of_what_they_see_now(
    version: Version, bob: User, as_bob: Client, as_alice: Client
) -> None:
    publish_shares(version, 5, STEADY)
    [message] = deliver(inbox(bob, version, silent_days=3))
    assert as_alice.get(f"/inbox/{message.pk}/").status_code == 404
    assert "There is no news" in said(as_alice.get("/inbox/"))
    bob.groups.clear()
    again = logged_in(User.objects.get(pk=bob.pk))
    assert again.get(f"/inbox/{message.pk}/").status_code == 404
    assert "Fruits" not in said(again.get("/inbox/"))
    InboxMessage.objects.update(made_at=message.made_at - datetime.timedelta(days=91))
    forget_old_messages()
    assert not InboxMessage.objects.exists()


def test_a_message_tells_nothing_that_is_not_shown_any_more(version: Version, bob: User, as_bob: Client) -> None:
    publish_shares(version, 3, STEADY)
    rises = inbox(bob, version, element="banana", above_share=0.4)
    publish_shares(version, 2, RISEN)
    [message] = deliver(rises)
    version.use_case.minimum_reports = 1_000_000
    version.use_case.save()
    text = said(as_bob.get(f"/inbox/{message.pk}/"))
    assert "is not shown any more" in text
    assert "banana" not in text


def test_a_rule_is_tried_out_before_it_is_saved(version: Version, as_bob: Client) -> None:
    for back, shares in ((9, STEADY), (8, RISEN), (7, STEADY), (6, STEADY), (5, RISEN)):
        publish_shares(version, back, shares)
    tried = said(as_bob.post("/subscriptions/", FORM | {"try": "1"}))
    assert "In the last 90 days it would have told you 2 times." in tried
    assert "banana rises" in tried.replace("\u2068", "").replace("\u2069", "")
    assert not Subscription.objects.exists()
    quiet = as_bob.post("/subscriptions/", FORM | {"try": "1", "above_percent": "90"})
    assert "Nothing was news by this rule" in said(quiet)
    as_bob.post("/subscriptions/", FORM)
    [saved] = Subscription.objects.all()
    assert (saved.element, saved.above_share, saved.channel) == ("banana", 0.4, "inbox")
    assert "banana: above 40.00 %" in said(as_bob.get("/subscriptions/")).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"element": ""}, "Name the element"),
        ({"element": "bananna"}, "The dictionary has no such element"),
        ({"above_percent": ""}, "Choose at least one kind of news"),
        ({"above_percent": "100"}, "less than or equal to 99.9"),
        ({"silent_days": "1"}, "greater than or equal to 2"),
        ({"element": "banana", "above_percent": "", "new_in_top": "on"}, "Say what you want to be told of it"),
    ],
)
def test_rules_that_say_nothing_are_refused(
    version: Version, as_bob: Client, changes: dict[str, str], problem: str
) -> None:
    answer = as_bob.post("/subscriptions/", FORM | changes)
    assert answer.status_code == 422
    assert problem in said(answer)
    assert not Subscription.objects.exists()


def test_a_share_that_stays_at_its_bound_is_told_once(version: Version, bob: User) -> None:
    """Its interval is now beyond the bound, now on both of its sides."""
    at_bound, beyond = (0.5, 0.4, 0.1), (0.44, 0.46, 0.1)
    publish_shares(version, 6, STEADY)
    rises = inbox(bob, version, element="banana", above_share=0.4)
    for back, shares in ((5, beyond), (4, at_bound), (3, beyond), (2, at_bound), (1, beyond)):
        publish_shares(version, back, shares)
        told = deliver(rises)
    assert [each.up_to for each in told] == [days_ago(5)]


def test_mails_are_written_as_their_reader_prefers(version: Version, bob: User, settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    Preferences.objects.create(user=bob, language="fr", numbers="de")
    publish_shares(version, 3, STEADY)
    rises = subscribe(bob, version, **NOTHING_ELSE, element="banana", above_share=0.4)
    publish_shares(version, 2, RISEN)
    deliver(rises)
    [message] = mail.outbox
    assert "nouveautés jusqu’au" in message.body
    assert "30,00" in message.body
    assert number_language() == "en"
