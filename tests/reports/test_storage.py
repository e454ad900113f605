"""Files appear whole, owned and dated, or not at all."""

import datetime
import errno
import os
import stat
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from django.conf import settings as django_settings
from django.core.files.move import file_move_safe
from django.db import OperationalError, transaction

from aggregation.encoding import sort_records
from reports import pending_files, storage
from reports.collection.ingest import UploadRefused, store
from reports.models import Batch, PendingFile, Shard
from reports.models.uploads import utc_today
from reports.record_files import Records, Sorted, open_divisions, write_records
from tests.reports.buckets import Bucket, BucketError
from tests.reports.factories import (
    OTHER,
    SEED,
    assert_nothing_left,
    document,
    left_in_spool,
    make_version,
    ndjson,
    of_other,
    of_records,
    record_lines,
    send,
    shard_folder,
    stored_files,
)

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

NUMBERS = np.arange(1000, dtype="<i8")
DAY = datetime.date(2026, 3, 31)


def write(name: str, values: Any = NUMBERS) -> None:
    with storage.spool_folder() as folder:
        path = folder / "array.npy"
        storage.write_array(path, values.dtype, len(values), [values[:300], values[300:]])
        storage.store(path, name, DAY)


def test_what_is_stored_is_read_again() -> None:
    write("a/b.npy")
    found = storage.open_array("a/b.npy")
    assert np.array_equal(found, NUMBERS)
    assert isinstance(found, np.memmap)
    assert not found.flags.writeable


def test_its_time_is_the_day() -> None:
    write("a.npy")
    midnight = datetime.datetime(2026, 3, 31, tzinfo=datetime.UTC).timestamp()
    assert (shard_folder() / "a.npy").stat().st_mtime == midnight


def test_nobody_else_may_read_it() -> None:
    write("a/b.npy")
    assert stat.S_IMODE((shard_folder() / "a/b.npy").stat().st_mode) == 0o600
    assert stat.S_IMODE((shard_folder() / "a").stat().st_mode) == 0o700


def test_a_file_is_never_replaced() -> None:
    write("a.npy")
    with pytest.raises(FileExistsError):
        write("a.npy", NUMBERS[::-1].copy())
    assert np.array_equal(storage.open_array("a.npy"), NUMBERS)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to tell which file is synced")
def test_it_is_safe_on_the_disk_before_it_appears(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    fsync = os.fsync

    def synced(descriptor: int) -> None:
        events.append(f"fsync {Path(os.readlink(f'/proc/self/fd/{descriptor}')).name}")
        fsync(descriptor)

    def moved(*arguments: Any, **options: Any) -> None:
        events.append("move")
        file_move_safe(*arguments, **options)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr("django.core.files.storage.filesystem.file_move_safe", moved)
    write("a/b.npy")
    assert events[:2] == ["fsync array.npy", "move"]
    # The folders were new, up to that of the test.
    assert events[2:] == ["fsync b.npy", "fsync a", "fsync shards", f"fsync {shard_folder().parent.name}"]
    events.clear()
    write("a/c.npy")
    assert events == ["fsync array.npy", "move", "fsync c.npy", "fsync a"]


def test_from_another_file_system_it_is_copied_with_time_and_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    def other_device(source: str, target: str) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr("django.core.files.move.os.rename", other_device)
    write("a/b.npy")
    monkeypatch.undo()
    saved = (shard_folder() / "a/b.npy").stat()
    assert saved.st_mtime == datetime.datetime(2026, 3, 31, tzinfo=datetime.UTC).timestamp()
    assert stat.S_IMODE(saved.st_mode) == 0o600
    assert np.array_equal(storage.open_array("a/b.npy"), NUMBERS)


def test_names_are_random() -> None:
    names = {storage.new_name("open") for _ in range(100)}
    assert len(names) == 100
    assert all(name.startswith("open/") and name.endswith(".npy") for name in names)


def test_the_spool_is_private_and_empty_afterwards() -> None:
    def use() -> None:
        with storage.spool_folder() as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            (folder / "x").touch()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        use()
    assert not left_in_spool()
    assert stat.S_IMODE(Path(django_settings.LDPSITE_SPOOL_DIR).stat().st_mode) == 0o700


# --- Between the file and its row ---


def pending() -> list[str]:
    return sorted(PendingFile.objects.values_list("file_name", flat=True))


def age(days: int) -> None:
    PendingFile.objects.update(created_on=utc_today() - datetime.timedelta(days=days))


def test_a_crash_between_file_and_row_is_swept_up() -> None:
    make_version()
    send(of_records(record_lines(5)))
    kept = set(stored_files())

    # As if the process had died here: nothing more is done, not even tidying up.
    with (
        mock.patch.object(pending_files, "delete_uncommitted"),
        mock.patch.object(store, "execute_together", side_effect=SystemExit),
        pytest.raises(SystemExit),
    ):
        send(of_records(record_lines(7)))
    lost = set(stored_files()) - kept
    assert len(lost) == 1
    assert pending() == sorted(lost)
    assert Batch.objects.count() == Shard.objects.count() == 1

    assert pending_files.sweep_files() == 0  # it may still be under way
    age(1)
    assert pending_files.sweep_files() == 0
    age(2)
    assert pending_files.sweep_files() == 1
    assert set(stored_files()) == kept
    assert pending() == []
    assert len(storage.open_array(Shard.objects.get().file_name)) == 5


@pytest.mark.parametrize("step", [(store, "execute_together"), (store, "collection_days")])
@pytest.mark.parametrize("error", [OSError("disk full"), OperationalError("gone"), KeyboardInterrupt()])
def test_an_upload_that_fails_while_it_is_stored_leaves_nothing(step: tuple[Any, str], error: BaseException) -> None:
    make_version()
    with mock.patch.object(*step, side_effect=error), pytest.raises(type(error)):
        send(of_records(record_lines(5)) + of_records(record_lines(5), locale="fr_FR"))
    assert_nothing_left()


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), UploadRefused),
        (OperationalError("gone"), UploadRefused),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_second_file_that_fails_takes_the_first_with_it(
    error: BaseException, raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is one for each use case."""
    make_version()
    make_version(slug="other", parameters=OTHER)
    real, calls = storage.PrivateFolderStorage._save, 0

    def fail_late(*arguments: Any) -> str:
        nonlocal calls
        calls += 1
        saved = real(*arguments)
        if calls == 2:
            raise error
        return saved

    monkeypatch.setattr(storage.PrivateFolderStorage, "_save", fail_late)
    with pytest.raises(raised):
        send(of_records(record_lines(5)) + ndjson(document(of_other(5))))
    assert calls == 2
    assert_nothing_left()


def test_a_commit_that_only_seems_to_fail_keeps_its_files() -> None:
    """The connection breaks when the database has committed but not yet said so."""
    make_version()
    real = store.commit_batch

    def commit_and_break(*arguments: Any, **options: Any) -> Batch:
        real(*arguments, **options)
        raise OperationalError("server closed the connection unexpectedly")

    with mock.patch.object(store, "commit_batch", commit_and_break), pytest.raises(OperationalError):
        send(of_records(record_lines(5)))
    shard = Shard.objects.get()
    assert len(storage.open_array(shard.file_name)) == 5
    assert pending() == []


def test_files_are_deleted_only_once_their_rows_are_gone() -> None:
    write("a.npy")
    with transaction.atomic():
        pending_files.delete_after_commit(["a.npy"])
        transaction.set_rollback(True)
    assert set(stored_files()) == {"a.npy"}
    assert pending() == []
    with transaction.atomic():
        pending_files.delete_after_commit(["a.npy"])
        assert set(stored_files()) == {"a.npy"}
    assert not stored_files()
    assert pending() == []


def test_work_of_dead_processes_is_removed_from_the_spool() -> None:
    spool = Path(django_settings.LDPSITE_SPOOL_DIR)
    with storage.spool_folder() as living:
        dead = spool / (living.name + "dead")
        dead.mkdir()
        (dead / "1.npy").touch()
        (spool / "cache").mkdir()
        old = time.time() - 3 * 24 * 3600
        os.utime(dead, (old, old))
        os.utime(spool / "cache", (old, old))
        pending_files.sweep_files()
        assert sorted(path.name for path in spool.iterdir()) == sorted(["cache", living.name])


# --- A storage without paths, such as a bucket ---


def test_from_a_bucket_a_file_is_fetched_once(bucket: Bucket) -> None:
    write("a/b.npy")
    assert bucket.exists("a/b.npy")
    for _ in range(3):
        assert np.array_equal(storage.open_array("a/b.npy"), NUMBERS)
    assert bucket.fetched == 1


def test_what_is_deleted_from_a_bucket_leaves_the_cache_too(bucket: Bucket) -> None:
    write("a/b.npy")
    storage.open_array("a/b.npy")
    assert len([name for name in left_in_spool() if name.endswith(".npy")]) == 1
    with transaction.atomic():
        pending_files.delete_after_commit(["a/b.npy"])
    assert not bucket.exists("a/b.npy")
    assert not [name for name in left_in_spool() if name.endswith(".npy")]


def test_a_copy_that_another_process_renames_meanwhile_does_not_stop_pruning(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between listing the folder and looking at a file, the file has got its name, or is pruned by another process."""
    write("a/b.npy")
    cache = Path(django_settings.LDPSITE_SPOOL_DIR) / "cache"
    cache.mkdir()
    old = cache / "old.npy"
    old.touch()
    os.utime(old, (0, 0))
    iterdir = Path.iterdir

    def listed(folder: Path) -> list[Path]:
        return [folder / "tmp-renamed", *iterdir(folder)]

    monkeypatch.setattr(Path, "iterdir", listed)
    assert np.array_equal(storage.open_array("a/b.npy"), NUMBERS)
    assert not old.exists()


def test_a_copy_pruned_by_another_process_before_it_is_opened_is_fetched_again(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a/b.npy")
    real, pruned = np.load, False

    def load(path: Path, **options: Any) -> Any:
        nonlocal pruned
        if not pruned:
            pruned = True
            path.unlink()
        return real(path, **options)

    monkeypatch.setattr(np, "load", load)
    assert np.array_equal(storage.open_array("a/b.npy"), NUMBERS)
    assert bucket.fetched == 2


def test_whatever_a_bucket_raises_it_is_unavailable_and_nothing_is_left_of_the_copy(bucket: Bucket) -> None:
    write("a/b.npy")
    bucket.is_away = True
    with pytest.raises(storage.StorageUnavailable, match=r"^ServiceUnavailable$") as caught:
        storage.open_array("a/b.npy")
    assert isinstance(caught.value.__cause__, BucketError)
    assert left_in_spool() == ["cache"]
    with pytest.raises(storage.StorageUnavailable):
        write("c.npy")
    bucket.is_away = False
    with pytest.raises(FileNotFoundError):
        storage.open_array("c.npy")


@pytest.mark.parametrize("rows", ["even", "of one row"])
@pytest.mark.parametrize("algorithm", ["CountMeanSketch", "HadamardCountMeanSketch", "LocalHashing"])
def test_of_a_file_in_a_bucket_only_the_rows_of_a_part_are_fetched(bucket: Bucket, algorithm: str, rows: str) -> None:
    buckets = {"g": 8} if algorithm == "LocalHashing" else {"m": 64}
    version = make_version(algorithm=algorithm, parameters={"epsilon": 4, "k": 64, "seed": SEED} | buckets)
    mechanism, rng = version.mechanism, np.random.default_rng(0)
    (records,) = mechanism.privatize_fleet(["a", "b"], rng.integers(0, 2, 20_000), rng).values()
    records = sort_records(records)
    points, whole = mechanism.points(["a", "b", "c"]), np.asarray(records)
    if rows == "of one row":
        records = np.repeat(records[5000:5001], 20_000)
        whole = records
    with storage.spool_folder() as folder:
        file = write_records(
            folder / "x.npy", version, [Records("und", "element", Sorted(records.dtype, len(records), [records]))]
        )
        storage.store(file.path, "a.npy", DAY)
    shard = Shard(**file.columns(), file_name="a.npy")
    for start, stop in ((0, 64), (0, 3), (17, 30), (60, 64)):
        found = open_divisions(shard, mechanism, start, stop)
        expected = mechanism.read_out([whole], points, start, stop)
        assert np.array_equal(mechanism.read_out([found], points, start, stop), expected)
        assert rows != "even" or len(found) <= len(records) * (stop - start) / 64 + 2 * (17 + 4 * 142)
    assert not left_in_spool()
    bucket.files["a.npy"] = bucket.files["a.npy"][:-1]
    with pytest.raises(ValueError, match=r"shorter|greater"):
        open_divisions(shard, mechanism, 60, 64)
    with pytest.raises(FileNotFoundError):
        open_divisions(Shard(**file.columns(), file_name="b.npy"), mechanism, 0, 3)


class Proxied(Bucket):
    """A bucket with Amazon's client, behind a proxy that answers the whole file, as to a range if told so."""

    def __init__(self, content_range: str | None) -> None:
        super().__init__()
        self.bucket = mock.Mock()
        self.bucket.Object = lambda name: mock.Mock(get=lambda **_wanted: self._whole(name))
        self._content_range = content_range

    def _normalize_name(self, name: str) -> str:
        return name

    def _whole(self, name: str) -> dict[str, Any]:
        body = mock.Mock(iter_chunks=lambda _size: [self.files[name]])
        return {"Body": body} | ({"ContentRange": self._content_range} if self._content_range else {})


@pytest.mark.parametrize("content_range", [None, "bytes 0-8127/8128", "bytes 136-151/8128"])
def test_whole_file_in_the_place_of_a_range_is_refused(
    content_range: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied = Proxied(content_range)
    monkeypatch.setattr(storage, "shard_storage", lambda: proxied)
    write("a.npy")
    with pytest.raises(storage.StorageUnavailable, match="asked for"):
        storage.open_bytes([storage.ByteRange("a.npy", NUMBERS.dtype, 1000, 8, 24)])
    assert not left_in_spool()


def test_file_whose_header_has_another_length_is_refused_from_its_beginning(bucket: Bucket) -> None:
    write("a.npy")
    (found,) = storage.open_bytes([storage.ByteRange("a.npy", NUMBERS.dtype, 1000, 0, 800)])
    assert np.array_equal(found.view(NUMBERS.dtype), NUMBERS[:100])
    # As in all files that there are: a NumPy that writes longer ones would look for their records in the wrong place.
    assert len(bucket.files["a.npy"]) == 128 + NUMBERS.nbytes
    of_another_numpy = len(bucket.files["a.npy"]) - NUMBERS.nbytes - 10 + 64
    header = bucket.files["a.npy"][10:].split(b"\n")[0].ljust(of_another_numpy - 1) + b"\n"
    content = bucket.files["a.npy"][:8] + len(header).to_bytes(2, "little") + header + NUMBERS.tobytes()
    bucket.files["a.npy"] = content
    with pytest.raises(ValueError, match="another length"):
        storage.open_bytes([storage.ByteRange("a.npy", NUMBERS.dtype, 1000, 0, 800)])


def test_file_that_a_bucket_may_take_after_it_was_given_up_stays_reserved(bucket: Bucket) -> None:
    with pytest.raises(storage.StorageUnavailable), pending_files.reserved(["a.npy"]):
        raise storage.StorageUnavailable("TimeoutError")
    assert pending() == ["a.npy"]


def test_what_cannot_be_discarded_while_a_bucket_is_away_is_swept_later(bucket: Bucket) -> None:
    pending_files.reserve(["a.npy"])
    write("a.npy")
    bucket.is_away = True
    pending_files.delete_uncommitted(["a.npy"])
    assert pending() == ["a.npy"]
    bucket.is_away = False
    age(2)
    assert pending_files.sweep_files() == 1
    assert not bucket.files
    assert pending() == []
