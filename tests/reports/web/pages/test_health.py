"""Answers to load balancers: whether the process lives, and what it needs that does not answer."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from celery import current_app
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from reports.jobs.tasks import sweep
from reports.operations.monitoring import check_broker, questions
from reports.training.trusted_processes import check_trusted_processes
from tests.reports.buckets import Bucket

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


AWAY = "does not answer"
# No worker runs beside these tests.
USUAL = {"database": "ok", "storage": "ok", "broker": "ok", "worker": AWAY}


@pytest.fixture(autouse=True)
def _unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_questions", {})


@pytest.fixture
def _asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "KEPT_SECONDS", 0.0)


def ready() -> tuple[int, dict[str, str]]:
    answer = Client().get(reverse("readyz"))
    return answer.status_code, answer.json()


def alive() -> int:
    return Client().get(reverse("healthz")).status_code


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_asked_each_time")
def test_all_that_it_needs_answers() -> None:
    """The folder of shards is not there yet: the first file makes it."""
    assert ready() == (200, USUAL)
    sweep()
    assert ready() == (200, USUAL | {"worker": "ok"})


@pytest.mark.usefixtures("_asked_each_time")
def test_a_storage_that_is_away_is_named_and_nothing_else_is_said(bucket: Bucket) -> None:
    bucket.is_away = True
    assert ready() == (503, USUAL | {"storage": AWAY})
    assert alive() == 200
    bucket.is_away = False
    assert ready() == (200, USUAL)


def test_a_database_that_is_away_is_named() -> None:
    connect = "django.db.backends.postgresql.base.DatabaseWrapper.get_new_connection"
    with mock.patch(connect, side_effect=OperationalError("no route to 10.0.0.7")):
        assert ready() == (503, USUAL | {"database": AWAY})
        assert alive() == 200


def test_a_broker_that_is_away_is_named_and_the_site_serves(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(questions, "PATIENCE_SECONDS", 1.0)
    monkeypatch.setattr(current_app.conf, "broker_url", "redis://127.0.0.1:1/0")
    settings.BROKER_IN_DATABASE = False
    assert ready() == (200, USUAL | {"broker": AWAY})
    (warning,) = check_broker(None)
    assert "CELERY_BROKER_URL" in str(warning.hint)


def test_trusted_processes_that_are_away_are_named_and_the_site_serves(settings: Settings, tmp_path: Path) -> None:
    for role in ("AGGREGATOR", "DISTRIBUTOR"):
        setattr(settings, f"LDPSITE_TRAINING_{role}", f"unix:{tmp_path / role}")
    assert ready() == (200, USUAL | {"training": AWAY})
    (warning,) = check_trusted_processes()
    assert "do not answer" in warning.msg


@pytest.fixture
def hanging(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A storage that never answers."""
    asked: list[str] = []
    over = threading.Event()

    def listdir(path: str) -> tuple[list[str], list[str]]:
        asked.append(path)
        over.wait()
        return [], []

    monkeypatch.setattr(bucket, "listdir", listdir)
    yield asked
    over.set()


@pytest.mark.usefixtures("_asked_each_time")
def test_a_storage_that_hangs_is_waited_for_once_and_not_for_long(
    hanging: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "PATIENCE_SECONDS", 1.0)
    began = time.monotonic()
    assert [ready()[0] for _ in range(5)] == [503] * 5
    assert time.monotonic() - began < 5.0
    assert len(hanging) == 1
    assert alive() == 200


def test_a_storage_is_asked_every_few_seconds_however_often_this_page_is(bucket: Bucket) -> None:
    with mock.patch.object(bucket, "listdir", return_value=([], [])) as listdir:
        assert [ready()[0] for _ in range(5)] == [200] * 5
    assert listdir.call_count == 1
