"""Broken transport refuses the whole upload, by whichever door it came, and nothing is left of it."""

import json
from io import BytesIO
from itertools import product
from typing import BinaryIO, cast

import pytest
from django.http import UnreadablePostError
from pytest_django import Settings

from reports.collection.ingest import ENCODINGS, Encoding, Refusal, Upload, ingest, known_suffix
from reports.collection.ingest import transport as transport_module
from reports.models import UseCase
from tests.reports.collection.ingest.doors import ALL_DOORS, Door, Form, through_core
from tests.reports.factories import (
    assert_nothing_left,
    document,
    ndjson,
    of_records,
    packed,
    record_lines,
    refused,
    segment,
    send,
    upload,
)

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("version")]

GOOD = ndjson(document(segment(record_lines(3))))
ONE_LINE = GOOD.rstrip(b"\n")
TEXT = GOOD.decode()

BROKEN: dict[str, bytes] = {
    "not JSON": b"hello\n",
    "single quotes": TEXT.replace('"', "'").encode(),
    "trailing comma": TEXT.replace("]}]}", "],}]}").encode(),
    "comment": GOOD + b"// done\n",
    "two documents in a line": ONE_LINE + ONE_LINE,
    "JSON cut": ONE_LINE[:-1],
    "cut in a record": ONE_LINE[:-30],
    "last line cut": GOOD + ONE_LINE[: len(ONE_LINE) // 2],
    "NaN": TEXT.replace('"epsilon": 4', '"epsilon": NaN').encode(),
    "Infinity": TEXT.replace('"epsilon": 4', '"epsilon": Infinity').encode(),
    "-Infinity": TEXT.replace('"epsilon": 4', '"epsilon": -Infinity').encode(),
    "NaN in an unknown field": ndjson({"x": float("nan")}),
    "exponent beyond bounds": TEXT.replace('"epsilon": 4', '"epsilon": 1e99999999999999999999').encode(),
    "number of 5,000 digits": TEXT.replace('"epsilon": 4', '"epsilon": ' + "9" * 5000).encode(),
    "leading zero": TEXT.replace('"epsilon": 4', '"epsilon": 04').encode(),
    "brackets 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "invalid UTF-8": GOOD.replace(b"en_US", b"en_\xff\xfe"),
    "overlong UTF-8": GOOD.replace(b"en_US", b"en_\xc0\xaf"),
    "UTF-8 surrogate": GOOD.replace(b"en_US", b"en_\xed\xa0\x80"),
    "UTF-16": TEXT.encode("utf-16"),
    "byte-order mark": b"\xef\xbb\xbf" + GOOD,
    "byte-order mark in the second line": GOOD + b"\xef\xbb\xbf" + GOOD,
    "NUL bytes": GOOD.replace(b"en_US", b"en\x00US"),
    "NUL bytes alone": b"\x00" * 100,
    "NUL bytes at the end": GOOD + b"\x00\x00",
    "control character in a text": GOOD.replace(b"en_US", b"en\x01US"),
    "space that JSON does not know": GOOD + "\u00a0\n".encode(),
}


def test_broken_text_refuses_the_upload() -> None:
    for name, body in BROKEN.items():
        assert through_core(body).refused_as("broken-upload"), name
        assert_nothing_left()


def test_broken_text_refuses_an_upload_of_one_document() -> None:
    for name, body in BROKEN.items():
        if "line" not in name and "end" not in name:
            assert through_core(body.rstrip(b"\n") + b"x", "json").refused_as("broken-upload"), name


@pytest.mark.parametrize("name", ["JSON cut", "last line cut", "invalid UTF-8"])
def test_the_line_that_is_broken_is_named(name: str) -> None:
    found = refused(GOOD + b"\n" + GOOD + BROKEN[name])
    line = 4 + BROKEN[name].startswith(GOOD)
    assert [problem.line for problem in found.problems] == [line]
    assert str(found).startswith(f"line {line}: ")
    assert str(found).count(f"line {line}") == 1


# --- Lines that are not JSON ---

NOT_JSON = [
    b"hello\n",
    b'{"version": 1\n',
    ONE_LINE + ONE_LINE + b"\n",
    b"NaN\n",
    b"\xef\xbb\xbf" + GOOD,
    b"[" * 100_000 + b"\n",
]


@ALL_DOORS
def test_a_line_that_is_not_json_is_left_out(door: Door) -> None:
    for bad in NOT_JSON if door is through_core else NOT_JSON[:1]:
        outcome = door(GOOD * 8 + bad + GOOD)
        assert (outcome.kind, outcome.accepted, outcome.rejected) == ("stored", 27, {"malformed_document": 1})
        assert "line 9: " in outcome.said or [error["line"] for error in outcome.errors] == [9]
        assert "hello" not in outcome.said


@pytest.mark.parametrize(("good", "kind"), [(27, "stored"), (26, "broken-upload")])
def test_more_than_a_tenth_of_such_lines_refuses_the_upload(good: int, kind: str) -> None:
    """Blank lines do not count, and all that are wrong are named."""
    outcome = through_core(b"x\n" * 2 + b"\n" * 100 + GOOD * good + b"x\n")
    assert (outcome.kind, outcome.rejected) == (kind, {"malformed_document": 3})
    assert outcome.accepted == (3 * good if kind == "stored" else 0)
    assert [error["line"] for error in outcome.errors] == [1, 2, 103 + good]


@ALL_DOORS
def test_a_last_line_that_is_cut_short_refuses_the_upload(door: Door) -> None:
    for cut in (1, 30, 100) if door is through_core else (30,):
        assert door(GOOD * 100 + ONE_LINE[:-cut]).refused_as("broken-upload")
        assert_nothing_left()
    assert door(GOOD * 100 + ONE_LINE).accepted == 303


def test_strict_refuses_at_the_first_such_line() -> None:
    outcome = through_core(GOOD * 20 + b"x\n" + GOOD * 20 + b"x\n", strict=True)
    assert outcome.refused_as("strict-upload-refused")
    assert outcome.rejected == {"malformed_document": 1}
    assert [error["line"] for error in outcome.errors] == [21]
    assert_nothing_left()


@ALL_DOORS
def test_an_empty_upload_is_refused_as_such(door: Door) -> None:
    forms: tuple[Form, ...] = ("json", "ndjson")
    bodies = (b"", b"\n", b" \n\n\t\r\n ")
    for encoding, form, body in product(ENCODINGS, forms, bodies if door is through_core else bodies[:1]):
        assert door(body, form, encoding=encoding).refused_as("empty-upload"), (encoding, form, body)
    assert door(of_records([])).refused_as("empty-upload")
    assert_nothing_left()


@ALL_DOORS
def test_the_body_that_the_broken_ones_are_made_from_is_stored_at_every_door(door: Door) -> None:
    """The body that the others are made from by breaking it."""
    forms: tuple[Form, ...] = ("json", "ndjson")
    for form, encoding, strict in product(forms, ENCODINGS, (False, True)):
        outcome = door(GOOD, form, encoding=encoding, strict=strict)
        assert (outcome.kind, outcome.accepted, outcome.rejected) == ("stored", 3, {}), (form, encoding, strict)


def test_blank_lines_and_the_last_newline_do_not_matter() -> None:
    assert send(b"\n \r\n" + ONE_LINE + b"\r\n\n\t\n" + ONE_LINE).accepted == 6


def test_a_json_document_may_span_lines() -> None:
    pretty = json.dumps(json.loads(GOOD), indent=2).encode()
    assert ingest(upload(pretty, "json"), UseCase.objects.all()).accepted == 3
    assert str(refused(pretty)).startswith("line 22: This is not JSON")


def test_two_lines_are_not_one_json_document() -> None:
    assert "NDJSON" in str(refused(upload(GOOD + GOOD, "json")))
    assert_nothing_left()


# --- Length ---


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_fewer_bytes_than_announced_refuse_the_upload(encoding: Encoding) -> None:
    """The client has gone half-way; what came is whole documents by chance."""
    sent = packed(GOOD, encoding)
    for missing in (1, 10_000_000):
        cut = Upload(BytesIO(sent), "ndjson", encoding, len(sent) + missing)
        assert refused(cut).refusal == Refusal.BROKEN
    assert_nothing_left()


def test_connection_that_breaks_while_it_is_read() -> None:
    class Breaking(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(size) or self.fail()

        def fail(self) -> bytes:
            raise UnreadablePostError("gone")

    assert refused(Upload(Breaking(GOOD), "ndjson")).refusal == Refusal.BROKEN
    assert_nothing_left()


@ALL_DOORS
def test_more_bytes_than_the_server_takes(door: Door, settings: Settings) -> None:
    settings.LDPSITE_MAX_RECEIVED_BYTES = len(GOOD) - 1
    assert door(GOOD).refused_as("upload-too-large")
    assert_nothing_left()
    settings.LDPSITE_MAX_RECEIVED_BYTES = settings.LDPSITE_MAX_DECOMPRESSED_BYTES = len(GOOD)
    assert door(GOOD).kind == "stored"


def test_received_bytes_are_counted_while_they_come(settings: Settings) -> None:
    """Reading stops soon after the limit, without an announced length or against it."""
    settings.LDPSITE_MAX_RECEIVED_BYTES = 1 << 20

    class Endless:
        given = 0

        def read(self, size: int) -> bytes:
            self.given += size
            return b" " * size

    stream = Endless()
    assert refused(Upload(cast(BinaryIO, stream), "ndjson")).refusal == Refusal.TOO_LARGE
    assert stream.given <= 2 << 20


def test_without_lines_it_stops_at_the_size_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport_module, "DOCUMENT_BYTES", 1 << 20)
    found = refused(upload(b" " * (3 << 20), encoding="gzip"))
    assert found.refusal == Refusal.TOO_LARGE
    assert "document" in found.detail


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.json", ".json"),
        ("A.NDJSON", ".ndjson"),
        ("2026.11.json.gz", ".json.gz"),
        ("folder.json/a.ndjson.GZ", ".ndjson.gz"),
        ("a.json.zst", ".json.zst"),
        ("a.NDJSON.ZST", ".ndjson.zst"),
        ("a.gz", None),
        ("a.zst", None),
        ("a.json.zstd", None),
        ("a.json.gz.zst", None),
        ("a.json.zip", None),
        (".json", None),
        (".ndjson.gz", None),
        (".json.zst", None),
        ("json", None),
        ("", None),
    ],
)
def test_the_end_of_a_name_says_how_a_file_is_written(name: str, suffix: str | None) -> None:
    assert known_suffix(name) == suffix
