"""Fuzzing: any upload is stored whole or refused whole."""

import json
import uuid
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reports.collection.devices.definitions_in_force import read_definitions
from reports.collection.ingest import Encoding
from reports.models import (
    Batch,
    DeviceKey,
    DeviceRecord,
    DroppedReports,
    Finding,
    IdempotencyKey,
    PendingFile,
    QuarantinedShard,
    Shard,
    Version,
)
from tests.reports import small_fleet
from tests.reports.collection.ingest.doors import Door, Form, through_api, through_core
from tests.reports.factories import document, left_in_spool, make_version, packed, start_anew, stored_files

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TABLES = (
    Batch,
    DeviceKey,
    DeviceRecord,
    DroppedReports,
    Finding,
    IdempotencyKey,
    PendingFile,
    QuarantinedShard,
    Shard,
)
MUCH = settings(derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))


# --- What is sent ---

ODD: st.SearchStrategy[Any] = st.sampled_from([
    0, -1, 1, 2**63, 10**400, 0.1, -0.0, 1e308, float("nan"), float("inf"), True, None, "", "x", "\0",
    "\ud800", "é" * 50, "0,00", "1,1,1", [], {}, [[]], [[[[[[]]]]]], {"": None}, "en_US", "keyboard-emoji",
])  # fmt: skip
VALUES = st.recursive(ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything in a document, the document itself first."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


def put(tree: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None], value: Any) -> Any:
    """The document with a change at one place."""
    if not path:
        return value
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return tree


@st.composite
def mutated(draw: st.DrawFn, originals: list[Any]) -> Any:
    """A document that is right but for a few places."""
    tree = deepcopy(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(places(tree)))
        value = deepcopy(draw(VALUES))
        change = draw(st.sampled_from(["replace", "remove", "add", "rename"]))

        def alter(parent: Any, key: Any, change: str = change, value: Any = value) -> None:
            if change == "replace":
                parent[key] = value
            elif change == "remove":
                del parent[key]
            elif isinstance(parent, list):
                parent.insert(key, value if change == "add" else deepcopy(parent[-1]))
            elif change == "add":
                parent[str(value)[:20]] = value
            else:
                parent[f"{key}x"] = parent.pop(key)

        tree = put(tree, path, alter, value)
    return tree


@st.composite
def damaged(draw: st.DrawFn, body: bytes) -> bytes:
    """Bytes of which some are lost, doubled, changed or added."""
    at, size = draw(st.integers(0, len(body))), draw(st.integers(0, 40))
    kind = draw(st.sampled_from(["whole", "whole", "cut", "lost", "doubled", "added", "bits"]))
    if kind == "cut":
        return body[:at]
    if kind == "lost":
        return body[:at] + body[at + size :]
    if kind == "doubled":
        return body[:at] + body[max(0, at - size) :]
    if kind == "added":
        return body[:at] + draw(st.binary(max_size=40)) + body[at:]
    if kind == "bits" and at < len(body):
        return body[:at] + bytes([body[at] ^ (1 << size % 8)]) + body[at + 1 :]
    return body


Sent = tuple[bytes, Form, Encoding, bool]


@st.composite
def uploads(draw: st.DrawFn, originals: list[Any]) -> Sent:
    """A body as it goes over the wire, and what its header says."""
    form: Form = draw(st.sampled_from(["json", "ndjson"]))
    encoding: Encoding = draw(st.sampled_from(["identity", "gzip", "zstd"]))
    documents = draw(st.lists(mutated(originals), min_size=1, max_size=3))
    text = "\n".join(map(json.dumps, documents)).encode()
    body = draw(damaged(packed(draw(damaged(text)), encoding)))
    said: Encoding = draw(st.sampled_from([encoding, encoding, encoding, "identity", "gzip", "zstd"]))
    return body, form, said, draw(st.booleans())


# --- What there is to send for ---


def good_segment(version: Version, elements: list[str], reports: int) -> dict[str, Any]:
    mechanism, rng = version.mechanism, np.random.default_rng(3)
    drawn = mechanism.privatize_fleet(elements, rng.integers(0, len(elements), reports), rng)
    return {
        "use_case": version.use_case.slug,
        "locale": "en_US",
        "algorithm": version.algorithm,
        "parameters": mechanism.encoded_parameters(),
        "records": mechanism.format_records(drawn),
    }


@pytest.fixture
def originals(db: None) -> list[Any]:
    """Documents that are right, of every algorithm."""
    words = small_fleet.define_words(daily_limit=50)
    coordinates = {"epsilon": 4, "k": 64, "m": 64, "seed": "0d" * 16}
    segments = [
        good_segment(make_version(daily_limit=50), ["😂", "👍"], 3),
        good_segment(small_fleet.define(algorithm="HadamardCountMeanSketch", parameters=coordinates, daily_limit=50),
                     ["apple", "fig"], 3),
        good_segment(words, ["lol_", "able"], 2),
    ]  # fmt: skip
    read_definitions.cache_clear()
    return [*(document(each) for each in segments), document(*segments)]


# --- What is left ---


def rows() -> dict[str, int]:
    return {table.__name__: count for table in TABLES if (count := table.objects.count())}


def nothing_is_left() -> None:
    assert not rows()
    assert not stored_files()
    assert not left_in_spool()


def assert_stored_whole(accepted: int) -> None:
    """One batch, and each of its files belongs to a row."""
    batch = Batch.objects.get()
    shards: Any = QuarantinedShard if batch.state == Batch.State.QUARANTINED else Shard
    held = list(shards.objects.select_related("version"))
    assert (
        batch.accepted
        == accepted
        == sum(
            each.size for shard in held for each in shard.slices() if each.stream == shard.version.mechanism.streams[0]
        )
    )
    assert accepted > 0
    assert {shard.file_name for shard in held} == set(stored_files())
    assert not PendingFile.objects.exists()
    assert not left_in_spool()


def is_first_stream(record: Any) -> bool:
    """Tell whether a record is of its report's first stream."""
    return bool(record.stream == record.version.mechanism.streams[0])


def test_an_upload_is_stored_whole_or_refused_whole(originals: list[Any]) -> None:
    kinds: set[str] = set()
    # The rarest kind. What Hypothesis draws depends on the constants of all modules that are loaded.
    nearly = deepcopy(originals[0])
    nearly["segments"][0]["records"].append("no record")

    @settings(MUCH, max_examples=100)
    @example((json.dumps(nearly).encode(), "json", "identity", True), through_core)
    @given(uploads(originals), st.sampled_from([through_core, through_api]))
    def send(sent: Sent, door: Door) -> None:
        body, form, encoding, strict = sent
        outcome = door(body, form, encoding=encoding, strict=strict, is_packed=True)
        kinds.add(outcome.kind)
        if outcome.kind == "stored":
            assert_stored_whole(outcome.accepted)
            start_anew(*TABLES)
        else:
            assert outcome.batch is None
            nothing_is_left()

    send()
    # The examples are neither all too bad nor all too good.
    assert kinds >= {"stored", "broken-upload", "nothing-usable", "strict-upload-refused"}


def test_a_device_document_is_stored_whole_or_refused_whole(originals: list[Any]) -> None:
    statuses: set[int] = set()
    client = Client(headers={"content-type": "application/json"})

    @settings(MUCH, max_examples=80)
    @given(mutated(originals).map(lambda tree: json.dumps(tree).encode()).flatmap(damaged))
    def send(body: bytes) -> None:
        response = client.post(
            "/api/v1/reports/",
            body,
            content_type="application/json",
            headers={"idempotency-key": str(uuid.UUID(int=1))},
            CONTENT_TYPE="application/json",
            CONTENT_LENGTH=str(len(body)),
        )
        statuses.add(response.status_code)
        if response.status_code != 202:
            assert 400 <= response.status_code < 500
            assert response.headers["Content-Type"] == "application/problem+json"
            nothing_is_left()
            return
        there = rows()
        assert there.keys() == {"DeviceKey", "DeviceRecord"}
        assert there["DeviceKey"] == 1
        accepted = sum(is_first_stream(record) for record in DeviceRecord.objects.select_related("version"))
        assert response.json()["accepted"] == accepted
        start_anew(*TABLES)

    send()
    assert statuses >= {202, 400, 422}
