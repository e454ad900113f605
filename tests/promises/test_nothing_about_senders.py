"""No identifiers, no times, addresses dropped: what is planted in requests is searched for everywhere afterwards."""

import datetime
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from aggregation.mechanisms import Mechanism
from reports.collection import seal_days
from reports.embedding import make_token
from reports.models import ApiToken, Batch, DeviceRecord, Shard, UploadDigest, Version
from tests.reports.factories import left_in_spool, stored_files
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

REPORTS = 120
MARKERS = {
    "address": "203.0.113.77",
    "forwarded address": "198.51.100.88",
    "agent": "planted-agent",
    "referrer": "planted-referrer",
    "key": "planted-key-0123456789abcdef",
    "file": "planted-file",
    "cookie": "planted-cookie",
}
# Times of acts of staff, and of what the framework does by itself. Nothing about reports is among them.
TIMES_OF_STAFF = {
    ("auth_user", "date_joined"),
    ("auth_user", "last_login"),
    ("reports_websession", "expire_date"),
    ("django_migrations", "applied"),
    ("reports_version", "created_at"),
    ("reports_dictionaryrevision", "created_at"),
}
TIMES_OF_RUNS = {("reports_run", name) for name in ("created_at", "started_at", "planned_at", "finished_at")} | {
    ("reports_part", "finished_at"),
    ("reports_part", "lease_expires_at"),
    ("reports_histogram", "generated_at"),
    ("reports_period", "closed_at"),
}


@dataclass
class Sender:
    """Who sends, and how: every door into the site that reports come through."""

    version: Version
    tmp_path: Path
    secret: str
    person: User

    def lines(self, count: int) -> list[str]:
        mechanism: Mechanism = self.version.mechanism
        return [mechanism.privatize("apple") for _ in range(count)]

    def document(self, lines: list[str]) -> str:
        segment = {
            "use_case": self.version.use_case.slug,
            "locale": "en_US",
            "algorithm": self.version.algorithm,
            "parameters": self.version.mechanism.encoded_parameters(),
            "records": lines,
        }
        return json.dumps({"version": 1, "segments": [segment]})

    def client(self) -> Client:
        client = Client(
            REMOTE_ADDR=MARKERS["address"],
            headers={
                "user-agent": MARKERS["agent"],
                "referer": f"https://example.org/{MARKERS['referrer']}",
                "x-forwarded-for": MARKERS["forwarded address"],
                "forwarded": f"for={MARKERS['forwarded address']}",
            },
        )
        client.cookies["device"] = MARKERS["cookie"]
        return client

    def as_devices(self) -> None:
        for number, line in enumerate(self.lines(REPORTS)):
            answer = self.client().post(
                reverse("api_reports"),
                self.document([line]),
                content_type="application/json",
                headers={"idempotency-key": f"{MARKERS['key']}{number}"},
            )
            assert answer.status_code == 202, answer.content
            assert not answer.cookies

    def as_program(self) -> None:
        answer = self.client().post(
            reverse("api_upload"),
            self.document(self.lines(REPORTS)),
            content_type="application/json",
            headers={"authorization": f"Bearer {self.secret}", "idempotency-key": MARKERS["key"]},
        )
        assert answer.status_code == 202, answer.content

    def as_person(self) -> None:
        client = self.client()
        client.force_login(self.person)
        file = SimpleUploadedFile(f"{MARKERS['file']}.json", self.document(self.lines(REPORTS)).encode())
        assert client.post(reverse("upload"), {"file": file}).status_code == 302

    def as_operator(self) -> None:
        path = self.tmp_path / f"{MARKERS['file']}.json"
        path.write_text(self.document(self.lines(REPORTS)))
        call_command("ingest", str(path))


DOORS: dict[str, Callable[[Sender], None]] = {
    "device": Sender.as_devices,
    "program": Sender.as_program,
    "person": Sender.as_person,
    "operator": Sender.as_operator,
}


@pytest.fixture
def sender(alice: User, tmp_path: Path) -> Sender:
    version = define(daily_limit=1)
    _token, secret = ApiToken.create("collector", may_ingest=True)
    return Sender(version, tmp_path, secret, alice)


def columns(kinds: str) -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND data_type ~ %s",
            [kinds],
        )
        found: list[tuple[str, str, str]] = cursor.fetchall()
    return found


def everything_in_tables() -> str:
    """Every row of every table, of whatever schema, as text; bytes as hexadecimal digits."""
    tables = {(schema, table) for schema, table, _column in columns("")}
    texts = []
    with connection.cursor() as cursor:
        for schema, table in sorted(tables):
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{schema}"."{table}" t')  # noqa: S608
            texts += [f"{table} {row}" for (row,) in cursor.fetchall()]
    return "\n".join(texts)


def found_in(haystack: str, secret: str) -> list[str]:
    """Return the markers that are in a text: as they are, or their bytes in hexadecimal digits."""
    markers = MARKERS | {"token": secret}
    return [name for name, marker in markers.items() if marker in haystack or marker.encode().hex() in haystack]


def times_since(start: datetime.datetime) -> set[tuple[str, str]]:
    """The columns that hold a time since then."""
    found = set()
    with connection.cursor() as cursor:
        for schema, table, column in columns("^timestamp"):
            cursor.execute(f'SELECT max("{column}") >= %s FROM "{schema}"."{table}"', [start])  # noqa: S608
            if cursor.fetchone()[0]:
                found.add((table, column))
    return found


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_trace_of_who_sent_it_or_when(
    door: Callable[[Sender], None], sender: Sender, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """After arrival, after sealing, and after publication."""
    start = timezone.now()
    with caplog.at_level(logging.DEBUG, logger="reports"):
        door(sender)
        look(sender, start, TIMES_OF_STAFF, Batch.objects.exists() or DeviceRecord.objects.exists())
        seal_days(sender.version)
        look(sender, start, TIMES_OF_STAFF, Shard.objects.filter(batch=None).exists())
        aggregate(sender.version)
        look(sender, start, TIMES_OF_STAFF | TIMES_OF_RUNS, sender.version.histograms.exists())
    # The command is told the name of its file, which is the operator's own; no other person's words come back.
    logged = caplog.text + "".join(capfd.readouterr())
    assert not set(found_in(logged, sender.secret)) - ({"file"} if door is Sender.as_operator else set())


def look(sender: Sender, start: datetime.datetime, times: set[tuple[str, str]], arrived: bool) -> None:
    assert arrived
    assert not found_in(everything_in_tables(), sender.secret)
    assert not times_since(start) - times
    files = stored_files()
    assert not found_in(" ".join(files) + " ".join(left_in_spool()), sender.secret)
    for content in files.values():
        assert not found_in(content.decode("latin-1"), sender.secret)


def test_what_is_planted_is_found(sender: Sender) -> None:
    """The search itself: a marker in a table, its bytes in another, and a time."""
    start = timezone.now()
    ApiToken.objects.update(name=MARKERS["agent"])
    digest = MARKERS["address"].encode().ljust(32)
    UploadDigest.objects.create(hmac=digest, version=sender.version, day=start.date())
    User.objects.update(last_login=timezone.now())
    assert found_in(everything_in_tables(), sender.secret) == ["address", "agent"]
    assert ("auth_user", "last_login") in times_since(start)


def test_no_trace_of_who_opened_an_embedded_page(
    sender: Sender, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its address, which opens the page, leaves no trace either: of a valid link, one that is over, and none."""
    send(sender.version, REPORTS)
    aggregate(sender.version)
    tokens = [make_token(sender.person, sender.version.use_case, "use_case", "", days) for days in (1, -1)]
    with caplog.at_level(logging.DEBUG):
        found = [sender.client().get(reverse("embed", args=[token])) for token in (*tokens, "x")]
    assert [answer.status_code for answer in found] == [200, 410, 404]
    assert not any(answer.cookies for answer in found)
    assert not found_in(everything_in_tables(), sender.secret)
    logged = caplog.text + "".join(capfd.readouterr())
    assert not found_in(logged, sender.secret)


def test_unknown_fields_are_refused(sender: Sender) -> None:
    """No device identifier and no time can hide in a document."""
    for field in ("device", "time", "id"):
        document: dict[str, Any] = json.loads(sender.document(sender.lines(1)))
        answer = sender.client().post(
            reverse("api_reports"),
            json.dumps(document | {field: "x"}),
            content_type="application/json",
            headers={"idempotency-key": MARKERS["key"]},
        )
        assert answer.status_code == 422
        assert answer.json()["rejected"] == {"unknown_field": 1}
    assert not DeviceRecord.objects.exists()
