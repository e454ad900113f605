"""Mails to operators: each trouble once, and again if it comes back; nothing about reports."""

import datetime

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from pytest_django import Settings

from reports.jobs.failing import fail, retry
from reports.jobs.host_heartbeat import record_host
from reports.models import Version, WorkerHost
from reports.operations.tasks import alert_operators
from reports.runs import start_run
from tests.reports.small_fleet import days_ago, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _operated(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that runs the tests may have a full disk."""
    monkeypatch.setattr("reports.jobs.host_heartbeat.free_disk_share", lambda: 0.5)
    settings.EMAIL_HOST = "mail.example.org"
    settings.LDPSITE_OPERATOR_EMAIL = ["night@example.org", "day@example.org"]


def told() -> list[str]:
    """Return the sentences of the mails that were sent now, without the line that leads to the page."""
    mail.outbox.clear()
    alert_operators()
    return [line for sent in mail.outbox for line in str(sent.body).split("\n\n")[:-1]]


def test_each_trouble_is_told_once_until_it_is_over(version: Version) -> None:
    record_host()
    assert told() == []
    send(version, 150, day=days_ago(1))
    run = start_run(version, ring=False)
    fail(run, MemoryError())
    now = timezone.now()
    WorkerHost.objects.create(name="gone", seen_at=now - datetime.timedelta(minutes=3), free_disk_share=0.01)
    WorkerHost.objects.create(name="full", seen_at=now, free_disk_share=0.09)
    failed, full, gone = told()
    assert failed.startswith("A run failed: ")
    assert failed.endswith(f"/runs/{run.pk}/")
    assert full == "Less than 10% of the disk of full is free."
    assert gone.startswith("No worker on gone since ")
    (sent,) = mail.outbox
    assert sent.to == ["night@example.org", "day@example.org"]
    for name in ("fruit", "Fruit", "150", "en_US"):
        assert name not in str(sent.body) + sent.subject
    assert told() == []
    run.refresh_from_db()
    retry(run)
    WorkerHost.objects.filter(name="full").update(free_disk_share=0.2)
    assert told() == []
    WorkerHost.objects.filter(name="full").update(free_disk_share=0.05)
    assert told() == [full]


def test_what_could_not_be_sent_is_tried_again(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    WorkerHost.objects.create(name="full", seen_at=timezone.now(), free_disk_share=0.09)

    def away(*_arguments: object) -> int:
        raise ConnectionRefusedError

    with monkeypatch.context() as patched:
        patched.setattr(EmailBackend, "send_messages", away)
        assert told() == []
    assert len(told()) == 1


def test_nobody_is_told_unless_the_operators_are_named(settings: Settings) -> None:
    WorkerHost.objects.create(name="full", seen_at=timezone.now(), free_disk_share=0.09)
    settings.LDPSITE_OPERATOR_EMAIL = []
    assert told() == []
