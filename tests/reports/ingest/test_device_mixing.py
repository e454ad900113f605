"""Nothing that the database keeps, not even in its own columns, tells which records came together or in what order."""

import threading
import uuid

import pytest
from django.db import connection, transaction

from reports.ingest import devices, seal_days, tasks
from reports.ingest.devices import mixing
from reports.locks import Lock, alone
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
    """Of three records each: an emoji, and a word with its fragment."""
    emoji, words = make_version(), define_words()
    for seed in range(10):
        word = report(words, seed, element="able")
        send(segment_of(emoji, report(emoji, seed)), segment_of(words, word))
    return emoji, words


def test_before_mixing_the_database_itself_would_tell() -> None:
    """Or the tests below could not fail."""
    several_documents()
    assert [len(rows) for rows in by_transaction(*RECORDS).values()] == [3] * 10
    assert len(by_transaction(*KEYS)) == 10


def test_after_mixing_all_rows_have_one_transaction_and_lie_in_the_order_of_their_random_keys() -> None:
    emoji, words = several_documents()
    before = {version: waiting_records(version) for version in (emoji, words)}
    arrival = [key for key, _xmin, _ctid in places(*RECORDS)]
    assert devices.mix()
    for table, rows in ((RECORDS, 30), (KEYS, 10)):
        found = places(*table)
        assert len(found) == rows
        assert len({xmin for _key, xmin, _ctid in found}) == 1
        assert [key for key, _xmin, _ctid in found] == sorted(key for key, _xmin, _ctid in found)
    assert [key for key, _xmin, _ctid in places(*RECORDS)] != arrival
    assert {version: waiting_records(version) for version in (emoji, words)} == before


def test_the_rows_of_one_document_lie_in_the_order_of_their_random_keys() -> None:
    version = make_version(daily_limit=40)
    send(segment_of(version, *(report(version, seed) for seed in range(40))))
    keys = [key for key, _xmin, _ctid in places(*RECORDS)]
    assert keys == sorted(keys)


def test_mixing_does_nothing_when_nothing_has_come() -> None:
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


def test_a_document_that_comes_while_rows_are_mixed_does_not_wait_and_is_mixed_next_time() -> None:
    version = make_version()
    arrive(version, 3)
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in mixing._REWRITE:
            cursor.execute(statement)
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
        for statement in mixing._REWRITE:
            cursor.execute(statement)
        again.start()
        wait_for(lambda: not again.is_alive() or someone_waits())
    again.join(timeout=20)
    assert DeviceRecord.objects.count() == 3
    assert DeviceKey.objects.count() == 3


def someone_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_mixing_leaves_alone_what_is_just_becoming_a_batch() -> None:
    version = make_version()
    arrive(version, 2)

    def elsewhere() -> bool:
        return devices.mix()

    with alone(Lock.WAITING, 0):
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
    """Neither the two halves of a report nor the order of arrival are in a shard, and no row is left."""
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
