"""Uploads that come twice: large ones count once; small ones may be equal by chance and all count."""

import hashlib
import json
import random
import threading
from collections.abc import Callable
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, models

from reports.collection import seal_days, withdraw
from reports.collection.ingest import Encoding, Upload, ingest, receive, store
from reports.models import Batch, RecordFingerprint, Shard, UploadDigest, UseCase, Version
from reports.models.uploads import utc_today
from reports.retention import delete_all, delete_expired
from reports.storage import local_path
from tests.reports.buckets import Bucket
from tests.reports.collection.ingest.doors import ALL_DOORS, Door, through_core
from tests.reports.factories import (
    OTHER,
    batch_of,
    document,
    left_in_spool,
    make_version,
    ndjson,
    of_other,
    of_records,
    record_lines,
    segment,
    send,
    shard_folder,
    sizes_by,
    stored_files,
)
from tests.reports.retention.helpers import days_later
from tests.reports.small_fleet import days_ago
from tests.reports.threads import together

pytestmark = [pytest.mark.exact]

LINES = record_lines(1000)
LARGE = of_records(LINES)
SMALL = of_records(record_lines(999))
OF_OTHER = of_other(9)


def written_otherwise() -> bytes:
    """Equal records in another order, in several documents, and with other white space."""
    lines = random.Random(1).sample(LINES, len(LINES))
    documents = [document(segment(lines[:300])), document(segment(lines[300:301]), segment(lines[301:]))]
    return b"\n".join(json.dumps(each, indent=None, separators=(" ,", ":  ")).encode() for each in documents)


@ALL_DOORS
def test_the_second_adds_nothing_and_names_no_batch(door: Door, version: Version) -> None:
    first = door(LARGE)
    second = door(LARGE)
    assert (first.kind, second.kind) == ("stored", "duplicate")
    assert (second.batch, second.accepted, second.rejected) == (None, 1000, {})
    assert Batch.objects.count() == Shard.objects.count() == len(stored_files()) == 1
    assert not left_in_spool()


def test_sealed_it_is_recognised_however_it_is_written_without_its_batch(version: Version) -> None:
    through_core(LARGE)
    seal_days(version)
    encodings: tuple[Encoding, ...] = ("identity", "gzip", "zstd")
    for encoding, body in product(encodings, (LARGE, written_otherwise())):
        again = through_core(body, encoding=encoding)
        assert (again.kind, again.batch, again.accepted, again.rejected) == ("duplicate", None, 1000, {})
    assert Shard.objects.get().size == 1000
    assert Batch.objects.count() == 1
    assert not left_in_spool()


def test_the_day_is_that_on_which_they_count(version: Version) -> None:
    send(LARGE, day=days_ago(1))
    assert (send(LARGE).duplicate, send(LARGE).day) == (True, days_ago(1))
    seal_days(version)
    assert (send(LARGE).duplicate, send(LARGE).day) == (True, days_ago(1))
    assert Batch.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [LINES[:-1], [*LINES, LINES[0]], [*LINES[1:], LINES[1]], [*LINES[1:], record_lines(1, seed=2)[0]]],
    ids=["one fewer", "one more", "one twice for another", "another one"],
)
def test_other_records_are_another_upload(other: list[str], version: Version) -> None:
    send(LARGE)
    assert not send(of_records(other)).duplicate


def test_other_locales_are_another_upload(version: Version) -> None:
    send(LARGE)
    assert not send(of_records(LINES, locale="fr_FR")).duplicate
    parts = [document(segment(LINES[:500])), document(segment(LINES[500:], locale="fr_FR"))]
    assert not send(ndjson(*parts)).duplicate
    assert send(ndjson(*reversed(parts))).duplicate


def test_parts_of_several_use_cases_are_one_upload(version: Version) -> None:
    make_version(slug="other", parameters=OTHER)
    send(ndjson(document(segment(LINES), OF_OTHER)))
    assert send(ndjson(document(OF_OTHER), document(segment(LINES)))).duplicate
    seal_days(version)
    assert send(ndjson(document(segment(LINES), OF_OTHER))).duplicate


def test_a_large_part_of_one_use_case_is_known_by_itself(version: Version) -> None:
    make_version(slug="other", parameters=OTHER)
    send(ndjson(document(segment(LINES), OF_OTHER)))
    assert send(LARGE).duplicate
    assert not send(ndjson(document(segment(LINES), OF_OTHER | {"records": record_lines(8)}))).duplicate


def test_few_records_of_each_of_several_use_cases_are_known_together_alone(version: Version) -> None:
    """A digest of each by itself could be guessed."""
    make_version(slug="other", parameters=OTHER)
    few, other = segment(record_lines(600)), OF_OTHER | {"records": record_lines(601)}
    send(ndjson(document(few, other)))
    assert send(ndjson(document(other, few))).duplicate
    assert not send(ndjson(document(few))).duplicate
    assert not send(ndjson(document(few, OF_OTHER | {"records": record_lines(602)}))).duplicate


def test_a_small_one_counts_every_time(version: Version) -> None:
    assert [send(SMALL).duplicate for _ in range(3)] == [False, False, False]
    assert Batch.objects.count() == 3
    assert not UploadDigest.objects.exists()


def test_what_is_dropped_does_not_make_an_upload_large(version: Version) -> None:
    """A digest of few records could be guessed by a holder of the key."""
    send(of_records([*record_lines(999), "x"]))
    assert not UploadDigest.objects.exists()


def test_what_is_dropped_is_not_compared(version: Version) -> None:
    send(of_records([*LINES, "x"]))
    assert send(LARGE).duplicate


# --- What is kept, and for how long ---


def test_keyed_digests_with_a_day_and_a_version_are_kept(version: Version, settings: Any) -> None:
    """No plain hash of what came is kept, and no batch, time, or number in sequence."""
    send(LARGE)
    (kept,) = UploadDigest.objects.all()
    assert (kept.version, kept.day, len(bytes(kept.hmac))) == (version, utc_today(), 32)
    stored = next(iter(stored_files().values()))
    assert bytes(kept.hmac) not in {hashlib.sha256(text).digest() for text in (LARGE, stored, stored[-12_000:])}
    settings.SECRET_KEY = "another installation"
    assert not send(LARGE).duplicate
    for model in (UploadDigest, RecordFingerprint):
        assert not isinstance(model._meta.pk, models.AutoField)
        assert {field.name for field in model._meta.fields} <= {"id", "hmac", "version", "day"}


def test_withdrawing_one_forgets_no_other(version: Version) -> None:
    send(LARGE)
    other = of_records(record_lines(1000, seed=3))
    withdraw(batch_of(send(other)))
    assert send(LARGE).duplicate
    assert not send(other).duplicate


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["lost", "damaged"])
def test_what_lost_its_file_is_withdrawn_and_taken_in_again(damage: Callable[[Path], object], version: Version) -> None:
    """There is no telling which digests are its own, so that others of that day go as well, and of no other day."""
    earlier, other = (of_records(record_lines(1000, seed=seed)) for seed in (3, 4))
    send(earlier, day=days_ago(1))
    send(other)
    batch = batch_of(send(LARGE))
    damage(shard_folder() / batch.shards.get().file_name)
    withdraw(batch)
    batch.refresh_from_db()
    assert batch.state == Batch.State.WITHDRAWN
    again = send(LARGE)
    assert (again.duplicate, batch_of(again).shards.get().size) == (False, 1000)
    assert not send(other).duplicate
    assert send(earlier).duplicate


@pytest.mark.django_db(transaction=True)
def test_a_copy_that_is_pruned_while_it_is_withdrawn_is_fetched_again(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_version()
    batch = batch_of(send(LARGE))
    send(of_records(record_lines(1000, seed=3)))
    names = [batch.shards.get().file_name]

    def find_and_prune(name: str) -> Path:
        path = local_path(name)
        if names:
            names.remove(name)
            path.unlink()
        return path

    monkeypatch.setattr("reports.collection.ingest.recognition.local_path", find_and_prune)
    withdraw(batch)
    assert not names
    assert UploadDigest.objects.count() == 1
    assert not send(LARGE).duplicate


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_forgotten_with_the_last_raw_report(sealed: bool) -> None:
    version = make_version(retention_days=3)
    send(LARGE, day=days_ago(1))
    if sealed:
        seal_days(version)
    with days_later(1):
        call_command("expire")
        assert send(LARGE).duplicate
    with days_later(2):
        delete_expired()
        assert not UploadDigest.objects.exists()
        assert not send(LARGE).duplicate


@pytest.mark.django_db(transaction=True)
def test_what_lost_the_reports_of_a_use_case_is_known_by_what_it_has_left() -> None:
    version = make_version()
    other = make_version(slug="other", parameters=OTHER)
    body = ndjson(document(segment(LINES), OF_OTHER))
    batch = batch_of(send(body))
    delete_all(other.use_case)
    assert send(LARGE).duplicate
    withdraw(batch)
    assert not UploadDigest.objects.exists()
    assert send(body).accepted == 1009
    assert version.shards.get().size == 1000


def test_sealed_rows_lie_in_the_order_of_their_digests(version: Version) -> None:
    """PostgreSQL keeps nothing beside the columns that tells which came together, or in which order."""
    for seed in range(6):
        send(of_records(record_lines(1000, seed=seed)))
    assert len(transactions()) == 6
    seal_days(version)
    with connection.cursor() as cursor:
        cursor.execute("SELECT hmac FROM reports_uploaddigest ORDER BY ctid")
        lying = [bytes(row[0]) for row in cursor.fetchall()]
    assert lying == sorted(lying)
    assert len(lying) == 6
    assert len(transactions()) == 1


def transactions() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT xmin::text FROM reports_uploaddigest")
        return {row[0] for row in cursor.fetchall()}


# --- At the same time ---


def look_together(uploads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many uploads that run at once be read before any of them is stored."""
    read = threading.Barrier(uploads)
    local = threading.local()
    store_one = store.store_batch

    def store_together(*arguments: Any, **options: Any) -> Batch:
        if not hasattr(local, "read"):  # a thread that comes too late begins again
            local.read = True
            read.wait(timeout=20)
        return store_one(*arguments, **options)

    monkeypatch.setattr(receive, "store_batch", store_together)


@pytest.mark.django_db(transaction=True)
def test_of_equal_large_uploads_at_once_one_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """All have been read before the first is stored: one is, the others are told so."""
    uploads = 6
    make_version(locales=["en_US", "fr_FR"])
    look_together(uploads, monkeypatch)
    body = LARGE + of_records(record_lines(10), locale="fr_FR")
    receipts = together(uploads, lambda: ingest(Upload(BytesIO(body), "ndjson"), UseCase.objects.all()))
    assert sorted(receipt.duplicate for receipt in receipts) == [False] + [True] * (uploads - 1)
    assert {(receipt.accepted, str(receipt.rejected)) for receipt in receipts} == {(1010, "{}")}
    assert Batch.objects.count() == 1
    assert sizes_by("locale") == [("en_US", 1000), ("fr_FR", 10)]
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))
    assert not left_in_spool()


@pytest.mark.django_db(transaction=True)
def test_of_equal_large_uploads_at_once_for_two_days_one_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    make_version()
    look_together(2, monkeypatch)
    days = [utc_today(), days_ago(1)]
    receipts = together(2, lambda: send(LARGE, day=days.pop()))
    assert sorted(receipt.duplicate for receipt in receipts) == [False, True]
    assert len({receipt.day for receipt in receipts}) == 1
    assert Shard.objects.get().size == 1000


@pytest.mark.django_db(transaction=True)
def test_an_upload_whose_equal_is_withdrawn_while_both_are_stored_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    make_version()
    real, tries = store.commit_batch, iter([store._StoredMeanwhile])

    def commit(*arguments: Any, **options: Any) -> Batch:
        for error in tries:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(store, "commit_batch", commit)
    assert not send(LARGE).duplicate
    assert set(stored_files()) == {Shard.objects.get().file_name}
