"""Uploads while the storage does not answer: come again later, and nothing is stored, by whichever door."""

import errno
import io
from collections.abc import Callable
from typing import Any, TypeAlias
from unittest import mock

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from ldpsite.buckets import with_deadline
from ldpsite.logs import RoutesOnly
from reports.models import ApiToken, Batch, PendingFile, Shard, Version
from reports.pending_files import sweep_files
from tests.reports.buckets import Bucket
from tests.reports.collection.ingest.doors import ALL_DOORS, Door
from tests.reports.factories import left_in_spool, of_records, record_lines
from tests.reports.small_fleet import days_ago
from tests.s3 import hanging_bucket

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

BODY = of_records(record_lines(5)) + of_records(record_lines(5), locale="fr_FR")


Post: TypeAlias = Callable[[], tuple[int, str | None]]


def assert_nothing_stored(bucket: Bucket) -> None:
    assert not Batch.objects.exists()
    assert not Shard.objects.exists()
    assert not bucket.files
    assert not left_in_spool()


@ALL_DOORS
def test_an_upload_is_refused_until_the_storage_is_back(version: Version, bucket: Bucket, door: Door) -> None:
    bucket.is_away = True
    outcome = door(BODY)
    assert outcome.refused_as("storage-unavailable")
    assert "bucket.example" not in outcome.said
    assert_nothing_stored(bucket)
    bucket.is_away = False
    assert door(BODY).accepted == 10
    assert Batch.objects.get().accepted == 10
    # Only names of files of the first try that never existed are kept, until the sweep.
    assert set(PendingFile.objects.values_list("file_name", flat=True)).isdisjoint(bucket.files)


@ALL_DOORS
def test_an_upload_is_refused_until_there_is_room_on_the_disk(
    version: Version, bucket: Bucket, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        no_room = mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
        full.setattr("reports.record_files.write_array", no_room)
        assert door(BODY).refused_as("storage-unavailable")
    assert_nothing_stored(bucket)
    assert door(BODY).accepted == 10


@pytest.fixture
def post(version: Version) -> Post:
    """Send an upload to the API under a key; returns the status, and when to come again."""
    _token, secret = ApiToken.create("collector", may_ingest=True)
    headers = {"authorization": f"Bearer {secret}", "idempotency-key": "1"}

    def post() -> tuple[int, str | None]:
        answer = Client().post(reverse("api_upload"), BODY, content_type="application/x-ndjson", headers=headers)
        return answer.status_code, answer.headers.get("Retry-After")

    return post


def test_an_upload_is_refused_when_a_bucket_hangs(post: Post, settings: Settings) -> None:
    with hanging_bucket() as storage:
        settings.STORAGES = django_settings.STORAGES | {"shards": with_deadline(storage, 0.2)}
        assert post() == (503, "60")
    assert not Batch.objects.exists()
    assert not Shard.objects.exists()
    assert not left_in_spool()


def test_a_file_that_a_bucket_took_after_it_was_given_up_is_swept(
    post: Post, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = bucket._save

    def save_late(*arguments: Any) -> str:
        real(*arguments)
        raise TimeoutError

    with monkeypatch.context() as late:
        late.setattr(bucket, "_save", save_late)
        assert post() == (503, "60")
    assert set(PendingFile.objects.values_list("file_name", flat=True)) == {*bucket.files}
    assert len(bucket.files) == 1
    PendingFile.objects.update(created_on=days_ago(2))
    sweep_files()
    assert_nothing_stored(bucket)


def test_the_api_says_when_to_come_again(post: Post, bucket: Bucket, caplog: pytest.LogCaptureFixture) -> None:
    bucket.is_away = True
    assert post() == (503, "60")
    # No line of the log has the time at which it was tried.
    assert not [line for line in caplog.records if RoutesOnly().filter(line) and line.name.startswith("django")]
    bucket.is_away = False
    # The key is not taken: nothing came under it.
    assert post() == (202, None)


def test_the_form_says_it_in_a_sentence(version: Version, bucket: Bucket, client: Client, alice: User) -> None:
    bucket.is_away = True
    client.force_login(alice)
    file = io.BytesIO(BODY)
    file.name = "reports.ndjson"
    answer = client.post(reverse("upload"), {"file": file})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "the storage does not answer" in answer.content.decode()
    assert_nothing_stored(bucket)
