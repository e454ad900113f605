"""Mixing: not even the database's own columns tell which records came together, or in what order."""

import itertools
import threading
import uuid
from collections.abc import Callable
from typing import Any
from unittest import mock

import psycopg
import pytest
from django.db import connection
from django.db.models.expressions import RawSQL

from reports.collection import devices, seal_days, tasks
from reports.collection.devices import keys, mixing, portions
from reports.collection.devices.definitions_in_force import read_definitions
from reports.locks import Lock, advisory_lock
from reports.models import Batch, DeviceKey, DeviceRecord, MixedKeys, MixedRecords, Version
from reports.storage import StorageUnavailable, open_array
from tests.reports.devices import (
    arrive,
    document_of,
    places,
    report,
    segment_of,
    stored_records,
    waiting,
    waiting_records,
)
from tests.reports.factories import make_version
from tests.reports.small_fleet import days_ago, define_words
from tests.reports.threads import together
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

RECORDS, KEYS = ("reports_devicerecord", "id"), ("reports_devicekey", "key_hmac")
PORTIONS, BLOCKS = ("reports_mixedrecords", "id"), ("reports_mixedkeys", "id")


@pytest.fixture(autouse=True)
def _no_holes() -> None:
    """Rows of other tests leave room in which new ones would lie out of order."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE reports_devicerecord, reports_devicekey, reports_mixedrecords, reports_mixedkeys")


def by_transaction(table: str, key: str) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for row, xmin, _ctid in places(table, key):
        found.setdefault(xmin, []).append(row)
    return found


def send(*segments: dict[str, object]) -> None:
    read_definitions.cache_clear()
    devices.take_in(document_of(*segments), devices.Key(uuid.uuid4().hex))


def fragments_of(words: Version) -> dict[str, int]:
    """Return what ten devices sent about fragments, by stream."""
    lines = [report(words, seed, element="able") for seed in range(10)]
    streams = words.mechanism.parse_records(lines).streams
    return {stream: len(records) for stream, records in streams.items() if stream != "element" and len(records)}


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


def test_after_mixing_a_version_has_one_transaction_and_its_records_lie_in_the_order_of_their_bytes() -> None:
    emoji, words = several_documents()
    before = {version: waiting_records(version) for version in (emoji, words)}
    assert devices.mix()
    assert not DeviceRecord.objects.exists()
    assert not DeviceKey.objects.exists()
    mixed = list(MixedRecords.objects.order_by(RawSQL("ctid", ())))
    assert {(each.version, each.stream): each.size for each in mixed} == {
        (emoji, "element"): 10,
        (words, "element"): 10,
        **{(words, stream): size for stream, size in fragments_of(words).items()},
    }
    for version in (emoji, words):
        streams = [each.stream for each in mixed if each.version == version]
        assert streams == sorted(streams)
        (records,) = (bytes(each.records) for each in mixed if (each.version, each.stream) == (version, "element"))
        assert records == before[version]
    of_versions = [
        {xmin for key, xmin, _ctid in places(*PORTIONS) if key in {each.pk for each in mixed if each.version == v}}
        for v in (emoji, words)
    ]
    of_keys = {xmin for _key, xmin, _ctid in places(*BLOCKS)}
    assert [len(each) for each in (*of_versions, of_keys)] == [1, 1, 1]
    assert len(set.union(*of_versions, of_keys)) == 3
    (block,) = MixedKeys.objects.all()
    digests = [bytes(block.digests)[start : start + 8] for start in range(0, 80, 8)]
    assert digests == sorted(digests)


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
    mixed = places(*PORTIONS), places(*BLOCKS)
    assert not devices.mix()
    assert (places(*PORTIONS), places(*BLOCKS)) == mixed
    arrive(version, 1, seed=1)
    assert devices.mix()
    assert [each.size for each in MixedRecords.objects.all()] == [3]
    assert len(places(*BLOCKS)) == 1


def test_only_versions_for_which_some_have_come_are_written_anew() -> None:
    emoji, words = several_documents()
    devices.mix()
    owners = dict(MixedRecords.objects.values_list("pk", "version_id"))
    arrive(emoji, 1, seed=100)
    assert devices.mix()
    left = owners.keys() & set(MixedRecords.objects.values_list("pk", flat=True))
    assert {owners[key] for key in left} == {words.pk}
    assert waiting(emoji) == 11


def test_many_are_not_written_anew_and_fewer_are_with_all_that_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "MANY", 3)
    monkeypatch.setattr(portions, "MANY_DEVICES", 0)
    version = make_version()
    for round_, (count, in_portions, left) in enumerate(((2, 0, 2), (2, 4, 0), (2, 4, 2), (1, 7, 0), (1, 7, 1))):
        arrive(version, count, seed=round_)
        before = waiting_records(version)
        rows = set(MixedRecords.objects.exclude(portion=None).values_list("pk", flat=True))
        assert devices.mix()
        sizes = [(each.portion is not None, each.size) for each in MixedRecords.objects.all()]
        assert [sum(size for many, size in sizes if many is of) for of in (True, False)] == [in_portions, left]
        assert rows <= set(MixedRecords.objects.values_list("pk", flat=True))
        assert waiting_records(version) == before
    assert len(by_transaction(*PORTIONS)) == 3, "two portions, and what is left"


def test_one_document_is_no_portion_however_many_records_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "MANY", 3)
    version = make_version(daily_limit=5, minimum_reports=3)
    send(segment_of(version, *(report(version, seed) for seed in range(5))))
    devices.mix()
    assert MixedRecords.objects.get().portion is None
    arrive(version, 45, seed=1)
    devices.mix()
    assert MixedRecords.objects.get().portion is not None


def test_days_and_locales_have_portions_of_their_own() -> None:
    version = make_version(minimum_reports=3)
    arrive(version, 2, day=days_ago(1))
    arrive(version, 2, locale="fr_FR")
    arrive(version, 2, seed=1)
    devices.mix()
    found = MixedRecords.objects.order_by("day", "locale").values_list("day", "locale", "size", "portion")
    assert list(found) == [
        (days_ago(1), "en_US", 2, None),
        (days_ago(0), "en_US", 2, None),
        (days_ago(0), "fr_FR", 2, None),
    ]


def portions_of(reports: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let portions be as small as that, and go out when two make up the minimum."""
    monkeypatch.setattr(portions, "MANY", reports)
    monkeypatch.setattr(portions, "MANY_DEVICES", 0)
    monkeypatch.setattr("reports.collection.devices.draining.STORED_BYTES", 1)


def test_much_becomes_a_batch_of_today_and_what_comes_later_is_counted_on_that_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version = define_words(minimum_reports=3)
    portions_of(2, monkeypatch)
    for seed, count in enumerate((2, 2, 2, 2, 1)):
        arrive(version, count, seed=seed)
        devices.mix()
    batch = Batch.objects.get()
    assert (batch.day, batch.state, batch.accepted) == (days_ago(0), "open", 4)
    assert waiting(version) == 5, "two portions, that make up the minimum, and less than one"
    seal_days(version)
    assert sorted(Batch.objects.values_list("accepted", flat=True)) == [4, 5]
    assert set(version.shards.filter(stream="element").values_list("day", "size")) == {(days_ago(0), 9)}
    assert waiting(version) == 0


def test_records_wait_mixed_while_the_storage_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version(minimum_reports=3)
    portions_of(3, monkeypatch)
    with monkeypatch.context() as broken:
        broken.setattr("reports.pending_files.store", mock.Mock(side_effect=StorageUnavailable("gone")))
        for seed in range(3):
            arrive(version, 3, seed=seed)
            assert devices.mix()
        assert not DeviceRecord.objects.exists()
        assert waiting(version) == 9
    arrive(version, 3, seed=4)
    devices.mix()
    assert Batch.objects.get().accepted == 9
    assert waiting(version) == 3


def test_a_document_that_comes_while_rows_are_mixed_does_not_wait_and_is_mixed_next_time() -> None:
    version = make_version()
    arrive(version, 3)
    seeds = itertools.count(1)
    assert at_each_step_of_mixing(lambda: arrive(version, 1, seed=next(seeds))) > 10
    came = 3 + next(seeds) - 1
    assert waiting(version) == came
    assert DeviceRecord.objects.exists()
    assert devices.mix()
    assert waiting(version) == MixedRecords.objects.get().size == came
    assert not DeviceKey.objects.exists()


def at_each_step_of_mixing(deed: Callable[[], object]) -> int:
    """Mix, and do something on another connection after each statement; returns how many there were."""
    steps: list[str] = []

    def meanwhile(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        steps.append(sql)
        together(1, deed)
        return result

    class Interrupted(psycopg.Cursor[Any]):
        def execute(self, query: Any, *rest: Any, **options: Any) -> Any:
            result = super().execute(query, *rest, **options)
            if connection.connection is self.connection and not steps[-1:] == [query]:
                steps.append(query)
                together(1, deed)
            return result

    with pytest.MonkeyPatch.context() as patched, connection.execute_wrapper(meanwhile):
        patched.setattr(psycopg, "Cursor", Interrupted)
        devices.mix()
    return len(steps)


@pytest.mark.parametrize("settled", [False, True])
def test_a_document_sent_again_at_any_moment_of_mixing_adds_nothing(
    settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have to wait until the keys are deleted."""
    if settled:
        monkeypatch.setattr(keys, "SETTLED_BLOCKS", 0)
    version = make_version()
    body, key = document_of(segment_of(version, report(version))), devices.Key(uuid.uuid4().hex)
    again: list[threading.Thread] = []

    def send_again() -> None:
        devices.take_in(body, key)
        connection.close()

    def begin_again() -> None:
        again.append(threading.Thread(target=send_again))
        again[-1].start()
        wait_for(lambda: not again[-1].is_alive() or someone_waits())

    devices.take_in(body, key)
    arrive(version, 2)
    for _ in range(2):
        assert at_each_step_of_mixing(begin_again) >= 5
        for thread in again:
            thread.join(timeout=20)
            assert not thread.is_alive()
        arrive(version, 1, seed=len(again))
    assert waiting(version) == 5
    devices.mix()
    assert MixedKeys.objects.filter(settled=True).exists() is settled
    assert len(digests_in_blocks()) == 5


def mix_elsewhere() -> None:
    devices.mix()
    connection.close()


def test_keys_stay_until_documents_are_through_that_were_on_their_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a one may be a second with its key, and sees no block that was written since it began."""
    version = make_version()
    arrive(version, 3)
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
        other.execute("INSERT INTO reports_devicekey (key_hmac, day) VALUES (sha256('other'), now())")
        with monkeypatch.context() as patched:
            patched.setattr(keys, "PATIENCE_SECONDS", 0.0)
            assert devices.mix()
        assert DeviceKey.objects.count() == 3
        mixing = threading.Thread(target=mix_elsewhere)
        mixing.start()
        wait_for(lambda: len(MixedKeys.objects.get().digests) == 3 * 8)
        assert DeviceKey.objects.count() == 3
        other.commit()
        mixing.join(timeout=20)
    assert not DeviceKey.objects.exists()
    assert len(MixedKeys.objects.get().digests) == 4 * 8


def test_keys_are_found_in_blocks_of_any_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "BLOCK", 4)
    monkeypatch.setattr(keys, "SETTLED_BLOCKS", 3)
    version = make_version()
    documents = [
        (document_of(segment_of(version, report(version, seed))), devices.Key(uuid.uuid4().hex)) for seed in range(40)
    ]
    ages: set[bool] = set()
    for number, (body, key) in enumerate(documents):
        read_definitions.cache_clear()
        devices.take_in(body, key)
        if number % 3 == 0:
            devices.mix()
            ages |= set(MixedKeys.objects.values_list("settled", flat=True))
    assert ages == {False, True}
    for body, key in documents:
        devices.take_in(body, key)
    assert waiting(version) == 40
    devices.mix()
    assert digests_in_blocks() == {key.digest()[:8] for _body, key in documents}


def digests_in_blocks() -> set[bytes]:
    digests = b"".join(MixedKeys.objects.values_list("digests", flat=True))
    return {digests[at : at + 8] for at in range(0, len(digests), 8)}


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
    assert not places(*RECORDS)
    arrive(version, 1, seed=1)
    # Their places are free again, and are not while a row is but dead.
    assert next(ctid for _key, _xmin, ctid in places(*RECORDS)) == "(0,1)"


def test_failure_with_one_version_leaves_no_other_unmixed(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, words = several_documents()
    real = portions.mix_records

    def fail(version: Version) -> None:
        if version == broken:
            raise ValueError("broken")
        real(version)

    forget = mock.Mock()
    monkeypatch.setattr(devices, "forget_the_unmixed", forget)
    monkeypatch.setattr(mixing, "mix_records", fail)
    of_none = DeviceRecord.objects.create(version_id=0, locale="en_US", stream="element", day=days_ago(0), record=b"")
    with pytest.raises(ValueError, match="broken"):
        tasks.mix_device_records()
    assert not DeviceRecord.objects.filter(pk=of_none.pk).exists()
    assert set(DeviceRecord.objects.values_list("version", flat=True)) == {broken.pk}
    assert MixedRecords.objects.filter(version=words).exists()
    assert not DeviceKey.objects.exists()
    forget.assert_called_once_with()


def test_sealed_records_are_a_sorted_multiset_whatever_order_they_came_in() -> None:
    """A shard has neither the halves of a report together nor the order of arrival, and no row is left."""
    shards: list[dict[str, bytes]] = []
    for seeds in (range(10), reversed(range(10))):
        words = define_words(minimum_reports=10, slug=f"words-{len(shards)}")
        for seed in seeds:
            send(segment_of(words, report(words, seed, element="able")))
        seal_days(words)
        assert waiting() == 0
        assert {shard.batch for shard in words.shards.all()} == {None}
        shards.append({shard.stream: open_array(shard.file_name).tobytes() for shard in words.shards.all()})
        assert shards[-1]["element"] == stored_records(words)
    assert shards[0] == shards[1]
    assert len(shards[0]) == 3
