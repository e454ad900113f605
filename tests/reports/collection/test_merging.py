"""Merging of a closed day's files: however many processes are at it, each record is in one file of its locale."""

import datetime
from typing import Any

import pytest
from django.db import connection

from reports import pending_files, storage
from reports.collection import closing, merging, seal_days
from reports.collection.ingest import store
from reports.models import PendingFile, Shard, Version
from reports.models.uploads import utc_today
from tests.reports.factories import (
    batch_of,
    document,
    left_in_spool,
    make_version,
    ndjson,
    of_records,
    record_lines,
    segment,
    send,
    sizes_by,
    stored_files,
)
from tests.reports.small_fleet import days_ago
from tests.reports.threads import together

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _unscreened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records here are sent several times, which no honest devices do."""
    monkeypatch.setattr(store, "suspicions", lambda _files, _content: [])


@pytest.fixture
def version() -> Version:
    return make_version()


def of_two_locales(seed: int) -> bytes:
    segments = (segment(record_lines(size, seed + size), locale=name) for name, size in (("en_US", 9), ("fr_FR", 4)))
    return ndjson(document(*segments))


def closed(day: datetime.date) -> dict[str, bytes]:
    """The file of each locale; there is no other of the day."""
    assert Shard.objects.filter(day=day).count() == Shard.objects.filter(day=day).closed().count()
    return {shard.locale: stored_files()[shard.file_name] for shard in Shard.objects.filter(day=day)}


@pytest.mark.parametrize(("fan_in", "split_bytes", "processes"), [(3, 1 << 20, 1), (3, 1, 3), (128, 1, 2)])
def test_many_small_files_become_one_for_each_locale(
    version: Version, fan_in: int, split_bytes: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if all had come in one upload, with other processes at it, too."""
    uploads = [of_two_locales(seed) for seed in range(12)]
    send(b"".join(uploads))
    for body in uploads:
        send(body, day=days_ago(1))
    monkeypatch.setattr(closing, "SEALED_TOGETHER", fan_in)
    monkeypatch.setattr(merging, "FAN_IN", fan_in)
    monkeypatch.setattr(merging, "SPLIT_BYTES", split_bytes)
    together(processes, lambda: seal_days(version))
    assert closed(utc_today()) == closed(days_ago(1))
    assert set(closed(utc_today())) == {"en_US", "fr_FR"}
    assert sizes_by("day", "locale") == [
        (day, locale, 12 * size) for day in (days_ago(1), utc_today()) for locale, size in (("en_US", 9), ("fr_FR", 4))
    ]
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))
    assert not PendingFile.objects.exists()
    assert not left_in_spool()


def test_no_transaction_is_open_while_files_are_stored(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "FAN_IN", 3)
    real, seen = storage.store, []

    def stored(*file: Any) -> None:
        seen.append(connection.in_atomic_block)
        real(*file)

    monkeypatch.setattr(pending_files, "store", stored)
    for seed in range(5):
        send(of_two_locales(seed))
    seal_days(version)
    assert seen == [False] * 8, "one of each upload, one gathered, and one of each locale"


def test_files_of_single_locales_are_merged_with_those_of_several(version: Version) -> None:
    """A batch had a file for each locale once."""
    english, french = record_lines(30), record_lines(20)
    alone = of_records(english), of_records(french, locale="fr_FR")
    send(of_two_locales(0) + b"".join(alone), day=days_ago(1))
    send(of_two_locales(0))
    first, second = map(send, alone)
    Shard.objects.filter(batch=second.batch).update(batch=first.batch)
    batch_of(second).delete()
    seal_days(version)
    assert closed(utc_today()) == closed(days_ago(1))
