"""Uploading by HTTP: what the headers say, and what the answers say."""

import datetime
import gzip
import json
from typing import Any

import pytest
import zstandard
from django.contrib.auth.models import User
from django.test import Client
from django.utils.formats import date_format
from pytest_django import Settings

from reports.collection import seal_days, withdraw
from reports.models import ApiToken, Batch, Shard, Version
from reports.models.uploads import utc_today
from tests.conftest import logged_in
from tests.reports.factories import (
    assert_nothing_left,
    document,
    make_version,
    ndjson,
    of_records,
    record_lines,
    segment,
)
from tests.reports.small_fleet import days_ago, define
from tests.reports.suspicious import honest_lines, of_version, suspicious_lines

pytestmark = [pytest.mark.exact]

UPLOAD = "/api/v1/batches/"
TYPE = "urn:ldpsite:problem:"
MEDIA_TYPE = "unsupported-media-type"
BODY = of_records(record_lines(5))


@pytest.fixture
def version(db: None) -> Version:
    return make_version()


@pytest.fixture
def token(db: None) -> str:
    _token, secret = ApiToken.create("collector", may_ingest=True)
    return f"Bearer {secret}"


def post(token: str, body: bytes, query: str = "", **environ: Any) -> Any:
    environ = {"CONTENT_TYPE": "application/x-ndjson", "HTTP_AUTHORIZATION": token} | environ
    return Client().post(UPLOAD + query, body, content_type=environ["CONTENT_TYPE"], **environ)


def assert_problem(response: Any, status: int, kind: str) -> dict[str, Any]:
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    content: dict[str, Any] = json.loads(response.content)
    assert content["type"] == TYPE + kind
    assert content["status"] == status
    assert content["title"]
    assert content["detail"]
    return content


# --- The answer, and the resource ---


def test_stored(version: Version, token: str) -> None:
    response = post(token, of_records([*record_lines(5), "x"]))
    assert response.status_code == 202
    batch = Batch.objects.get()
    assert response.json() == {
        "batch": str(batch.pk),
        "status": "stored",
        "day": utc_today().isoformat(),
        "requested_day": utc_today().isoformat(),
        "accepted": 5,
        "rejected": {"malformed_record": 1},
        "errors": [
            {
                "line": 1,
                "pointer": "/segments/0/records/5",
                "detail": "The record does not have the form that its algorithm asks for: see the report format,"
                " section 4.",
            }
        ],
    }
    assert response.headers["Location"] == f"http://testserver/api/v1/batches/{batch.pk}/"


def test_the_resource_at_the_location(version: Version, token: str) -> None:
    location = post(token, of_records([*record_lines(5), "x", None])).headers["Location"]
    client = Client(headers={"authorization": token})
    batch = Batch.objects.get()
    expected = {
        "batch": str(batch.pk),
        "status": "stored",
        "day": utc_today().isoformat(),
        "accepted": 5,
        "rejected": {"malformed_record": 2},
    }
    assert client.get(location).json() == expected
    withdraw(batch)
    assert client.get(location).json() == expected | {"status": "withdrawn"}


def test_a_batch_that_is_not_there(token: str) -> None:
    response = Client(headers={"authorization": token}).get(f"{UPLOAD}{'0' * 8}-0000-4000-8000-{'0' * 12}/")
    assert_problem(response, 404, "not-found")


def test_a_duplicate_names_no_batch(version: Version, token: str) -> None:
    body = of_records(record_lines(1000))
    first, second = post(token, body), post(token, body)
    assert second.status_code == 202
    words = f"These reports are stored already, for {date_format(utc_today())}, so nothing was added."
    assert second.json() == first.json() | {"batch": None, "status": "duplicate", "detail": words}
    assert "Location" not in second.headers


def test_a_sealed_duplicate_names_the_day(version: Version, token: str) -> None:
    body = of_records(record_lines(1000))
    yesterday = utc_today() - datetime.timedelta(days=1)
    post(token, body, f"?day={yesterday}")
    seal_days(version)
    again = post(token, body)
    assert again.status_code == 202
    assert (again.json()["batch"], again.json()["day"]) == (None, yesterday.isoformat())
    assert f"for {date_format(yesterday)}" in again.json()["detail"]
    assert "Location" not in again.headers
    assert Shard.objects.get().size == 1000


@pytest.mark.django_db
def test_it_says_on_which_day_it_counts(token: str) -> None:
    """Suspicious or not: a sender of fakes must not see that they were found."""
    version = define()
    lines = [honest_lines(version, 200), suspicious_lines(version)]
    honest, fakes = (ndjson(document(of_version(version, each))) for each in lines)
    asked = days_ago(2).isoformat()
    answers = [post(token, body, f"?day={asked}").json() for body in (honest, fakes)]
    assert [answer["day"] for answer in answers] == [asked, asked]
    seal_days(version)
    answers = [post(token, body, f"?day={asked}").json() for body in (honest, fakes)]
    assert [answer["day"] for answer in answers] == [utc_today().isoformat()] * 2
    assert [answer["requested_day"] for answer in answers] == [asked] * 2
    words = f"{date_format(days_ago(2))} is closed, so the reports count on {date_format(utc_today())}."
    assert [answer["detail"] for answer in answers] == [words] * 2
    assert {answer["status"] for answer in answers} == {"stored"}
    assert Batch.objects.filter(state=Batch.State.QUARANTINED).count() == 2


@pytest.mark.django_db
def test_of_a_repeated_upload_it_does_not_say_that_it_counts(token: str) -> None:
    """Suspicious or not: what waits in quarantine may never count, and who sends fakes must not see that it waits."""
    version = define()
    lines = [honest_lines(version, 1000), suspicious_lines(version, honest=1000)]
    bodies = [ndjson(document(of_version(version, each))) for each in lines]
    words = f"These reports are stored already, for {date_format(utc_today())}, so nothing was added."
    for body in bodies:
        post(token, body)
        again = post(token, body).json()
        assert (again["status"], again["detail"]) == ("duplicate", words)
    seal_days(version)
    honest, fakes = (post(token, body) for body in bodies)
    assert honest.json() == fakes.json() | {"accepted": 1000}
    assert honest.headers.keys() == fakes.headers.keys()
    states = set(Batch.objects.values_list("state", flat=True))
    assert states == {Batch.State.SEALED, Batch.State.QUARANTINED}


def test_strict_refuses_a_closed_day(version: Version, token: str) -> None:
    asked = days_ago(2)
    post(token, BODY, f"?day={asked}")
    seal_days(version)
    refused = assert_problem(post(token, BODY, f"?day={asked}&strict=true"), 422, "day-not-open")
    assert refused["detail"].startswith(f"{date_format(asked)} is closed")
    assert Batch.objects.count() == 1


# --- Headers ---


def test_headers_that_are_taken(version: Version, token: str) -> None:
    assert post(token, BODY).json()["rejected"] == {}
    for content_type in ("application/json", "APPLICATION/JSON", "application/json; charset=utf-8"):
        assert post(token, BODY, CONTENT_TYPE=content_type).status_code == 202
    for encoding in ("gzip", "GZIP", " gzip "):
        assert post(token, gzip.compress(BODY), HTTP_CONTENT_ENCODING=encoding).status_code == 202
    for encoding in ("zstd", "ZSTD", " zstd "):
        assert post(token, zstandard.compress(BODY), HTTP_CONTENT_ENCODING=encoding).status_code == 202
    assert post(token, BODY, HTTP_CONTENT_ENCODING="identity").status_code == 202
    assert Batch.objects.count() == 11  # of one body, each with an address of its own


# A chunked body has no length: it would look empty, and a part of it whole. Forms are not read.
REFUSED: list[tuple[str, tuple[str, ...], int, str]] = [
    ("CONTENT_TYPE", ("", "text/plain", "application/octet-stream", "application/jsonx", "json"), 415, MEDIA_TYPE),
    (
        "CONTENT_TYPE",
        ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data"),
        415,
        MEDIA_TYPE,
    ),
    ("HTTP_CONTENT_ENCODING", ("deflate", "br", "zst", "gzip, gzip", "zstd, gzip", ""), 415, "unsupported-encoding"),
    ("CONTENT_LENGTH", ("", "x", "-5", "+5", "5.0", "٣", "0x10"), 411, "length-required"),
    ("CONTENT_LENGTH", (str((1 << 30) + 1), "9" * 30, "9" * 5000), 413, "upload-too-large"),
    (
        "HTTP_IDEMPOTENCY_KEY",
        ("", " ", "x" * 256, "two words", "tab\there", "\u00e9", "\u00c3\u00a9", "x\x7f", "x\x00"),
        400,
        "bad-idempotency-key",
    ),
]


def test_headers_that_are_refused(version: Version, token: str) -> None:
    for name, values, status, kind in REFUSED:
        words = {"unsupported-encoding": "gzip or zstd", "bad-idempotency-key": "255"}.get(kind, "")
        for value in values:
            content = assert_problem(post(token, BODY, **{name: value}), status, kind)
            assert words in content["detail"]
            assert kind != "upload-too-large" or (content["rejected"], content["errors"]) == ({}, [])
        assert_nothing_left()


def test_too_large_once_decompressed(version: Version, token: str, settings: Settings) -> None:
    settings.LDPSITE_MAX_DECOMPRESSED_BYTES = 1 << 20
    response = post(token, gzip.compress(b" " * (3 << 20)), HTTP_CONTENT_ENCODING="gzip")
    assert_problem(response, 413, "upload-too-large")
    assert_nothing_left()


def test_larger_than_django_holds_in_memory(version: Version, token: str, settings: Settings) -> None:
    """The body is streamed, so the limit on bodies held in memory does not count."""
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert post(token, BODY).status_code == 202


def test_refusals_have_a_status_and_a_type(version: Version, token: str) -> None:
    for body, status, kind in (
        (b"", 400, "empty-upload"),
        (of_records([]), 400, "empty-upload"),
        (b"{", 400, "broken-upload"),
        (of_records(["x"]), 422, "nothing-usable"),
        (ndjson(document(segment(record_lines(1)), version=2)), 422, "nothing-usable"),
    ):
        content = assert_problem(post(token, body, CONTENT_LENGTH=str(len(body))), status, kind)
        assert content.keys() == {"type", "title", "status", "detail", "rejected", "errors"}
    assert_nothing_left()


# --- Idempotency-Key ---

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


def test_the_same_upload_under_its_key(version: Version, token: str) -> None:
    first, second = (post(token, BODY, HTTP_IDEMPOTENCY_KEY=KEY) for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    words = f"These reports are stored already, for {date_format(utc_today())}, so nothing was added."
    assert second.json() == first.json() | {"status": "duplicate", "detail": words}
    assert second.headers["Location"] == first.headers["Location"]
    assert Batch.objects.count() == 1


def test_another_upload_under_the_same_key(version: Version, token: str) -> None:
    yesterday = utc_today() - datetime.timedelta(days=1)
    post(token, BODY, HTTP_IDEMPOTENCY_KEY=KEY)
    for body, query in ((BODY + BODY, ""), (BODY, f"?day={yesterday}"), (BODY, "?strict=true")):
        content = assert_problem(post(token, body, query, HTTP_IDEMPOTENCY_KEY=KEY), 422, "idempotency-key-reused")
        assert KEY not in json.dumps(content)
    assert Batch.objects.count() == 1


def test_a_key_is_its_senders_own(version: Version, token: str, alice: User) -> None:
    _token, other = ApiToken.create("other", may_ingest=True)
    person = logged_in(alice)
    answers = [post(sender, BODY, HTTP_IDEMPOTENCY_KEY=KEY) for sender in (token, f"Bearer {other}")]
    answers += [
        person.post(UPLOAD, BODY, content_type="application/x-ndjson", headers={"idempotency-key": KEY})
        for _ in range(2)
    ]
    assert [answer.json()["status"] for answer in answers] == ["stored", "stored", "stored", "duplicate"]


def test_keys_of_good_form(version: Version, token: str) -> None:
    for key in ("x", "!", "~" * 255, '"quoted"', " padded ", "a,b"):
        answers = [post(token, BODY, HTTP_IDEMPOTENCY_KEY=key).json()["status"] for _ in range(2)]
        assert answers == ["stored", "duplicate"], key


# --- Parameters ---


def test_parameters_that_are_refused(version: Version, token: str) -> None:
    for offset in (1, -90):
        day = utc_today() + datetime.timedelta(days=offset)
        assert_problem(post(token, BODY, f"?day={day}"), 422, "day-not-open")
    for query in (
        "day=yesterday",
        "day=20261121",
        "day=2026-02-30",
        "strict=1",
        "strict=True",
        "dya=2026-11-20",
        "MARK=1",
    ):
        content = assert_problem(post(token, BODY, f"?{query}"), 400, "bad-parameter")
        assert content["detail"].startswith(("day: ", "strict: ", "query: "))
        assert not any(sent in str(content) for sent in ("dya", "MARK"))
    assert_nothing_left()


def test_strict(version: Version, token: str) -> None:
    content = assert_problem(
        post(token, of_records([*record_lines(3), "x"]), "?strict=true"), 422, "strict-upload-refused"
    )
    assert [(error["line"], error["pointer"]) for error in content["errors"]] == [(1, "/segments/0/records/3")]
    assert_nothing_left()
    assert post(token, of_records([*record_lines(3), "x"]), "?strict=false").status_code == 202
