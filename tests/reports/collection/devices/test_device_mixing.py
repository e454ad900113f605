"""Mixing: not even the database's own columns tell which records came together, or in what order."""

import threading
import uuid
from typing import Any

import pytest
from django.db import connection, transaction

from reports.collection import devices, seal_days, tasks
from reports.collection.devices import mixing
from reports.locks import Lock, advisory_lock
from reports.models import DeviceKey, DeviceRecord, Version
from reports.storage import open_array
from tests.reports.devices import arrive, document_of, places, report, segment_of, stored_records, waiting_records
from tests.reports.factories import make_version
from tests.reports.small_fleet import define_words
from tests.reports.threads import together
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

RECORDS, KEYS = ("reports_devicerecord", "id"), ("reports_devicekey", "key_hmac")


@pytest.fixture(autouse=True)
def _no_holes() -> None:
    """Rows of other tests leave room in which new ones would lie out of order."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE reports_devicerecord, reports_devicekey")


def by_transaction(table: str, key: str) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for row, xmin, _ctid in places(table, key):
        found.setdefault(xmin, []).append(row)
    return found


def send(*segments: dict[str, object]) -> None:
    devices.forget_definitions()
    devices.take_in(document_of(*segments), devices.Key(uuid.uuid4().hex))


def several_documents() -> tuple[Version, Version]:
    """Send documents of three records each: an emoji, and a word with its fragment."""
    emoji, words = make_version(), define_words()
    for seed in range(10):
        word = report(words, seed, element="able")
        send(segment_of(emoji, report(emoji, seed)), segment_of(words, word))
    return emoji, words


def test_before_mixing_the_database_itself_would_tell() -> None:
    """Control: without this the tests below could not fail."""
    several_documents()
    assert [len(rows) for rows in by_transaction(*RECORDS).values()] == [3] * 10
    assert len(by_transaction(*KEYS)) == 10


def test_after_mixing_the_rows_of_a_version_have_one_transaction_and_lie_in_the_order_of_their_random_keys() -> None:
    emoji, words = several_documents()
    before = {version: waiting_records(version) for version in (emoji, words)}
    owners = dict(DeviceRecord.objects.values_list("pk", "version_id"))
    arrival = [key for key, _xmin, _ctid in places(*RECORDS)]
    assert devices.mix()
    for table, rows in ((RECORDS, 30), (KEYS, 10)):
        found = places(*table)
        assert len(found) == rows
        for owner in set(owners.values()) if table is RECORDS else {None}:
            keys = [key for key, _xmin, _ctid in found if owner in (None, owners.get(key))]
            assert keys == sorted(keys)
    mixed: dict[str, set[int]] = {}
    for key, xmin, _ctid in places(*RECORDS):
        mixed.setdefault(xmin, set()).add(owners[key])
    assert sorted(mixed.values(), key=min) == [{emoji.pk}, {words.pk}]
    assert not mixed.keys() & by_transaction(*KEYS).keys()
    assert len(by_transaction(*KEYS)) == 1
    assert [key for key, _xmin, _ctid in places(*RECORDS)] != arrival
    assert {version: waiting_records(version) for version in (emoji, words)} == before


def test_the_rows_of_one_document_lie_in_the_order_of_their_random_keys() -> None:
    version = make_version(daily_limit=40)
    send(segment_of(version, *(report(version, seed) for seed in range(40))))
    keys = [key for key, _xmin, _ctid in places(*RECORDS)]
    assert keys == sorted(keys)


def test_mixing_does_nothing_when_nothing_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "FEW", 1)
    version = make_version()
    assert not devices.mix()
    arrive(version, 2)
    assert devices.mix()
    mixed = places(*RECORDS)
    assert not devices.mix()
    assert places(*RECORDS) == mixed
    arrive(version, 1, seed=1)
    assert devices.mix()
    assert len(by_transaction(*RECORDS)) == 1


def test_only_versions_for_which_some_have_come_are_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "FEW", 1)
    emoji, words = several_documents()
    devices.mix()
    owners = dict(DeviceRecord.objects.values_list("pk", "version_id"))
    before = {key: xmin for key, xmin, _ctid in places(*RECORDS)}
    arrive(emoji, 1, seed=100)
    assert devices.mix()
    after = {key: xmin for key, xmin, _ctid in places(*RECORDS)}
    assert {owners[key] for key, xmin in before.items() if after[key] == xmin} == {words.pk}
    assert {owners[key] for key, xmin in before.items() if after[key] != xmin} == {emoji.pk}


def test_the_only_document_of_two_versions_is_taken_apart() -> None:
    """Its rows have one transaction in each, as those that were mixed have; but the same."""
    emoji, words = make_version(), define_words()
    send(segment_of(emoji, report(emoji)), segment_of(words, report(words, element="able")))
    assert len(by_transaction(*RECORDS)) == 1
    assert devices.mix()
    assert sorted(map(len, by_transaction(*RECORDS).values())) == [1, 2]


def test_the_only_document_of_a_version_is_taken_apart_however_many_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "FEW", 1)
    version = make_version(daily_limit=5)
    send(segment_of(version, *(report(version, seed) for seed in range(5))))
    assert devices.mix()
    assert not by_transaction(*RECORDS).keys() & by_transaction(*KEYS).keys()


def test_a_document_that_comes_while_rows_are_mixed_does_not_wait_and_is_mixed_next_time() -> None:
    version = make_version()
    arrive(version, 3)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(mixing._REWRITE_RECORDS, {"version": version.pk})
        cursor.execute(mixing._REWRITE_KEYS)
        together(1, lambda: arrive(version, 1, seed=1))  # on another connection, which commits
    assert DeviceRecord.objects.count() == 4
    assert sorted(map(len, by_transaction(*RECORDS).values())) == [1, 3]
    assert devices.mix()
    assert len(by_transaction(*RECORDS)) == 1


def test_a_document_sent_again_while_keys_are_mixed_waits_and_adds_nothing() -> None:
    version = make_version()
    body, key = document_of(segment_of(version, report(version))), devices.Key(uuid.uuid4().hex)
    devices.take_in(body, key)
    arrive(version, 2)

    def send_again() -> None:
        devices.take_in(body, key)
        connection.close()

    again = threading.Thread(target=send_again)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(mixing._REWRITE_KEYS)
        again.start()
        wait_for(lambda: not again.is_alive() or someone_waits())
    again.join(timeout=20)
    assert DeviceRecord.objects.count() == 3
    assert DeviceKey.objects.count() == 3


def test_a_document_sent_again_while_records_are_mixed_does_not_wait() -> None:
    version = make_version()
    body, key = document_of(segment_of(version, report(version))), devices.Key(uuid.uuid4().hex)
    devices.take_in(body, key)
    arrive(version, 2)
    rewritten = mixing._REWRITE_RECORDS

    def meanwhile(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if sql == rewritten:
            assert together(1, lambda: devices.take_in(body, key)) == [devices.Answer(1, {})]
            sent.append(1)
        return result

    sent: list[int] = []
    with connection.execute_wrapper(meanwhile):
        devices.mix()
    assert sent == [1]
    assert DeviceRecord.objects.count() == 3


def someone_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_mixing_leaves_alone_what_is_just_becoming_a_batch() -> None:
    version = make_version()
    arrive(version, 2)

    def elsewhere() -> bool:
        return devices.mix()

    with advisory_lock(Lock.WAITING, 0):
        assert together(1, elsewhere) == [False]
    assert together(1, elsewhere) == [True]


def test_the_task_mixes_and_lets_the_database_throw_the_old_rows_away() -> None:
    version = make_version()
    arrive(version, 5)
    tasks.mix_device_records()
    assert len(by_transaction(*RECORDS)) == 1
    arrive(version, 1, seed=1)
    # Their places are free again, and are not while a row is but dead.
    assert next(ctid for _key, _xmin, ctid in places(*RECORDS)) == "(0,1)"


def test_sealed_records_are_a_sorted_multiset_whatever_order_they_came_in() -> None:
    """A shard has neither the halves of a report together nor the order of arrival, and no row is left."""
    shards: list[dict[str, bytes]] = []
    for seeds in (range(10), reversed(range(10))):
        words = define_words(minimum_reports=10, slug=f"words-{len(shards)}")
        for seed in seeds:
            send(segment_of(words, report(words, seed, element="able")))
        seal_days(words)
        assert not DeviceRecord.objects.exists()
        assert {shard.batch for shard in words.shards.all()} == {None}
        shards.append({shard.stream: open_array(shard.file_name).tobytes() for shard in words.shards.all()})
        assert shards[-1]["element"] == stored_records(words)
    assert shards[0] == shards[1]
    assert len(shards[0]) == 3
