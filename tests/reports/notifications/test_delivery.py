"""Delivery: once, to those who may know it at that moment, again later if that failed, and at last no more."""

import datetime
import json

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from ldpsite.celery import app
from reports.models import Subscription, Version, Viewing
from reports.notifications import delivery, secret_of, tasks
from reports.notifications.composing import undelivered
from reports.notifications.webhooks import signature
from tests.reports.notifications.conftest import Receiver, publish, publish_shares, subscribe
from tests.reports.small_fleet import aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db, pytest.mark.usefixtures("mail_server")]

TEN = [f"fruit-{number}" for number in range(10)]


def news(version: Version, owner: User, **changes: object) -> Subscription:
    """A subscription for which something has just become news."""
    publish(version, 2, TEN)
    subscription = subscribe(owner, version, **changes)
    publish(version, 1, ["apple", *TEN])
    return subscription


def by_webhook(version: Version, owner: User, receiver: Receiver) -> Subscription:
    return news(version, owner, channel="webhook", webhook_url=receiver.address)


def deliver(subscription: Subscription) -> Subscription:
    delivery.deliver(subscription.pk)
    subscription.refresh_from_db()
    return subscription


def told(subscription: Subscription) -> datetime.date:
    (day,) = set(subscription.told.values())
    return datetime.date.fromisoformat(day)


def later(subscription: Subscription) -> None:
    Subscription.objects.filter(pk=subscription.pk).update(next_try_at=timezone.now())


def test_a_mail_is_sent_once_however_often_the_task_comes(version: Version, bob: User) -> None:
    subscription = deliver(news(version, bob))
    (sent,) = mail.outbox
    assert sent.to == ["bob@example.org"]
    assert "apple: rank 1" in sent.body
    assert told(subscription) == days_ago(1)
    assert subscription.last_sent_at is not None
    for _again in range(2):
        deliver(subscription)
    assert len(mail.outbox) == 1
    # It left the site: that is noted as if bob had looked.
    assert list(Viewing.objects.values_list("user", "what")) == [(bob.pk, "mail")]


def test_while_somebody_is_at_it_nobody_else_is(
    version: Version, bob: User, receiver: Receiver, transactional_db: None
) -> None:
    """The second task comes while the first is sending, on a connection of its own."""
    subscription = by_webhook(version, bob, receiver)

    def deliver_meanwhile(handler: object) -> None:
        from django.db import connection

        delivery.deliver(subscription.pk)
        connection.close()
        receiver.instead = None

    receiver.instead = deliver_meanwhile
    deliver(subscription)
    assert len(receiver.requests) == 1


def test_a_webhook_gets_a_signed_document(version: Version, bob: User, receiver: Receiver) -> None:
    subscription = deliver(by_webhook(version, bob, receiver))
    ((_path, headers, body),) = receiver.requests
    expected = signature(secret_of(subscription.pk), headers["X-LDPSITE-Timestamp"], body)
    assert headers["X-LDPSITE-Signature"] == expected
    document = json.loads(body)
    assert (document["use_case"], document["up_to"]) == ("fruits", days_ago(1).isoformat())
    (item,) = document["news"]
    assert (item["kind"], item["element"], item["rank"]) == ("new_in_top", "apple", 1)
    assert (item["share"], item["lower"], item["upper"]) == (0.0999, 0.088, 0.112)
    assert item["link"].startswith("https://reports.example.org/use-cases/fruits/?locale=en_US&from=")
    assert list(Viewing.objects.values_list("user", "what")) == [(bob.pk, "webhook")]
    deliver(subscription)
    assert len(receiver.requests) == 1


def test_a_message_that_is_sent_again_is_the_same_whatever_came_meanwhile(
    version: Version, bob: User, receiver: Receiver
) -> None:
    publish(version, 3, TEN)
    subscription = subscribe(bob, version, channel="webhook", webhook_url=receiver.address)
    publish(version, 2, ["apple", *TEN])
    receiver.status = 500
    deliver(subscription)
    assert told(subscription) == days_ago(3)
    publish(version, 1, ["cherry", "apple", *TEN])
    for status in (500, 200):
        later(subscription)
        receiver.status = status
        deliver(subscription)
    first, second, third = (body for _path, _headers, body in receiver.requests)
    assert first == second == third
    assert told(subscription) == days_ago(2)
    assert (subscription.failures, subscription.last_failure, subscription.next_try_at) == (0, "", None)
    # And what came is a message of its own.
    deliver(subscription)
    documents = [json.loads(body) for _path, _headers, body in receiver.requests]
    assert [each["element"] for each in documents[3]["news"]] == ["cherry"]
    assert documents[3]["id"] != documents[0]["id"]
    assert told(subscription) == days_ago(1)
    assert not delivery.due().exists()


def test_messages_are_in_the_language_of_the_subscription(version: Version, bob: User) -> None:
    deliver(news(version, bob, language="fr"))
    (sent,) = mail.outbox
    assert sent.subject.startswith("Fruits\u00a0: ")
    assert "- apple\u00a0: rang 1, 9,99\u00a0% (" in sent.body


def test_without_news_nothing_is_sent_and_the_days_are_looked_at(version: Version, bob: User) -> None:
    publish(version, 2, TEN)
    subscription = subscribe(bob, version)
    publish(version, 1, TEN)
    deliver(subscription)
    assert told(subscription) == days_ago(1)
    assert subscription.last_sent_at is None
    assert not mail.outbox
    assert not Viewing.objects.exists()
    assert not delivery.due().exists()


# --- Who may know it when it is sent ---


def assert_not_delivered(subscription: Subscription, why: str) -> None:
    Subscription.objects.filter(pk=subscription.pk).update(paused=False, next_try_at=None)
    deliver(subscription)
    assert not mail.outbox
    assert not Viewing.objects.exists()
    assert (subscription.paused, subscription.last_failure) == (True, why)
    assert told(subscription) == days_ago(2)
    assert not delivery.due().exists()


def test_people_who_lost_access_or_address_meanwhile(version: Version, bob: User) -> None:
    subscription = news(version, bob)
    User.objects.filter(pk=bob.pk).update(email="")
    assert_not_delivered(subscription, "no_address")
    bob.groups.clear()
    assert_not_delivered(subscription, "no_access")
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert_not_delivered(subscription, "inactive")


def test_no_mail_server_any_more(version: Version, bob: User, settings: Settings) -> None:
    subscription = news(version, bob)
    settings.EMAIL_HOST = ""
    assert_not_delivered(subscription, "mail_not_set_up")


def test_a_host_that_was_taken_off_the_list(
    version: Version, bob: User, receiver: Receiver, settings: Settings
) -> None:
    subscription = by_webhook(version, bob, receiver)
    settings.LDPSITE_WEBHOOK_HOSTS = ["hooks.example.org"]
    assert_not_delivered(subscription, "host_not_allowed")
    assert not receiver.requests


# --- What fails is tried again, later and later ---


def test_back_off_and_then_a_pause(version: Version, bob: User, receiver: Receiver) -> None:
    subscription = by_webhook(version, bob, receiver)
    receiver.status = 500
    waits = []
    for failures in range(1, delivery.MOST_FAILURES + 1):
        start = timezone.now()
        deliver(subscription)
        assert (subscription.failures, subscription.last_failure) == (failures, "refused")
        assert subscription.next_try_at is not None
        waits.append(round((subscription.next_try_at - start) / datetime.timedelta(minutes=5)))
        # Not before its time.
        deliver(subscription)
        assert len(receiver.requests) == failures
        later(subscription)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 72]
    assert subscription.paused
    deliver(subscription)
    assert len(receiver.requests) == delivery.MOST_FAILURES
    # Each of them may have arrived.
    assert Viewing.objects.count() == delivery.MOST_FAILURES


def test_a_mail_server_that_refuses(version: Version, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    subscription = deliver(news(version, bob))
    assert (subscription.failures, subscription.last_failure, subscription.paused) == (1, "mail_refused", False)


# --- Days, locales and versions ---


def test_a_day_is_told_when_it_is_over(version: Version, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    today = days_ago(0)
    publish_shares(version, 1, [0.7, 0.3])
    subscription = subscribe(bob, version)
    publish_shares(version, 0, [0.1, 0.3, 0.6])
    deliver(subscription)
    assert not mail.outbox
    noon = datetime.datetime.combine(today, datetime.time(12), datetime.UTC) + datetime.timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: noon)
    assert subscription in delivery.due()
    deliver(subscription)
    (sent,) = mail.outbox
    assert "cherry" in sent.body
    assert told(subscription) == today


def test_nothing_tells_of_what_is_in_no_period(version: Version, bob: User) -> None:
    publish(version, 2, TEN)
    subscription = subscribe(bob, version)
    send(version, 90, day=days_ago(1))
    aggregate(version)
    assert undelivered(subscription) == {}
    publish(version, 1, ["apple", *TEN])
    assert undelivered(subscription) == {"1:en_US": days_ago(1).isoformat()}


def test_a_locale_that_is_published_later_is_told_by_itself(version: Version, bob: User) -> None:
    for locale in ("en_US", "fr_FR"):
        publish(version, 3, TEN, locale=locale)
    subscription = subscribe(bob, version)
    publish(version, 1, ["apple", *TEN])
    deliver(subscription)
    publish(version, 2, ["date", *TEN], locale="fr_FR")
    deliver(subscription)
    assert [("apple" in sent.body, "date: rank" in sent.body) for sent in mail.outbox] == [(True, False), (False, True)]
    assert subscription.told == {"1:en_US": days_ago(1).isoformat(), "1:fr_FR": days_ago(2).isoformat()}


def test_a_new_version_begins_anew(version: Version, bob: User) -> None:
    publish(version, 1, TEN)
    subscription = subscribe(bob, version)
    following = define(parameters={"epsilon": 8, "k": 1024, "m": 128, "seed": "0e" * 16})
    assert following.number == 2
    publish(following, 2, TEN)
    publish(following, 1, ["apple", *TEN])
    deliver(subscription)
    assert "apple: rank 1" in mail.outbox[0].body
    assert subscription.told == {"1:en_US": days_ago(1).isoformat(), "2:en_US": days_ago(1).isoformat()}


# --- Tasks ---


def test_a_run_that_publishes_enqueues_deliveries_after_its_commit(
    version: Version,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    publish(version, 2, ["date"])
    subscription, paused = subscribe(bob, version), subscribe(bob, version, paused=True)
    enqueued: list[str] = []
    monkeypatch.setattr(tasks.deliver, "apply_async", lambda args, **_options: enqueued.append(args[0]))
    send(version, 300, day=days_ago(1))
    with django_capture_on_commit_callbacks() as after_commit:
        aggregate(version)
    assert not enqueued
    for callback in after_commit:
        callback()
    assert str(subscription.pk) in enqueued
    assert str(paused.pk) not in enqueued
    enqueued.clear()
    tasks.sweep()
    assert enqueued == [str(subscription.pk)]
    tasks.deliver(str(subscription.pk))
    (sent,) = mail.outbox
    assert "apple" in sent.body
    enqueued.clear()
    tasks.sweep()
    assert not enqueued


def test_without_a_broker_the_run_is_published_all_the_same(
    version: Version, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_args: object, **_options: object) -> None:
        raise OSError

    news(version, bob)
    monkeypatch.setattr(tasks.deliver, "apply_async", unreachable)
    tasks.enqueue_deliveries(version.use_case_id)


def test_the_tasks_are_scheduled_and_known_to_workers(settings: Settings) -> None:
    app.loader.import_default_modules()
    assert {tasks.deliver.name, tasks.sweep.name} <= set(app.tasks)
    assert tasks.sweep.name in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
