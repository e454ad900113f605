"""Subscriptions to the site's operation: each trouble once, to those who look after what it is about."""

import json

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from reports.jobs.failing import fail
from reports.models import InboxMessage, Subscription, UseCase, Version, Viewing, WorkerHost
from reports.notifications.tasks import deliver
from reports.notifications.troubles import SILENT_DAYS
from reports.operations.tasks import alert_operators
from reports.runs import start_run
from tests.conftest import logged_in
from tests.reports.notifications.conftest import Receiver, publish_shares
from tests.reports.small_fleet import days_ago, send
from tests.reports.web.pages.reading import text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db, pytest.mark.usefixtures("mail_server")]

PAGE = reverse("subscriptions")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", email="root@example.org")


def tell() -> list[str]:
    """Deliver everything, and return the sentences of the mails, without time and links."""
    mail.outbox.clear()
    cache.clear()
    for subscription in Subscription.objects.all():
        deliver(str(subscription.pk))
    lines = [line for sent in mail.outbox for line in str(sent.body).split("\n\n")[:-2]]
    return [line.partition(" UTC: ")[2] for line in lines]


def subscribe(person: User, channel: str = "email", **more: str) -> None:
    answer = logged_in(person).post(PAGE, {"use_case": "", "channel": channel, **more})
    assert answer.status_code == 302, text_of(answer)


def fall_silent(version: Version) -> None:
    """Publish one locale daily until some days ago, and the other one now and then."""
    for back in range(SILENT_DAYS + 1, SILENT_DAYS + 9):
        publish_shares(version, back, [0.5, 0.3])
    for back in (SILENT_DAYS + 1, SILENT_DAYS + 5):
        publish_shares(version, back, [0.5, 0.3], locale="fr_FR")


def test_each_trouble_is_told_once_to_those_whose_it_is(version: Version, root: User, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org")
    alice.refresh_from_db()
    subscribe(root)
    subscribe(alice)
    assert tell() == []
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    fail(run, MemoryError())
    failed, again = tell()
    assert failed == again
    assert failed.startswith("A run failed: ")
    assert failed.endswith(f"/runs/{run.pk}/")
    WorkerHost.objects.create(name="full", seen_at=timezone.now(), free_disk_share=0.09)
    disk = "Less than 10% of the disk of full is free."
    assert tell() == [disk]
    assert tell() == []
    WorkerHost.objects.update(free_disk_share=0.5)
    assert tell() == []
    WorkerHost.objects.update(free_disk_share=0.05)
    assert tell() == [disk]


def test_a_locale_that_was_published_daily_and_fell_silent_is_told_without_its_name(
    version: Version, alice: User, as_alice: Client, settings: Settings
) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org")
    alice.refresh_from_db()
    subscribe(alice)
    fall_silent(version)
    settings.LDPSITE_OPERATOR_EMAIL = ["night@example.org"]
    (told,) = tell()
    assert told.startswith("A locale that had results daily has had none since ")
    alert_operators()
    assert [sent.to for sent in mail.outbox] == [["alice@example.org"], ["night@example.org"]]
    for sent in mail.outbox:
        for name in ("fruit", "Fruit", "en_US", "fr_FR"):
            assert name not in str(sent.body) + sent.subject
    page = text_of(as_alice.get(reverse("operations")))
    assert "Fruits: English (United States) · en_US" in page
    assert "Fruits: French" not in page
    assert not Viewing.objects.exists()
    # A paused use case is expected to have no results.
    UseCase.objects.update(state=UseCase.State.PAUSED)
    assert tell() == []
    UseCase.objects.update(state=UseCase.State.RUNNING)
    publish_shares(version, 1, [0.5, 0.3])
    assert tell() == []


def test_the_inbox_keeps_what_was_told_for_operators_alone(version: Version, alice: User, as_alice: Client) -> None:
    subscribe(alice, "inbox")
    fall_silent(version)
    tell()
    tell()
    link = reverse("inbox_message", args=[InboxMessage.objects.get().pk])
    assert "Operation of this site" in text_of(as_alice.get(reverse("inbox")))
    assert "has had none since" in text_of(as_alice.get(link))
    assert "Operation of this site" in text_of(as_alice.get(PAGE))
    alice.groups.clear()
    assert "Operation of this site" not in text_of(as_alice.get(reverse("inbox")))
    assert as_alice.get(link).status_code == 404
    publish_shares(version, 1, [0.5, 0.3])
    tell()
    assert Subscription.objects.get().told == {}


def test_webhooks_get_troubles_and_who_operates_nothing_gets_none(
    version: Version, root: User, as_bob: Client, receiver: Receiver
) -> None:
    assert as_bob.get(PAGE, {"about": ""}).status_code == 404
    assert as_bob.post(PAGE, {"use_case": "", "channel": "inbox"}).status_code == 404
    assert "Operation of this site" not in text_of(as_bob.get(PAGE))
    subscribe(root, "webhook", webhook_url=receiver.address.partition("?")[0])
    WorkerHost.objects.create(name="full", seen_at=timezone.now(), free_disk_share=0.09)
    tell()
    ((_path, _headers, body),) = receiver.requests
    (trouble,) = json.loads(body)["troubles"]
    assert trouble["kind"] == "disk"
    assert trouble["text"].endswith("Less than 10% of the disk of full is free.")
    # One who operates no more is told nothing.
    User.objects.filter(pk=root.pk).update(is_superuser=False)
    WorkerHost.objects.create(name="too", seen_at=timezone.now(), free_disk_share=0.09)
    tell()
    assert len(receiver.requests) == 1
