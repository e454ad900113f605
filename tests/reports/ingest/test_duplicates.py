"""Large uploads that come twice count once; small ones may be equal by chance and all count."""

import datetime
import hashlib
import threading
from io import BytesIO
from typing import Any

import pytest

from reports.ingest import Upload, UploadRefused, ingest, receive, seal_days, withdraw
from reports.models import Batch, Shard, UseCase, Version
from reports.models.uploads import utc_today
from tests.reports.factories import (
    left_in_spool,
    make_version,
    of_records,
    record_lines,
    send,
    stored_files,
    upload,
)
from tests.reports.ingest.doors import ALL_DOORS, Door
from tests.reports.threads import together

pytestmark = [pytest.mark.exact]

LARGE = of_records(record_lines(1000))
SMALL = of_records(record_lines(999))


@ALL_DOORS
def test_the_second_is_answered_with_the_first(door: Door, version: Version) -> None:
    first = door(LARGE)
    second = door(LARGE)
    assert (first.kind, second.kind) == ("stored", "duplicate")
    assert second.batch == first.batch
    assert (second.accepted, second.rejected) == (1000, {})
    assert Batch.objects.count() == Shard.objects.count() == len(stored_files()) == 1
    assert not left_in_spool()


def test_a_small_one_counts_every_time(version: Version) -> None:
    assert [send(SMALL).duplicate for _ in range(3)] == [False, False, False]
    assert Batch.objects.count() == 3
    assert list(Batch.objects.values_list("content_hmac", flat=True)) == [None] * 3


def test_dropped_records_make_an_upload_large_too(version: Version) -> None:
    body = of_records([*record_lines(500), *["x"] * 500])
    first, second = send(body), send(body)
    assert (second.duplicate, second.batch) == (True, first.batch)
    assert (second.accepted, second.rejected) == (500, {"malformed_record": 500})


def test_packing_does_not_matter_but_every_byte_does(version: Version) -> None:
    first = send(LARGE)
    packed = ingest(upload(LARGE, encoding="gzip"), UseCase.objects.all())
    assert (packed.duplicate, packed.batch) == (True, first.batch)
    assert not send(LARGE + b"\n").duplicate


def test_another_day_is_another_upload(version: Version) -> None:
    yesterday = utc_today() - datetime.timedelta(days=1)
    assert not send(LARGE).duplicate
    assert not send(LARGE, day=yesterday).duplicate
    assert send(LARGE, day=yesterday).duplicate


def test_the_digest_is_keyed_with_the_installation_and_the_day(version: Version) -> None:
    """Neither the plain hash of what came, nor equal for two days."""

    send(LARGE)
    send(LARGE, day=utc_today() - datetime.timedelta(days=1))
    digests = [bytes(batch.content_hmac or b"") for batch in Batch.objects.all()]
    assert len(set(digests)) == 2
    assert all(len(digest) == 32 and digest != hashlib.sha256(LARGE).digest() for digest in digests)


def test_forgotten_when_withdrawn(version: Version) -> None:
    first = send(LARGE)
    withdraw(Batch.objects.get(pk=first.batch))
    assert Batch.objects.get(pk=first.batch).content_hmac is None
    again = send(LARGE)
    assert not again.duplicate
    assert again.batch != first.batch


def test_forgotten_when_sealed(version: Version) -> None:
    first = send(LARGE)
    seal_days(version)
    assert Batch.objects.get(pk=first.batch).content_hmac is None
    assert not send(LARGE).duplicate


def test_a_refused_one_is_forgotten(version: Version) -> None:
    body = of_records(["x"] * 2000)
    for _ in range(2):
        with pytest.raises(UploadRefused):
            send(body)
    assert not Batch.objects.exists()


def look_together(uploads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many uploads that run at once find nothing like them before any of them is stored."""
    read = threading.Barrier(uploads)
    local = threading.local()
    look = receive._find_first

    def find_together(*arguments: Any) -> Batch | None:
        found = look(*arguments)
        if not hasattr(local, "looked"):  # whoever comes too late looks again
            local.looked = True
            assert found is None
            read.wait(timeout=20)
        return found

    monkeypatch.setattr(receive, "_find_first", find_together)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("uploads", [2, 6])
def test_at_the_same_time(uploads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All have been read and found new before the first is stored: one is, the others are told so."""
    make_version(locales=["en_US", "fr_FR"])
    look_together(uploads, monkeypatch)
    body = LARGE + of_records(record_lines(10), locale="fr_FR")
    receipts = together(uploads, lambda: ingest(Upload(BytesIO(body), "ndjson"), UseCase.objects.all()))
    assert sorted(receipt.duplicate for receipt in receipts) == [False] + [True] * (uploads - 1)
    assert len({receipt.batch for receipt in receipts}) == 1
    assert {(receipt.accepted, str(receipt.rejected)) for receipt in receipts} == {(1010, "{}")}
    assert Batch.objects.count() == 1
    assert sorted(Shard.objects.values_list("locale", "size")) == [("en_US", 1000), ("fr_FR", 10)]
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))
    assert not left_in_spool()
