"""Limits on the cost of an upload: lines without a record, how far it expands, time of the processor, and for whom."""

import gzip
import json
import struct
import time
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, cast

import numpy as np
import pytest
import zstandard
from django.contrib.auth.models import User
from pytest_django import Settings

from aggregation.mechanisms import mechanism_for
from reports.collection.ingest import Encoding, Key, Refusal, Upload, UploadRefused, ingest, limits, upload_slot
from reports.collection.ingest import transport as transport_module
from reports.collection.ingest.limits import SPARE_LINES_PER_LINE, Effort
from reports.collection.ingest.transport import MOST_EXPANSION
from reports.models import ApiToken, UseCase
from tests.reports.collection.ingest.doors import ALL_DOORS, Door, through_api, through_core
from tests.reports.factories import (
    ALGORITHM,
    WIRE,
    assert_nothing_left,
    document,
    ndjson,
    of_records,
    packed,
    record_lines,
    refused,
    segment,
)

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("version")]

GOOD = of_records(record_lines(3))
# A tenth of the real ones.
SPARE_LINES, LINES_READ_ON, EXPANSION_FROM_BYTES = 1000, 5000, 6 << 20


@pytest.fixture(autouse=True)
def _lower_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SPARE_LINES", SPARE_LINES)
    monkeypatch.setattr(limits, "LINES_READ_ON", LINES_READ_ON)
    monkeypatch.setattr(transport_module, "EXPANSION_FROM_BYTES", EXPANSION_FROM_BYTES)


# --- Lines without a record ---

WITHOUT_RECORD = {
    "blank": b"\n",
    "white space": b" \t\r\n",
    "0": b"0\n",
    "{}": b"{}\n",
    "[]": b"[]\n",
    "no JSON": b"x\n",
    "no segment": b'{"version":1,"segments":[]}\n',
    "no record": of_records([]),
}
KINDS = pytest.mark.parametrize("line", WITHOUT_RECORD.values(), ids=WITHOUT_RECORD.keys())


@ALL_DOORS
def test_too_many_lines_without_a_record_refuse_the_upload(door: Door) -> None:
    for kind, line in WITHOUT_RECORD.items() if door is through_core else [("blank", b"\n")]:
        outcome = door(GOOD + line * (SPARE_LINES + SPARE_LINES_PER_LINE + 1), encoding="gzip")
        assert outcome.refused_as("too-little-in-upload"), kind
        assert_nothing_left()
        if outcome.errors:
            assert [error["line"] for error in outcome.errors] == [1 + SPARE_LINES + SPARE_LINES_PER_LINE + 1]


@KINDS
def test_as_many_as_allowed_do_not(line: bytes) -> None:
    # Lines that are not JSON have a limit of their own.
    records = 1 if line != b"x\n" else 10_000
    spare = SPARE_LINES + SPARE_LINES_PER_LINE if records == 1 else 1000
    assert through_core(GOOD * records + line * spare).accepted == 3 * records


def test_lines_with_records_make_room_for_others_wherever_they_stand() -> None:
    spare = b"\n" * (SPARE_LINES + SPARE_LINES_PER_LINE * 300)
    for body in (GOOD * 300 + spare, spare + GOOD * 300):
        assert through_core(body).accepted == 900
        assert through_core(b"\n" + body).kind == "too-little-in-upload"


def test_reading_ends_where_too_many_lines_have_no_record() -> None:
    ahead = b"\n" * (SPARE_LINES + LINES_READ_ON)
    assert through_core(ahead + GOOD * 1000).accepted == 3000
    assert through_core(b"\n" + ahead + GOOD * 1000).kind == "too-little-in-upload"


def test_a_line_whose_records_are_all_dropped_has_records() -> None:
    bad = of_records(["x"], use_case="other")
    outcome = through_core(GOOD + bad * (SPARE_LINES + 100))
    assert (outcome.accepted, outcome.rejected) == (3, {"unknown_use_case": SPARE_LINES + 100})


class Lines:
    """An upload of one line again and again, which counts what is read of it."""

    def __init__(self, line: bytes) -> None:
        self._line = line
        self.read_bytes = 0

    def read(self, size: int) -> bytes:
        self.read_bytes += size
        return self._line * (size // len(self._line) + 1)


@KINDS
def test_nothing_is_read_after_so_many_lines_without_a_record(line: bytes) -> None:
    stream = Lines(line)
    assert refused(Upload(cast(BinaryIO, stream), "ndjson")).refusal is Refusal.TOO_LITTLE
    assert stream.read_bytes <= len(line) * (SPARE_LINES + LINES_READ_ON) + 2 * transport_module.READ_BYTES


def test_twenty_million_lines_in_40_kilobytes_take_little_time() -> None:
    body = gzip.compress(b"0\n" * 20_971_520)
    assert len(body) < 42_000
    began = time.thread_time()
    assert refused(Upload(BytesIO(body), "ndjson", "gzip")).problems[0].line == SPARE_LINES + LINES_READ_ON + 1
    # 1 s; the bound is that of slow machines.
    assert time.thread_time() - began < 5


# --- Expansion ---


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_what_expands_as_no_report_does_is_refused(encoding: Encoding) -> None:
    body = packed(of_records([*record_lines(3), "x" * (EXPANSION_FROM_BYTES - 10_000)]) + GOOD * 1000, encoding)
    assert len(body) * MOST_EXPANSION < EXPANSION_FROM_BYTES
    assert refused(Upload(BytesIO(body), "ndjson", encoding)).refusal is Refusal.EXPANDS


def test_a_small_upload_may_expand_as_it_likes() -> None:
    body = gzip.compress(GOOD + b" " * (EXPANSION_FROM_BYTES - len(GOOD)))
    assert len(body) * MOST_EXPANSION < EXPANSION_FROM_BYTES
    assert ingest(Upload(BytesIO(body), "ndjson", "gzip"), UseCase.objects.all()).accepted == 3


@pytest.mark.statistical
def test_reports_at_the_largest_epsilon_do_not_expand_so_far() -> None:
    """The least noise, and the longest vectors of the documentation: 200 times, with a spread of some tenths."""
    mechanism = mechanism_for(ALGORITHM, WIRE | {"epsilon": 16, "k": 1024, "m": 32768})
    rng = np.random.default_rng(0)
    lines = mechanism.format_records(mechanism.privatize_fleet(["😂"], np.zeros(100, dtype=np.int64), rng))
    body = ndjson(*(document(segment([line])) for line in lines))
    for strongest in (gzip.compress(body, 9), zstandard.compress(body, 19)):
        assert 100 < len(body) / len(strongest) < MOST_EXPANSION / 2


# --- Time of the processor ---


def test_work_without_a_result_ends_when_the_budget_does(settings: Settings) -> None:
    settings.LDPSITE_UPLOAD_CPU_SECONDS = 0.3
    stream = Lines(json.dumps({"segments": [{"records": ["x"]}]}).encode() + b"\n")
    began = time.thread_time()
    assert refused(Upload(cast(BinaryIO, stream), "ndjson")).refusal is Refusal.TOO_COSTLY
    assert time.thread_time() - began < 1.3


def test_what_is_stored_adds_to_the_budget(settings: Settings) -> None:
    effort = Effort(lambda: False)
    settings.LDPSITE_UPLOAD_CPU_SECONDS = 0
    spent = Effort(lambda: False)
    effort.check()
    with pytest.raises(UploadRefused):
        spent.check()
    spent.add_stored(100_000, 0)
    spent.check()


@ALL_DOORS
def test_a_spent_budget_refuses_the_upload_by_every_door(door: Door, settings: Settings) -> None:
    settings.LDPSITE_UPLOAD_CPU_SECONDS = -1
    assert door(GOOD).refused_as("upload-too-costly")
    assert_nothing_left()


# --- Senders who leave ---


def test_checking_ends_when_the_sender_has_left() -> None:
    """Asked all the time: after each so many lines, pieces and records."""
    for turn in range(1, 6):
        asked: Iterator[bool] = iter([*[False] * turn, True])
        body = of_records(record_lines(10_000)) + GOOD * 1000
        upload = Upload(BytesIO(body), "ndjson", sender_left=lambda asked=asked: next(asked))  # type: ignore[misc]
        assert refused(upload).refusal is Refusal.SENDER_LEFT


# --- Compressed data with nothing in it ---

NOTHING: dict[str, tuple[Encoding, bytes]] = {
    "gzip members": ("gzip", gzip.compress(b"")),
    "zstd frames": ("zstd", zstandard.compress(b"")),
    "skippable frames": ("zstd", struct.pack("<II", 0x184D2A50, 1000) + bytes(1000)),
}
OF_NOTHING = pytest.mark.parametrize(("encoding", "member"), NOTHING.values(), ids=NOTHING.keys())


def filled(member: bytes) -> BytesIO:
    return BytesIO(member * (4 * transport_module.READ_BYTES // len(member)))


@OF_NOTHING
@pytest.mark.parametrize("key", [None, Key("token", "kept")], ids=["new", "under a key that is kept"])
def test_what_decompresses_to_nothing_spends_the_budget(
    encoding: Encoding, member: bytes, key: Key | None, settings: Settings
) -> None:
    ingest(Upload(BytesIO(GOOD), "ndjson"), UseCase.objects.all(), key=key)
    settings.LDPSITE_UPLOAD_CPU_SECONDS = 0
    stream = filled(member)
    assert refused(Upload(stream, "ndjson", encoding), key=key).refusal is Refusal.TOO_COSTLY
    assert stream.tell() == transport_module.READ_BYTES


@OF_NOTHING
@pytest.mark.parametrize("key", [None, Key("token", "kept")], ids=["new", "under a key that is kept"])
def test_what_decompresses_to_nothing_is_not_read_on_for_a_sender_who_left(
    encoding: Encoding, member: bytes, key: Key | None
) -> None:
    ingest(Upload(BytesIO(GOOD), "ndjson"), UseCase.objects.all(), key=key)
    stream, asked = filled(member), iter([False, True])
    left = Upload(stream, "ndjson", encoding, sender_left=lambda: next(asked))
    assert refused(left, key=key).refusal is Refusal.SENDER_LEFT
    assert stream.tell() == 2 * transport_module.READ_BYTES


# --- Uploads at a time ---


def test_only_so_many_uploads_at_a_time(settings: Settings) -> None:
    settings.LDPSITE_UPLOADS_AT_ONCE = 1
    with upload_slot(User(pk=1)):
        outcome = through_api(GOOD)
        assert outcome.kind == "too-many-uploads"
        assert "'Retry-After': '10'" in outcome.said
        assert_nothing_left()
    assert through_api(GOOD).kind == "stored"


def test_one_sender_gets_half_of_them(settings: Settings) -> None:
    """However slowly the uploads of one token or person come, others have theirs checked."""
    settings.LDPSITE_UPLOADS_AT_ONCE = 4
    token, _secret = ApiToken.create("slow", may_ingest=True)
    with upload_slot(token), upload_slot(token):
        with pytest.raises(UploadRefused) as caught, upload_slot(token):
            pass
        assert caught.value.refusal is Refusal.BUSY
        with upload_slot(User(pk=token.pk)):
            assert through_api(GOOD).kind == "stored"
            with upload_slot(User(pk=token.pk + 1)):
                assert through_api(GOOD).kind == "too-many-uploads"
    with upload_slot(token):
        pass


def test_a_slot_is_free_again_after_a_refusal(settings: Settings) -> None:
    settings.LDPSITE_UPLOADS_AT_ONCE = 1
    assert through_api(b"x").kind == "broken-upload"
    assert through_api(GOOD).kind == "stored"
