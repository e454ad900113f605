"""Idempotency keys: an upload that is sent again under its key makes no second batch; no key is kept readable."""

import datetime
import hashlib
from typing import Any

import pytest
from django.db import connection, models

from reports.collection import seal_days, withdraw
from reports.collection.ingest import Key, Receipt, Refusal, UploadRefused, ingest
from reports.collection.ingest.idempotency_keys import forget_old_keys
from reports.models import Batch, IdempotencyKey, Shard, UseCase, Version
from reports.models.uploads import utc_today
from tests.reports.collection.ingest.test_duplicates import look_together
from tests.reports.factories import (
    assert_nothing_left,
    batch_of,
    left_in_spool,
    make_version,
    of_records,
    record_lines,
    refused,
    send,
    stored_files,
    upload,
)
from tests.reports.threads import together

pytestmark = [pytest.mark.exact]

SMALL = of_records([*record_lines(5), "x"])
OTHER = of_records(record_lines(6))
LARGE = of_records(record_lines(1000))
KEY = Key("token 1", "8e03978e-40d5-43dd-bc93-6894a57f9324")


@pytest.mark.parametrize("body", [SMALL, LARGE], ids=["small", "large"])
def test_the_second_is_answered_with_the_first(version: Version, body: bytes) -> None:
    first, second = send(body, key=KEY), send(body, key=KEY)
    assert (first.duplicate, second.duplicate) == (False, True)
    assert (second.batch, second.accepted, second.rejected) == (first.batch, first.accepted, first.rejected)
    assert second.problems == []
    assert Batch.objects.count() == Shard.objects.count() == len(stored_files()) == 1
    assert not left_in_spool()


def test_packing_does_not_matter(version: Version) -> None:
    first = send(SMALL, key=KEY)
    for encoding in ("gzip", "zstd"):
        assert ingest(upload(SMALL, encoding=encoding), UseCase.objects.all(), key=KEY).batch == first.batch


@pytest.mark.parametrize(
    "other",
    [Key("token 2", KEY.text), Key("person 1", KEY.text), Key(KEY.sender, KEY.text + "x")],
    ids=["another token", "a person", "another key"],
)
def test_keys_are_their_senders_own(version: Version, other: Key) -> None:
    assert not send(SMALL, key=KEY).duplicate
    assert not send(SMALL, key=other).duplicate
    assert not send(SMALL).duplicate
    assert Batch.objects.count() == 3
    digests = IdempotencyKey.objects.values_list("key_hmac", "content_hmac")
    assert (
        len({bytes(digest) for row in digests for digest in row}) == 4
    )  # not even the content can be seen to be equal


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (OTHER, KEY),
        (SMALL + b"\n", KEY),
        (LARGE, KEY),
        (SMALL, Key(KEY.sender, KEY.text, ("2026-11-20", ""))),
        (SMALL, Key(KEY.sender, KEY.text, ("", "true"))),
    ],
    ids=["another body", "a byte more", "a large body", "another day", "strict"],
)
def test_another_upload_under_the_same_key_is_refused(version: Version, body: bytes, key: Key) -> None:
    first = send(SMALL, key=KEY)
    assert refused(body, key=key).refusal == Refusal.KEY_REUSED
    assert [batch.pk for batch in Batch.objects.all()] == [first.batch]
    assert len(stored_files()) == 1
    assert not left_in_spool()


def test_a_broken_body_under_a_kept_key_is_a_broken_body(version: Version) -> None:
    send(SMALL, key=KEY)
    assert refused(upload(SMALL, length=len(SMALL) + 1), key=KEY).refusal == Refusal.BROKEN


@pytest.mark.parametrize("body", [b"{", of_records(["x"]), b"", SMALL], ids=["broken", "useless", "empty", "strict"])
def test_a_refused_upload_does_not_take_the_key(version: Version, body: bytes) -> None:
    refused(body, key=KEY, strict=body == SMALL)
    assert not IdempotencyKey.objects.exists()
    assert_nothing_left()
    assert not send(SMALL, key=KEY).duplicate


def test_the_answer_does_not_depend_on_what_would_be_accepted_now(version: Version) -> None:
    first = send(LARGE, key=KEY)
    seal_days(version)
    Version.objects.update(state=Version.State.CLOSED)
    assert send(LARGE, key=KEY).batch == first.batch
    assert Batch.objects.count() == 1


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_a_key_is_not_taken_where_nothing_is_stored_under_it(version: Version, sealed: bool) -> None:
    send(LARGE)
    if sealed:
        seal_days(version)
    again = send(LARGE, key=KEY)
    assert (again.duplicate, again.batch) == (True, None)
    assert not IdempotencyKey.objects.exists()
    assert not send(OTHER, key=KEY).duplicate


def test_withdrawn_batches_are_forgotten_with_their_keys(version: Version) -> None:
    first = send(LARGE, key=KEY)
    assert IdempotencyKey.objects.count() == 1
    withdraw(batch_of(first))
    assert not IdempotencyKey.objects.exists()
    again = send(LARGE, key=KEY)
    assert (again.duplicate, again.batch == first.batch) == (False, False)


# --- What is kept, and for how long ---


@pytest.mark.parametrize(("days", "kept"), [(0, True), (2, True), (3, False)])
def test_kept_for_48_hours_and_at_most_a_day_more(version: Version, days: int, kept: bool) -> None:
    first = send(SMALL, key=KEY)
    IdempotencyKey.objects.update(created_on=utc_today() - datetime.timedelta(days=days))
    forget_old_keys()
    assert send(SMALL, key=KEY).duplicate is kept
    assert batch_of(first).state == Batch.State.OPEN


def test_only_keyed_digests_and_a_date_are_kept(version: Version, settings: Any) -> None:
    send(SMALL, key=KEY)
    row = IdempotencyKey.objects.get()
    plain = {hashlib.sha256(text).digest() for text in (SMALL, KEY.text.encode(), (KEY.sender + KEY.text).encode())}
    digests = {bytes(row.key_hmac), bytes(row.content_hmac)}
    assert all(len(digest) == 32 for digest in digests)
    assert not digests & plain
    assert row.created_on == utc_today()
    settings.SECRET_KEY = "another installation"
    assert KEY.digest() not in digests
    assert not isinstance(IdempotencyKey._meta.pk, models.AutoField)
    for field in IdempotencyKey._meta.fields:
        assert not isinstance(field, models.DateTimeField | models.TimeField)


# --- At the same time ---


def upload_or_refusal(body: bytes, key: Key) -> Receipt | Refusal:
    try:
        return send(body, key=key)
    except UploadRefused as refused:
        return refused.refusal


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("body", [SMALL, LARGE], ids=["small", "large"])
def test_one_is_stored_and_the_others_wait_for_its_answer(
    body: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    uploads = 6
    make_version()
    # An error would be a line in the database's log, with the time and the values.
    failed: list[str] = []

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        try:
            return execute(sql, *rest)
        except Exception:
            failed.append(sql)
            raise

    def watched() -> Receipt:
        with connection.execute_wrapper(watch):
            return send(body, key=KEY)

    look_together(uploads, monkeypatch)
    receipts = together(uploads, watched)
    assert not failed
    assert sorted(receipt.duplicate for receipt in receipts) == [False] + [True] * (uploads - 1)
    assert len({receipt.batch for receipt in receipts}) == 1
    assert len({(receipt.accepted, str(receipt.rejected)) for receipt in receipts}) == 1
    assert Batch.objects.count() == Shard.objects.count() == len(stored_files()) == 1
    assert IdempotencyKey.objects.count() == 1
    assert not left_in_spool()
    assert not caplog.text


@pytest.mark.django_db(transaction=True)
def test_two_different_uploads_at_once_under_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    make_version()
    look_together(2, monkeypatch)
    bodies = [SMALL, OTHER]
    outcomes = together(2, lambda: upload_or_refusal(bodies.pop(), KEY))
    (stored,) = (outcome for outcome in outcomes if isinstance(outcome, Receipt))
    assert Refusal.KEY_REUSED in outcomes
    assert [batch.pk for batch in Batch.objects.all()] == [stored.batch]
    assert len(stored_files()) == 1


@pytest.mark.django_db(transaction=True)
def test_one_large_upload_at_once_under_several_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    make_version()
    look_together(4, monkeypatch)
    keys = [Key(KEY.sender, text) for text in "abcd"]
    waiting = list(keys)
    receipts = together(4, lambda: send(LARGE, key=waiting.pop()))
    assert sorted(receipt.duplicate for receipt in receipts) == [False, True, True, True]
    assert Batch.objects.count() == len(stored_files()) == 1
    assert IdempotencyKey.objects.count() == 1
