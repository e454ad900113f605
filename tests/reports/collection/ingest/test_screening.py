"""Screening: every batch is screened, however it comes, and a suspicious one waits."""

import json
import re
from typing import Any

import numpy as np
import pytest
from django.test import Client
from numpy.typing import NDArray

from aggregation.screening import FALSE_ALARM_RATE
from reports.collection.ingest import evidence, screening
from reports.collection.ingest.content import Content
from reports.collection.ingest.evidence import chance_in_words
from reports.collection.ingest.screening import screened, suspicions
from reports.models import ApiToken, Batch, Finding, QuarantinedShard, Shard, Version
from reports.storage import open_array
from tests.reports.collection.ingest.doors import ALL_DOORS, Door, through_core
from tests.reports.factories import document, left_in_spool, ndjson, send, stored_files
from tests.reports.small_fleet import define, define_words
from tests.reports.suspicious import (
    honest_lines,
    of_version,
    send_lines,
    send_suspicious,
    suspicious_lines,
    unnoised_lines,
)

pytestmark = [pytest.mark.exact, pytest.mark.django_db, pytest.mark.usefixtures("screened")]

HADAMARD = {"algorithm": "HadamardCountMeanSketch", "parameters": {"epsilon": 4, "k": 64, "m": 64, "seed": "0f" * 16}}


@pytest.fixture
def fruits(db: None) -> Version:
    return define()


@pytest.fixture
def as_token(db: None) -> Client:
    _token, secret = ApiToken.create("collector", may_ingest=True)
    return Client(headers={"authorization": f"Bearer {secret}"})


@ALL_DOORS
def test_a_suspicious_batch_is_held_at_every_door(door: Door, fruits: Version) -> None:
    """Its sender is told what honest senders are told."""
    told = door(ndjson(document(of_version(fruits, suspicious_lines(fruits)))))
    assert (told.kind, told.accepted) == ("stored", 300)
    assert "quarantine" not in told.said.lower()
    batch = Batch.objects.get(pk=str(told.batch))
    assert batch.state == Batch.State.QUARANTINED
    assert batch.use_case_ids == [fruits.use_case_id]
    assert not Shard.objects.exists()
    held = batch.quarantined_shards.get()
    assert (held.version, held.locale, held.stream, held.size) == (fruits, "en_US", "element", 300)
    assert len(open_array(held.file_name)) == 300
    assert len(stored_files()) == 1
    assert not left_in_spool()


def test_an_honest_batch_passes(fruits: Version) -> None:
    told = through_core(ndjson(document(of_version(fruits, honest_lines(fruits, 300)))))
    assert Batch.objects.get(pk=str(told.batch)).state == Batch.State.OPEN
    assert not QuarantinedShard.objects.exists()
    assert not Finding.objects.exists()


def test_the_resource_of_the_batch_does_not_tell_either(fruits: Version, as_token: Client) -> None:
    suspicious = send_suspicious(fruits)
    honest = send_lines(fruits, honest_lines(fruits, 300, seed=1))
    answers = [as_token.get(f"/api/v1/batches/{receipt.batch}/").json() for receipt in (suspicious, honest)]
    for answer in answers:
        answer.pop("batch")
    assert answers[0] == answers[1]


@pytest.mark.parametrize("make", [define, lambda: define(**HADAMARD), define_words], ids=["CMS", "HCMS", "SFP"])
def test_every_algorithm_is_screened_and_put_into_words(make: object) -> None:
    version: Version = make()  # type: ignore[operator]
    send_lines(version, unnoised_lines(version.mechanism))
    found = list(Batch.objects.get(state=Batch.State.QUARANTINED).findings.all())
    assert found
    for finding in found:
        assert 0 < finding.p_value <= FALSE_ALARM_RATE
        assert json.loads(json.dumps(finding.facts)) == finding.facts
        said = evidence(finding, "here")
        assert "%(" not in said.words
        assert said.where.startswith("here")
        assert said.chance.startswith("at most 1 in")


def test_signs_of_a_client_that_forgets_the_noise_are_put_into_words() -> None:
    """Small sketch, one element: coordinates are even, and only how often signs agree is strange."""
    parameters = {"epsilon": 2, "k": 1, "m": 8, "seed": "0f" * 16}
    version, bucket = define(algorithm="HadamardCountMeanSketch", parameters=parameters), 3
    coordinates = np.random.default_rng(0).integers(0, 8, 300).tolist()
    send_lines(version, [f"0,{each},{-1 if (bucket & each).bit_count() % 2 else 1}" for each in coordinates])
    (finding,) = Batch.objects.get(state=Batch.State.QUARANTINED).findings.filter(test="agreeing_signs")
    said = evidence(finding, "here").words
    assert re.match(
        r"Of (\d+) pairs of records with the same row and coordinate, \1 have the same sign; of honest", said
    )


def test_both_streams_of_words_are_screened_together() -> None:
    version = define_words()
    send_lines(version, suspicious_lines(version))
    streams = set(Finding.objects.values_list("stream", flat=True))
    assert "element" in streams
    assert streams & {"fragment-1", "fragment-3"}
    held = QuarantinedShard.objects.get()
    assert {each.stream for each in held.slices()} == {"element", "fragment-1", "fragment-3"}


def test_all_of_a_batch_waits_with_what_is_suspicious(fruits: Version) -> None:
    """One upload is one source: what is wrong in one locale makes the rest doubtful."""
    other = define(slug="others", title="Others", parameters={"epsilon": 8, "k": 1024, "m": 64, "seed": "1f" * 16})
    segments = [
        of_version(fruits, suspicious_lines(fruits)),
        of_version(fruits, honest_lines(fruits, 200, seed=2), "fr_FR"),
        of_version(other, honest_lines(other, 200, seed=3)),
    ]
    send(ndjson(document(*segments)))
    assert sorted(len(held.slices()) for held in QuarantinedShard.objects.all()) == [1, 2]
    assert not Shard.objects.exists()
    assert set(Finding.objects.values_list("version", "locale")) == {(fruits.pk, "en_US")}


def test_the_rate_is_that_of_the_batch(fruits: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """More locales to test bring no more false alarms; those with few records are tested together."""
    asked: list[tuple[int, float]] = []

    def ask(_mechanism: object, streams: dict[str, NDArray[Any]], alpha: float) -> list[object]:
        asked.append((len(streams["element"]), alpha))
        return []

    monkeypatch.setattr(screening, "screen", ask)
    for sizes in (100, 120), (5, 99):
        found = zip(sizes, ("en_US", "fr_FR"), strict=True)
        send(ndjson(document(*(of_version(fruits, honest_lines(fruits, size), locale) for size, locale in found))))
    assert asked == [(100, FALSE_ALARM_RATE / 2), (120, FALSE_ALARM_RATE / 2), (104, FALSE_ALARM_RATE)]
    assert suspicions(screened([], Content()), []) == []


def test_records_repeated_in_many_locales_are_seen(fruits: Version) -> None:
    """Each record comes once in a locale, where it looks as any other does."""
    lines = honest_lines(fruits, 20)
    send(ndjson(document(*(of_version(fruits, lines, locale) for locale in ("en_US", "fr_FR")))))
    found = Batch.objects.get(state=Batch.State.QUARANTINED).findings.values_list("locale", "test")
    assert ("", "repeats") in found


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (9.9e-7, "at most 1 in 1,000,000"),
        (1e-6, "at most 1 in 1,000,000"),
        (3e-8, "at most 1 in 10,000,000"),
        (1e-100, "at most 1 in 10¹⁰⁰"),
        (2e-45, "at most 1 in 10⁴⁴"),
    ],
)
def test_chances_are_never_said_to_be_smaller_than_they_are(chance: float, words: str) -> None:
    assert chance_in_words(chance) == words
