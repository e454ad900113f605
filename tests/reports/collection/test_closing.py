"""The life of a day: open, sealed; and the batches of open days, which can be taken out again."""

import datetime
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from pytest_django import DjangoCaptureOnCommitCallbacks

from reports import pending_files, storage
from reports.collection import NotWithdrawable, closing, in_shards, merging, tasks, withdraw
from reports.collection.closing import seal_days, seal_finished_days
from reports.collection.ingest import store
from reports.models import Batch, PendingFile, Sealing, Shard, Version
from reports.models.uploads import utc_today
from tests.reports.factories import (
    apply,
    batch_of,
    definition,
    left_in_spool,
    make_version,
    of_records,
    record_lines,
    send,
    sizes_by,
    stored_files,
)
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact]


@pytest.fixture(autouse=True)
def _unscreened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records here are written by hand, which no honest devices do."""
    monkeypatch.setattr(store, "suspicions", lambda _shards, _content: [])


# --- Which days ---


def test_days_that_are_kept_and_today_unless_one_is_given(version: Version) -> None:
    for day in (days_ago(89), days_ago(1), None):
        batch = batch_of(send(of_records(record_lines(3)), day=day))
        assert batch.day == batch.shards.get().day == (day or utc_today())


# --- Sealing ---


@pytest.mark.django_db(transaction=True)
def test_sealing_merges_the_batches_and_forgets_them() -> None:
    version = make_version()
    for number in range(3):
        send(of_records(record_lines(50, number)) + of_records(record_lines(10, number), locale="fr_FR"))
    before = set(stored_files())
    seal_days(version)
    assert sorted(Shard.objects.filter(batch=None).values_list("locale", "size")) == [("en_US", 150), ("fr_FR", 30)]
    assert Shard.objects.count() == 2
    assert set(Batch.objects.values_list("state", flat=True)) == {"sealed"}
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))
    assert not before & set(stored_files())
    assert not PendingFile.objects.exists()
    assert not left_in_spool()


def test_sealing_within_a_window(version: Version) -> None:
    for number in (1, 2, 3):
        send(of_records(record_lines(5)), day=days_ago(number))
    seal_days(version, first=days_ago(2), last=days_ago(2))
    assert list(Sealing.objects.values_list("day", flat=True)) == [days_ago(2)]
    assert sorted(Shard.objects.filter(batch=None).values_list("day", flat=True)) == [days_ago(2)]


def test_days_that_are_over_seal_by_themselves(version: Version) -> None:
    other = make_version(slug="other")
    send(of_records(record_lines(5)), day=utc_today())
    send(of_records(record_lines(5)), day=days_ago(1))
    send(of_records(record_lines(5), use_case="other"), day=days_ago(7))
    seal_finished_days()
    assert sorted(Sealing.objects.values_list("version", "day")) == sorted(
        [(version.pk, days_ago(1)), (other.pk, days_ago(7))]
    )
    assert list(Shard.objects.filter(batch__isnull=False).values_list("day", flat=True)) == [utc_today()]


def test_all_that_goes_wrong_at_midnight_is_logged(
    version: Version, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One is raised, and the other is told nowhere else."""
    monkeypatch.setattr("reports.collection.closing.seal_finished_days", mock.Mock(side_effect=RuntimeError("one")))
    monkeypatch.setattr(
        "reports.collection.ingest.idempotency_keys.forget_old_keys", mock.Mock(side_effect=RuntimeError("two"))
    )
    Version.objects.filter(pk=version.pk).update(state=Version.State.SUPERSEDED, accepts_until=days_ago(1))
    with pytest.raises(RuntimeError, match="one"):
        tasks.seal_finished_days()
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["one", "two"]
    version.refresh_from_db()
    assert version.state == Version.State.CLOSED


def test_versions_close_when_their_grace_is_over(version: Version) -> None:
    apply(definition(parameters={"epsilon": 2, "k": 64, "m": 64}))
    tasks.seal_finished_days()
    version.refresh_from_db()
    assert version.state == Version.State.SUPERSEDED
    Version.objects.filter(pk=version.pk).update(accepts_until=days_ago(1))
    tasks.seal_finished_days()
    version.refresh_from_db()
    assert version.state == Version.State.CLOSED
    assert Version.objects.filter(state=Version.State.ACTIVE).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("step", "fan_in"),
    [
        ((pending_files, "store"), 9),
        ((merging, "_swap"), 9),
        ((merging, "delete_after_commit"), 9),
        ((pending_files, "store"), 2),
        ((merging, "delete_after_commit"), 2),
    ],
)
def test_sealing_that_is_interrupted_is_finished_by_the_next(
    step: tuple[Any, str], fan_in: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = make_version()
    monkeypatch.setattr(merging, "FAN_IN", fan_in)
    for number in range(3):
        send(of_records(record_lines(20, number)) + of_records(record_lines(20, number), locale="fr_FR"))
    before, rows = stored_files(), list(Shard.objects.order_by("pk").values())
    with monkeypatch.context() as patched:
        patched.setattr(*step, mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            seal_days(version)
    # Nothing is lost, nothing new lies about, and the sealing takes in nothing more.
    sealing = Sealing.objects.get()
    sealed = [{**row, "sealing_id": sealing.pk} for row in rows]
    assert (stored_files(), list(Shard.objects.order_by("pk").values())) == (before, sealed)
    assert not PendingFile.objects.exists()
    send(of_records(record_lines(1)))
    seal_days(version, last=utc_today())
    assert list(sealing.shards.order_by("locale").values_list("locale", "size")) == [("en_US", 60), ("fr_FR", 60)]
    assert not sealing.shards.exclude(batch=None).exists()
    assert Shard.objects.exclude(sealing=sealing).get().size == 1
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))


@pytest.mark.django_db(transaction=True)
def test_sealing_interrupted_between_two_locales(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version()
    send(of_records(record_lines(20)) + of_records(record_lines(30), locale="fr_FR"))
    real = merging._split_off
    done: list[str] = []

    def once(sealing: Sealing, locales: list[str]) -> None:
        if done:
            raise OSError("disk full")
        done.extend(locales)
        real(sealing, locales)

    monkeypatch.setattr(merging, "SPLIT_BYTES", 1)
    with mock.patch.object(merging, "_split_off", once), pytest.raises(OSError, match="disk full"):
        seal_days(version)
    assert done == ["en_US"]
    assert sizes_by("locale") == [("en_US", 20), ("fr_FR", 30)]
    assert Shard.objects.closed().get().locale == "en_US"
    seal_days(version)
    assert sorted(Shard.objects.filter(batch=None).values_list("locale", "size")) == [("en_US", 20), ("fr_FR", 30)]
    assert Shard.objects.count() == 2
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_deleted_after_sealing_is_swept_later() -> None:
    """The sealed shard is committed by then, and must stay whatever happens to the files it replaces."""
    version = make_version()
    for number in range(2):
        send(of_records(record_lines(10, number)))
    old = stored_files()
    with mock.patch("django.core.files.storage.FileSystemStorage.delete", side_effect=PermissionError("read-only")):
        seal_days(version)
    sealed = Shard.objects.get()
    assert sealed.batch is None
    assert len(storage.open_array(sealed.file_name)) == 20
    assert set(PendingFile.objects.values_list("file_name", flat=True)) == set(old)
    PendingFile.objects.update(created_on=days_ago(2))
    pending_files.sweep_files()
    assert set(stored_files()) == {sealed.file_name}


# --- Sealing of many uploads, in parts ---


def test_sealing_in_parts_that_is_interrupted_again_and_again(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each statement in turn; meanwhile the day is closed, and what is not in the sealing yet can be taken out."""
    monkeypatch.setattr(closing, "SEALED_TOGETHER", 2)
    monkeypatch.setattr(closing, "merge_files", lambda _sealing: None)
    for number in range(9):
        send(of_records(record_lines(5, number)), day=days_ago(1))
    seen = []
    for most in itertools.count():
        statements = iter(range(most))
        with suppress(InterruptedError), connection.execute_wrapper(partial(execute_while, statements)):
            seal_days(version, last=days_ago(1))
            break
        put = Shard.objects.exclude(sealing=None)
        assert set(Batch.objects.filter(state="sealed")) == {shard.batch for shard in put}
        seen.append((Sealing.objects.filter(is_complete=False).count(), put.count()))
        if seen[-1] == (1, 4) and seen.count((1, 4)) == 1:
            withdraw(Batch.objects.filter(state="open", day=days_ago(1))[0])
            send(of_records(record_lines(5, 10)), day=days_ago(1))
            (holding,) = in_shards(Shard.objects.filter(day=days_ago(1)), {version.pk: version})
            assert (holding.reports, holding.is_sealed) == (40, False)
    assert list(dict.fromkeys(seen)) == [(0, 0), (1, 0), (1, 2), (1, 4), (1, 6)]
    sealing = Sealing.objects.get()
    assert sealing.is_complete
    assert (sealing.shards.count(), Shard.objects.get(sealing=None).day) == (8, utc_today())
    # A day that is not over takes in more, and is sealed at once.
    for number in (11, 12):
        send(of_records(record_lines(5, number)))
    monkeypatch.setattr(closing, "_put_some_into", mock.Mock(side_effect=AssertionError))
    seal_days(version)
    assert not Shard.objects.filter(sealing=None).exists()


def test_parts_do_not_tell_which_uploads_came_first(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a random order the first eight of sixteen are those that came first, or last, by a chance of 1 in 6,435."""
    monkeypatch.setattr(closing, "SEALED_TOGETHER", 8)
    monkeypatch.setattr(closing, "MOST_PARTS", 1)
    for number in range(16):
        send(of_records(record_lines(5, number)), day=days_ago(1))
    came = list(Batch.objects.order_by("pk"))
    begun = closing._begin_or_complete(version, days_ago(1))
    assert begun is not None
    sealing, _most = begun
    closing._put_some_into(sealing, 8)
    assert {shard.batch for shard in sealing.shards.all()} not in (set(came[:8]), set(came[8:]))


def test_a_sealing_that_is_begun_is_completed_though_all_is_withdrawn(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "SEALED_TOGETHER", 1)
    for number in range(2):
        send(of_records(record_lines(5, number)), day=days_ago(1))
    closing._begin_or_complete(version, days_ago(1))
    for batch in Batch.objects.all():
        withdraw(batch)
    seal_days(version, last=days_ago(1))
    assert Sealing.objects.get().is_complete


def execute_while(left: Iterator[int], execute: Callable[..., Any], *statement: Any) -> Any:
    if next(left, None) is None:
        raise InterruptedError
    return execute(*statement)


# --- Late reports ---


def test_what_arrives_after_today_was_sealed_early_is_sealed_by_another(version: Version) -> None:
    for size in (5, 6):
        send(of_records(record_lines(size)))
        seal_days(version)
    send(of_records(record_lines(7)))
    assert sorted(Shard.objects.values_list("day", "size")) == [(utc_today(), 5), (utc_today(), 6), (utc_today(), 7)]
    assert [sealing.shards.get().size for sealing in Sealing.objects.filter(day=utc_today())] == [5, 6]
    withdraw(Batch.objects.get(state="open"))
    assert Shard.objects.count() == 2


# --- Withdrawing ---


def test_withdrawing_takes_reports_and_files_out(
    version: Version, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    kept = send(of_records(record_lines(5)))
    (file,) = stored_files()
    gone = send(of_records(record_lines(7)) + of_records(record_lines(7), locale="fr_FR"))
    with django_capture_on_commit_callbacks(execute=True):
        withdraw(batch_of(gone))
    assert set(stored_files()) == {file}
    assert list(Shard.objects.values_list("batch", flat=True)) == [kept.batch]
    batch = batch_of(gone)
    assert (batch.state, batch.accepted) == ("withdrawn", 14)
    assert not PendingFile.objects.exists()
    seal_days(version)
    assert Shard.objects.get().size == 5


def sealed(version: Version) -> None:
    seal_days(version)


def marked_sealed(version: Version) -> None:
    closing._close(version, utc_today())


def withdrawn(version: Version) -> None:
    withdraw(Batch.objects.get())


@pytest.mark.parametrize("happened", [sealed, marked_sealed, withdrawn])
def test_a_sealed_or_withdrawn_batch_cannot_be_withdrawn(version: Version, happened: Any) -> None:
    send(of_records(record_lines(5)))
    happened(version)
    before, files = list(Shard.objects.values()), stored_files()
    with pytest.raises(NotWithdrawable):
        withdraw(Batch.objects.get())
    assert list(Shard.objects.values()) == before
    assert stored_files() == files


# --- Midnight ---


@pytest.mark.django_db(transaction=True)
def test_an_upload_that_lasts_until_its_day_is_sealed_joins_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version()
    send(of_records(record_lines(5)), day=days_ago(1))
    seal_days(version)
    # It began yesterday, when the day was today.
    monkeypatch.setattr("reports.collection.ingest.receive.utc_today", lambda: days_ago(1))
    send(of_records(record_lines(7)))
    shards = Shard.objects.order_by("day")
    assert [(shard.day, shard.size) for shard in shards] == [(days_ago(1), 5), (utc_today(), 7)]
    # The time of a file, which was stored before the day was known, tells no more than its row.
    times = [
        datetime.datetime.fromtimestamp(storage.local_path(s.file_name).stat().st_mtime, datetime.UTC) for s in shards
    ]
    assert times == [datetime.datetime.combine(s.day, datetime.time(), datetime.UTC) for s in shards]
