"""The upload form, the page of a batch, and withdrawing it."""

import datetime
import gzip
import json
from typing import Any
from unittest import mock

import pytest
import zstandard
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format
from pytest_django import Settings

from reports.collection import seal_days
from reports.collection.ingest import upload_slot
from reports.models import Batch, Shard
from reports.models.uploads import utc_today
from reports.web.pages.spool import SpoolUploadHandler
from tests.reports.factories import (
    OTHER,
    assert_nothing_left,
    document,
    left_in_spool,
    make_version,
    ndjson,
    of_other,
    of_records,
    record_lines,
    segment,
)

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

UPLOAD = "/batches/new/"


@pytest.fixture(autouse=True)
def _version(db: None) -> None:
    make_version()


def post(client: Client, body: bytes, name: str = "reports.ndjson", **fields: Any) -> Any:
    return client.post(UPLOAD, {"file": SimpleUploadedFile(name, body), **fields})


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.ndjson", of_records(record_lines(3))),
        ("a.NDJSON.GZ", gzip.compress(of_records(record_lines(3)))),
        ("a.ndjson.zst", zstandard.compress(of_records(record_lines(3)))),
        ("a.json", json.dumps(document(segment(record_lines(3)))).encode()),
        ("a.json.gz", gzip.compress(json.dumps(document(segment(record_lines(3)))).encode())),
    ],
)
def test_a_file_is_stored_whatever_its_form(name: str, body: bytes, as_alice: Client) -> None:
    response = post(as_alice, body, name)
    batch = Batch.objects.get()
    assert response.headers["Location"] == reverse("batch", args=[batch.pk])
    assert batch.accepted == 3
    assert not left_in_spool()


def test_what_was_left_out_is_said_in_words(as_alice: Client) -> None:
    """A use case of others is as one that is not there."""
    theirs = make_version(slug="other", owner_group="others", parameters=OTHER)
    left_out = document(segment(record_lines(2), locale="xx"), of_other(4))
    body = ndjson(document(segment([*record_lines(5), "x"])), left_out)
    page = as_alice.get(post(as_alice, body).headers["Location"]).content.decode()
    assert "The use case does not declare the locale" in page
    assert "The record does not have the form" in page
    assert "There is no such use case" in page
    assert not theirs.shards.exists()
    assert "<dd>5</dd>" in page
    assert "Popular emoji" in page


def test_day_and_strict_reach_the_ingestor(as_alice: Client) -> None:
    day = datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=3)
    post(as_alice, of_records(record_lines(3)), day=day.isoformat())
    assert Batch.objects.get().day == day
    response = post(as_alice, of_records([*record_lines(3), "x"]), strict="on")
    assert response.status_code == 422
    assert b"Refused, as asked, at the first problem." in response.content
    assert Batch.objects.count() == 1


def test_the_form_says_which_days_are_closed_and_the_answer_which_day_counts(as_alice: Client) -> None:
    assert "Closed already" not in as_alice.get(UPLOAD).content.decode()
    today = utc_today()
    days = [today - datetime.timedelta(days=back) for back in (5, 3, 2)]
    for day in days:
        post(as_alice, of_records(record_lines(3)), day=day.isoformat())
        seal_days(Shard.objects.latest("day").version)
    page = as_alice.get(UPLOAD).content.decode()
    assert f"{date_format(days[0])}; {date_format(days[1])} – {date_format(days[2])} (Popular emoji)" in page
    sent = post(as_alice, of_records(record_lines(3)), day=days[0].isoformat())
    words = f"{date_format(days[0])} is closed, so the reports count on {date_format(today)}."
    assert words in as_alice.get(sent.headers["Location"]).content.decode()
    refused = post(as_alice, of_records(record_lines(3)), day=days[0].isoformat(), strict="on")
    assert refused.status_code == 422
    assert f"{words.replace('count', 'would count')} Refused, as asked." in refused.content.decode()
    assert "Closed already" in refused.content.decode()


def test_problems_are_listed_by_line_and_never_quoted(as_alice: Client) -> None:
    response = post(as_alice, ndjson(*(document(segment([f"secret-{line}"])) for line in range(30))))
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count("<code>/segments/0/records/0</code>") == 20
    assert "Line 20" in page
    assert "secret" not in page
    assert_nothing_left()


def test_what_is_refused(as_alice: Client) -> None:
    for name, body, words in (
        ("reports.txt", b"{}", "must end in .json or .ndjson"),
        ("reports.json", b"", "The upload is empty"),
        ("reports.json", b"{", "This is not JSON"),
        ("reports.json.gz", b"{}", "declared as gzip"),
        ("reports.json.zst", b"{}", "declared as zstd"),
        ("reports.json.zstd", b"{}", "with .gz or .zst behind it"),
        ("reports.json", b'{"version": 1, "segments": []}', "Nothing in the upload could be used"),
    ):
        response = post(as_alice, body, name)
        assert response.status_code == 422
        assert words in response.content.decode()
        assert_nothing_left()


def test_broken_lines_are_left_out_and_named(as_alice: Client) -> None:
    good = of_records(record_lines(1))
    page = as_alice.get(post(as_alice, good * 20 + b"x\n" + good * 9 + b"x\n").headers["Location"]).content.decode()
    assert Batch.objects.get().accepted == 29
    for line in (21, 31):
        assert f"Left out: line {line}: This is not JSON" in page


def test_while_others_are_checked_a_file_is_asked_for_again(as_alice: Client, settings: Settings) -> None:
    settings.LDPSITE_UPLOADS_AT_ONCE = 1
    body = of_records(record_lines(3))
    with upload_slot(User(pk=0)):
        response = post(as_alice, body)
        assert response.status_code == 503
        assert response.headers["Retry-After"] == "10"
        page = response.content.decode()
        assert "Other uploads are being checked. Send this one again in a moment." in page
        assert "This field is required" not in page
        assert as_alice.get(UPLOAD).status_code == 200
        assert_nothing_left()
    assert post(as_alice, body).status_code == 302


def test_too_large_a_file_is_refused_while_it_comes(as_alice: Client, settings: Settings) -> None:
    settings.LDPSITE_MAX_RECEIVED_BYTES = 1000
    response = post(as_alice, b" " * 1001)
    assert response.status_code == 422
    assert "larger than this server takes" in response.content.decode()
    assert "This field is required" not in response.content.decode()
    assert_nothing_left()


@pytest.mark.parametrize("second", ["file", "other"])
def test_a_second_file_is_refused(second: str, as_alice: Client) -> None:
    first, other = (SimpleUploadedFile("a.ndjson", of_records(record_lines(3))) for _ in range(2))
    files = {"file": [first, other]} if second == "file" else {"file": first, "other": other}
    response = as_alice.post(UPLOAD, files)
    assert response.status_code == 422
    assert "Send one file at a time." in response.content.decode()
    assert_nothing_left()


def test_the_limit_is_for_all_files_together(as_alice: Client, settings: Settings) -> None:
    settings.LDPSITE_MAX_RECEIVED_BYTES = 1000
    written = 0
    handle = SpoolUploadHandler.receive_data_chunk

    def counted(handler: SpoolUploadHandler, raw_data: bytes, start: int) -> None:
        nonlocal written
        written += len(raw_data)
        handle(handler, raw_data, start)

    with mock.patch.object(SpoolUploadHandler, "receive_data_chunk", counted):
        as_alice.post(UPLOAD, {f"file{number}": SimpleUploadedFile("a.ndjson", b" " * 900) for number in range(5)})
    assert written == 900
    assert_nothing_left()


def test_no_file(as_alice: Client) -> None:
    response = as_alice.post(UPLOAD, {})
    assert response.status_code == 422
    assert b"This field is required" in response.content


def test_the_same_large_file_again_is_recognised(as_alice: Client) -> None:
    body = of_records(record_lines(1000))
    first, second = post(as_alice, body), post(as_alice, body)
    assert first.headers["Location"] != second.headers["Location"] == UPLOAD
    words = f"These reports are stored already, for {date_format(utc_today())}, so nothing was added."
    assert words in as_alice.get(second.headers["Location"]).content.decode()
