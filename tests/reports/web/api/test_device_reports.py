"""The endpoint of single devices: who may send (everybody), what is refused, and that nothing is kept of who did."""

import datetime
import json
import logging
import time
from collections.abc import Iterator
from io import BytesIO
from typing import Any, cast

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from ldpsite.logs import RoutesOnly
from reports.collection import devices
from reports.collection.devices import definitions_in_force, rate
from reports.models import ApiToken, DeviceKey, DeviceRecord, UseCase, Version
from reports.models.uploads import utc_today
from reports.web.api.problem_details import TYPE
from tests.reports.devices import ADDRESS, document_of, new_key, post, report, segment_of
from tests.reports.factories import SEED, make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

KEY = "0123456789abcdef"


@pytest.fixture
def version(db: None) -> Version:
    return make_version(daily_limit=3)


@pytest.fixture
def body(version: Version) -> bytes:
    return document_of(segment_of(version, report(version)))


def assert_refused(answer: Any, status: int, kind: str) -> dict[str, Any]:
    content = json.loads(answer.content)
    assert (answer.status_code, content["type"]) == (status, TYPE + kind), content
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert not DeviceRecord.objects.exists()
    assert not DeviceKey.objects.exists()
    return dict(content)


def test_a_document_is_taken_in(version: Version, body: bytes) -> None:
    answer = post(body)
    assert (answer.status_code, json.loads(answer.content)) == (202, {"accepted": 1, "rejected": {}})
    row = DeviceRecord.objects.get()
    assert (row.version, row.locale, row.stream) == (version, "en_US", "element")
    expected = version.mechanism.parse_records([report(version)]).streams["element"]
    assert bytes(row.record) == expected.tobytes()


def test_a_fragment_report_is_two_rows_that_do_not_know_each_other() -> None:
    words = {"epsilon": 4, "k": 64, "m": 64, "fragment_epsilon": 4, "fragment_k": 64, "fragment_m": 64, "length": 4}
    version = make_version(
        slug="words",
        algorithm="SequenceFragmentPuzzle",
        normalization="word",
        alphabet="abelo",
        parameters=words | {"seed": SEED},
        dictionary=None,
    )
    line = report(version, element="able")
    assert json.loads(post(document_of(segment_of(version, line))).content)["accepted"] == 1
    rows = list(DeviceRecord.objects.order_by("stream"))
    assert [row.stream for row in rows] == ["element", f"fragment-{line[0]}"]
    shared = {"version_id", "locale", "day"}
    columns = {field.attname for field in DeviceRecord._meta.concrete_fields}
    assert {name for name in columns if getattr(rows[0], name) == getattr(rows[1], name)} == shared


def test_no_credential_no_cookie_no_session(body: bytes, client: Client) -> None:
    """Nor does it matter what a device sends along."""
    _token, secret = ApiToken.create("a token", may_ingest=True)
    plain = post(body)
    client.cookies.load({"sessionid": "s" * 32, "csrftoken": "c" * 32})
    for sent in ({"authorization": f"Bearer {secret}"}, {"authorization": "Bearer wrong"}, {"accept": "text/html"}):
        answer = post(body, client=client, headers=sent)
        assert answer.status_code == 202
        assert answer.content == plain.content
        assert answer.cookies == {}
        assert "Cookie" not in answer.headers.get("Vary", "")
    assert ApiToken.objects.get().last_used_on is None
    assert (
        Client(enforce_csrf_checks=True)
        .post(ADDRESS, body, content_type="application/json", headers={"idempotency-key": new_key()})
        .status_code
        == 202
    )


def test_only_the_definitions_cost_queries_and_only_now_and_then(
    body: bytes, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    post(body)
    with django_assert_num_queries(0):  # the one statement does not go by way of what counts them
        post(body)
    assert DeviceRecord.objects.count() == 2


def test_a_key_of_16_to_255_visible_characters_is_required(body: bytes) -> None:
    for key in ("", "short", "x" * 15, "x" * 256, "with a space inside it", "ä" * 20):
        assert_refused(post(body, key), 400, "bad-idempotency-key")
    answer = Client().post(ADDRESS, body, content_type="application/json")
    assert_refused(answer, 400, "bad-idempotency-key")
    for key in ("x" * 16, "~" * 255):
        assert post(body, key).status_code == 202


def test_the_same_key_adds_nothing_and_is_answered_alike(body: bytes) -> None:
    first, again = post(body, KEY), post(body, KEY)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert DeviceRecord.objects.count() == 1
    assert KEY.encode() not in bytes(DeviceKey.objects.get().key_hmac)
    assert post(body, new_key()).status_code == 202
    assert DeviceRecord.objects.count() == 2


def test_a_key_is_kept_under_the_secret_of_the_installation(body: bytes, settings: Settings) -> None:
    digest = devices.Key(KEY).digest()
    settings.SECRET_KEY = "another"
    assert devices.Key(KEY).digest() != digest


def send(body: bytes, content_type: str = "application/json", **environ: Any) -> Any:
    return Client().post(ADDRESS, body, content_type=content_type, headers={"idempotency-key": KEY}, **environ)


def test_headers_that_are_refused(body: bytes) -> None:
    for content_type in ("application/x-ndjson", "text/plain", ""):
        assert_refused(send(body, content_type), 415, "unsupported-media-type")
    assert_refused(send(body, HTTP_CONTENT_ENCODING="gzip"), 415, "unsupported-encoding")
    for length in ("", "-1", "1e3", "²"):
        assert_refused(send(body, CONTENT_LENGTH=length), 411, "length-required")
    assert_refused(send(body, CONTENT_LENGTH="9" * 5000), 413, "upload-too-large")


def test_documents_larger_than_the_limit_are_refused(body: bytes, settings: Settings) -> None:
    settings.LDPSITE_MAX_DEVICE_BYTES = len(body) - 1
    assert_refused(send(body), 413, "upload-too-large")
    settings.LDPSITE_MAX_DEVICE_BYTES = len(body)
    assert send(body).status_code == 202


def test_a_body_that_is_no_document_is_refused(body: bytes) -> None:
    assert_refused(send(body, **cast(Any, {"wsgi.input": BytesIO(body[:-1])})), 400, "broken-upload")  # cut short
    for sent, kind in (
        (b"", "empty-upload"), (b" ", "empty-upload"), (b"{", "broken-upload"), (b"\xff", "broken-upload"),
    ):  # fmt: skip
        assert_refused(send(sent, CONTENT_TYPE="application/json", CONTENT_LENGTH=str(len(sent))), 400, kind)


def test_bad_content_drops_the_smallest_unit(version: Version) -> None:
    good = report(version)
    row_too_large = "64," + good.partition(",")[2]
    answer = post(
        document_of(
            segment_of(version, good, row_too_large),
            segment_of(version, good) | {"locale": "de_DE"},
            segment_of(version, "nonsense", locale="fr_FR"),
        )
    )
    assert json.loads(answer.content) == {
        "accepted": 1,
        "rejected": {"unknown_locale": 1, "row_out_of_range": 1, "malformed_record": 1},
    }
    assert DeviceRecord.objects.count() == 1


def test_nothing_usable(version: Version) -> None:
    content = assert_refused(post(document_of(segment_of(version, "secret nonsense"))), 422, "nothing-usable")
    assert content["rejected"] == {"malformed_record": 1}
    assert "secret" not in json.dumps(content)


def test_an_unknown_field_has_nowhere_to_hide(version: Version, body: bytes) -> None:
    content = json.loads(body) | {"device": "d-1"}
    answer = assert_refused(post(json.dumps(content).encode()), 422, "nothing-usable")
    assert answer["rejected"] == {"unknown_field": 1}


def test_more_than_the_daily_limit_of_a_use_case(version: Version) -> None:
    lines = [report(version, seed) for seed in range(4)]
    for segments in (
        [segment_of(version, *lines)],
        [segment_of(version, *lines[:2]), segment_of(version, *lines[2:], locale="fr_FR")],
        [segment_of(version, *lines[:3], "nonsense")],
    ):
        refused = assert_refused(post(document_of(*segments)), 422, "over-daily-limit")
        assert "use case “keyboard-emoji”" in refused["detail"]
        assert "at most 3." in refused["detail"]
        assert [each["pointer"] for each in refused["errors"]] == [f"/segments/{i}" for i in range(len(segments))]
    assert post(document_of(segment_of(version, *lines[:3]))).status_code == 202
    assert DeviceRecord.objects.count() == 3


def test_more_than_the_daily_limit_of_a_group() -> None:
    grouped = {"daily_limit": 2, "budget_group": "keyboard"}
    one, two, other = make_version(**grouped), make_version(slug="two", **grouped), make_version(slug="other")
    segments = [segment_of(version, report(version)) for version in (one, two, other)]
    assert post(document_of(*segments)).status_code == 202
    DeviceRecord.objects.all().delete()
    DeviceKey.objects.all().delete()
    over = segment_of(two, report(two), report(two, 1))
    refused = assert_refused(post(document_of(segments[2], segments[0], over)), 422, "over-daily-limit")
    assert "budget group “keyboard”" in refused["detail"]
    assert "at most 2 of all" in refused["detail"]
    assert [each["pointer"] for each in refused["errors"]] == ["/segments/1", "/segments/2"]


def test_definitions_are_kept_for_seconds_and_never_until_the_next_day(
    version: Version, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert post(body).status_code == 202
    UseCase.objects.update(state=UseCase.State.PAUSED)
    assert post(body).status_code == 202
    later = time.monotonic() + definitions_in_force.KEPT_SECONDS + 1
    monkeypatch.setattr("reports.collection.devices.definitions_in_force.time.monotonic", lambda: later)
    assert post(body).status_code == 422
    UseCase.objects.update(state=UseCase.State.RUNNING)
    assert post(body).status_code == 422
    tomorrow = utc_today() + datetime.timedelta(days=1)
    monkeypatch.setattr(definitions_in_force, "utc_today", lambda: tomorrow)
    assert post(body).status_code == 202
    assert DeviceRecord.objects.filter(day=tomorrow).count() == 1


# --- How many ---


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    now = [1000.0]
    monkeypatch.setattr("reports.collection.devices.rate.time.monotonic", lambda: now[0])
    monkeypatch.setattr(rate, "_bucket", rate.Bucket())
    return iter([now])


def test_more_documents_than_a_process_takes_in(body: bytes, settings: Settings, clock: Iterator[list[float]]) -> None:
    now = next(clock)
    settings.LDPSITE_DEVICE_DOCUMENTS_PER_SECOND = 2
    burst = 2 * rate.BURST_SECONDS
    assert {post(body).status_code for _ in range(burst)} == {202}
    answer = post(body)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert json.loads(answer.content)["type"] == f"{TYPE}throttled"
    assert DeviceRecord.objects.count() == burst
    now[0] += 0.5
    assert [post(body).status_code, post(body).status_code] == [202, 429]
    now[0] += 10_000
    assert [post(body).status_code for _ in range(burst + 1)] == [202] * burst + [429]
    settings.LDPSITE_DEVICE_DOCUMENTS_PER_SECOND = 0
    assert {post(body).status_code for _ in range(2 * burst)} == {202}


def test_what_the_bucket_holds_of_its_visitors(body: bytes) -> None:
    """Two numbers and a lock; no address."""
    for _ in range(3):
        Client(REMOTE_ADDR="203.0.113.9").post(
            ADDRESS, body, content_type="application/json", headers={"idempotency-key": new_key()}
        )
    kept = vars(rate._bucket)
    assert sorted(kept) == ["_filled_at", "_lock", "_tokens"]
    assert isinstance(kept["_tokens"], int | float)


# --- Logs ---


def test_no_line_in_any_log(
    version: Version, body: bytes, caplog: pytest.LogCaptureFixture, settings: Settings, clock: Iterator[list[float]]
) -> None:
    next(clock)
    caplog.set_level(logging.DEBUG, logger="django.request")
    settings.LDPSITE_DEVICE_DOCUMENTS_PER_SECOND = 1
    statuses = [post(sent).status_code for sent in [body, b"{", document_of(segment_of(version, "x"))] + [body] * 8]
    assert set(statuses) == {202, 400, 422, 429}
    made = [record for record in caplog.records if record.name == "django.request"]
    assert made, "nothing is noted that could be left out"
    assert not [record for record in made if RoutesOnly().filter(record)]
