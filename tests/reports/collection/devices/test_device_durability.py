"""Records that were answered with 202 are kept, whatever is killed and when: none is lost, none counts twice."""

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from typing import IO, Any

import pytest
from django.db import OperationalError, connection

from reports import pending_files, storage
from reports.collection import devices
from reports.models import Batch, DeviceKey, DeviceRecord, MixedKeys, MixedRecords, PendingFile, Shard, Version
from reports.models.uploads import utc_today
from reports.pending_files import sweep_files
from reports.storage import StorageUnavailable
from tests.reports.buckets import Bucket
from tests.reports.devices import (
    ADDRESS,
    arrive,
    document_of,
    new_key,
    report,
    segment_of,
    stored_records,
    waiting_records,
)
from tests.reports.factories import left_in_spool, make_version, start_anew, stored_files
from tests.reports.small_fleet import days_ago, define_words
from tests.reports.threads import together
from tests.web_server import WebServer
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


# --- One key, once ---


def test_concurrent_duplicates_store_once() -> None:
    version = make_version(daily_limit=2)
    body = document_of(segment_of(version, report(version, 1), report(version, 2)))
    for _ in range(5):
        key = devices.Key(new_key())
        before = DeviceRecord.objects.count()
        answers = together(6, lambda key=key: devices.take_in(body, key))  # type: ignore[misc]
        assert answers == [devices.Answer(2, {})] * 6
        assert DeviceRecord.objects.count() == before + 2
    assert DeviceKey.objects.count() == 5


# --- The web server is killed ---


def send_until_it_is_gone(port: int, bodies: dict[str, bytes], answered: list[str], begun: list[str]) -> None:
    """Send document after document; note by key what was begun, and what was answered."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        for key, body in bodies.items():
            begun.append(key)
            headers = {"Content-Type": "application/json", "Idempotency-Key": key}
            connection.request("POST", ADDRESS, body, headers)
            answer = connection.getresponse()
            assert answer.status == 202, answer.read()
            assert json.loads(answer.read())["accepted"] == 2
            answered.append(key)
    except (OSError, HTTPException):
        return
    finally:
        connection.close()


def test_what_was_answered_survives_kill_9_of_the_web_server_and_nothing_is_half_there(
    web_server: WebServer,
) -> None:
    emoji, words = make_version(), define_words()
    records: dict[str, list[bytes]] = {}
    senders: list[dict[str, bytes]] = []
    for sender in range(3):
        bodies = {}
        for number in range(100):
            seed = sender * 1000 + number
            lines = report(emoji, seed), report(words, seed, element="able")
            key = new_key()
            bodies[key] = document_of(segment_of(emoji, lines[0]), segment_of(words, lines[1]))
            records[key] = [
                bytes(record.tobytes())
                for version, line in zip((emoji, words), lines, strict=True)
                for stream in version.mechanism.parse_records([line]).streams.values()
                for record in stream
            ]
        senders.append(bodies)
    answered: list[str] = []
    begun: list[str] = []
    threads = [
        threading.Thread(target=send_until_it_is_gone, args=(web_server.port, bodies, answered, begun))
        for bodies in senders
    ]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(answered) >= 40, timeout=60)
    web_server.kill()
    for thread in threads:
        thread.join(timeout=30)
    kept = dict.fromkeys(map(bytes, DeviceKey.objects.values_list("pk", flat=True)))
    there = [key for key in begun if devices.Key(key).digest() in kept]
    assert len(there) == len(kept)
    assert set(answered) <= set(there)
    # All three records of each document that is there; of the others none.
    found = sorted(map(bytes, DeviceRecord.objects.values_list("record", flat=True)))
    assert found == sorted(record for key in there for record in records[key])
    assert len(found) == 3 * len(there)
    assert len(begun) < 300, "it was killed too late"


# --- Rows become a batch, and are interrupted ---


def assert_all_there(version: Version, before: bytes) -> None:
    """All records wait, or all are in shards, and nothing else lies about."""
    waits, counted = waiting_records(version), stored_records(version)
    assert sorted([waits, counted], key=len) == [b"", before]
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))
    # Names may be left of files that were never made, but none of a file that is to stay.
    pending = PendingFile.objects.values_list("file_name", flat=True)
    assert not Shard.objects.filter(file_name__in=pending).exists()
    assert not left_in_spool()
    assert Batch.objects.count() == bool(counted)


@contextmanager
def interrupted(place: int, *, after: bool) -> Iterator[list[int]]:
    """Raise before, or after, the statement or commit of that number; yields a list of those that came."""
    steps: list[int] = []
    commit = connection.commit

    def step(deed: Callable[[], object]) -> object:
        steps.append(len(steps))
        here = len(steps) == place + 1
        if here and not after:
            raise OperationalError("interrupted")
        result = deed()
        if here:
            raise OperationalError("interrupted")
        return result

    with (
        pytest.MonkeyPatch.context() as patched,
        connection.execute_wrapper(lambda execute, *arguments: step(lambda: execute(*arguments))),
    ):
        patched.setattr(connection, "commit", lambda: step(commit))
        yield steps


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_draining_that_is_interrupted_at_any_step_loses_and_doubles_nothing(after: bool) -> None:
    version = make_version(minimum_reports=5)
    waited, counted = 0, 0
    for place in itertools.count():
        start_anew(Shard, Batch, DeviceRecord, MixedRecords, DeviceKey, MixedKeys, PendingFile)
        arrive(version, 6)
        before = waiting_records(version)
        with interrupted(place, after=after) as steps:
            try:
                devices.drain(version, utc_today())
            except OperationalError:
                pass
            else:
                break
        assert len(steps) > place
        waited, counted = waited + bool(waiting_records(version)), counted + bool(stored_records(version))
        assert_all_there(version, before)
        devices.drain(version, utc_today())
        assert stored_records(version) == before
        assert_all_there(version, before)
    assert waited > 8, "the steps are not seen"
    # After its commit, all is done.
    assert counted >= after


def test_file_that_a_bucket_took_after_draining_gave_it_up_is_swept(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = make_version(minimum_reports=5)
    arrive(version, 6)
    before = waiting_records(version)
    late: dict[str, bytes] = {}
    in_transaction: list[bool] = []

    def hang(name: str, content: IO[bytes]) -> str:
        in_transaction.append(connection.in_atomic_block)
        late[name] = content.read()
        raise TimeoutError

    with monkeypatch.context() as hanging:
        hanging.setattr(bucket, "_save", hang)
        with pytest.raises(StorageUnavailable):
            devices.drain(version, utc_today())
    assert in_transaction == [False]
    assert waiting_records(version) == before
    devices.drain(version, utc_today())
    bucket.files |= late
    PendingFile.objects.update(created_on=days_ago(2))
    sweep_files()
    shard = Shard.objects.get()
    assert shard.size == 6
    assert set(bucket.files) == {shard.file_name}


def test_rows_that_went_while_their_file_was_stored_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version(minimum_reports=5)
    arrive(version, 6)
    real = storage.store

    def store_and_lose(*file: Any) -> None:
        real(*file)
        MixedRecords.objects.all().delete()

    monkeypatch.setattr(pending_files, "store", store_and_lose)
    with pytest.raises(RuntimeError, match="0 records wait, of 6 "):
        devices.drain(version, utc_today())
    assert not Batch.objects.exists()
    assert not stored_files()
    assert not PendingFile.objects.exists()
