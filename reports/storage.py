"""Files of numbers: shards, read-outs, results of parts, as NumPy arrays in the storage called `shards`.

A file is written to the spool, given the day as its time, and moved into the storage under a random name, which
`reports.pending_files` has reserved.
"""

import datetime
import errno
import os
import tempfile
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from numpy.typing import NDArray

Array = NDArray[Any]

CACHED_SECONDS = 24 * 3600
SPOOL_PREFIX = "work-"
# For a remote storage: bytes held of a file that is fetched, and requests that wait side by side.
CHUNK_BYTES = 1 << 20
REQUESTS_AT_ONCE = 8
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
# Seconds after which to come again, for senders and readers who need a storage that does not answer.
RETRY_SECONDS = 60


class StorageUnavailable(Exception):
    """The storage did not answer, or refused; the message names the error, without addresses and names of files."""


@contextmanager
def storage_errors() -> Iterator[None]:
    """Turn what a storage raises into `StorageUnavailable`: each has its own classes. A missing file stays one."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        raise StorageUnavailable(error_name(error)) from error


def error_name(error: Exception) -> str:
    """Return the system's words for an error, the code that a bucket answered with, or else the kind of error."""
    if isinstance(error, StorageUnavailable):
        return str(error)
    answer = getattr(error, "response", None)
    code = answer.get("Error", {}).get("Code") if isinstance(answer, dict) else None
    return str(getattr(error, "strerror", None) or code or type(error).__name__)


class PrivateFolderStorage(FileSystemStorage):
    """A folder that only its owner reads, and in which what was saved survives a power cut."""

    def __init__(self, location: str | Path) -> None:
        super().__init__(location=location, file_permissions_mode=0o600, directory_permissions_mode=0o700)

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        there = next(folder for folder in Path(self.path(name)).parents if folder.exists())
        saved: str = super()._save(name, content)  # type: ignore[misc]
        path = Path(self.path(saved))
        # The file, which is a copy if the spool is on another file system; its folder; and those above that are new.
        for place in (path, *path.parents):
            _sync(place)
            if place == there:
                break
        return saved


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def shard_storage() -> Storage:
    return storages["shards"]


@contextmanager
def spool_folder() -> Iterator[Path]:
    """Create a private folder for work in progress, removed afterwards even on errors.

    Raises `StorageUnavailable` when its disk is full, or cannot be written.
    """
    with _spool() as spool, tempfile.TemporaryDirectory(prefix=SPOOL_PREFIX, dir=spool) as folder:
        yield Path(folder)


@contextmanager
def _spool() -> Iterator[Path]:
    spool = Path(settings.LDPSITE_SPOOL_DIR)
    try:
        spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield spool
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise StorageUnavailable(error_name(error)) from error


def write_array(path: Path, dtype: np.dtype[Any], size: int, chunks: Iterable[Array]) -> None:
    """Write one-dimensional `chunks` of together `size` items as one `.npy` file, without holding them all."""
    with path.open("wb") as file:
        _write_header(file, dtype, size)
        for chunk in chunks:
            file.write(np.ascontiguousarray(chunk).data.cast("B"))


def _write_header(file: IO[bytes], dtype: np.dtype[Any], size: int) -> None:
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (size,)}
    np.lib.format.write_array_header_1_0(file, header)


class _SpooledFile(File):  # type: ignore[type-arg]
    """A file that Django's storage may move instead of copying."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def new_name(kind: str) -> str:
    """Return a random name: neither order, sender nor use case can be read from it."""
    random = uuid.uuid4().hex
    return f"{kind}/{random[:2]}/{random}.npy"


def store(path: Path, name: str, day: datetime.date) -> None:
    """Move a spooled file into the storage. Its time is the day it belongs to, never the time of arrival."""
    _date(path, day)
    with path.open("rb") as file:
        os.fsync(file.fileno())
        with storage_errors():
            saved = shard_storage().save(name, _SpooledFile(file, name=str(path)))
    if saved != name:  # a storage renames only what exists already, and the name is 122 random bits
        raise FileExistsError(name)


def redate(name: str, day: datetime.date) -> None:
    """Let a stored file belong to another day. (A bucket keeps times of its own.)"""
    storage = shard_storage()
    if not is_remote(storage):
        _date(Path(storage.path(name)), day)


def _date(path: Path, day: datetime.date) -> None:
    midnight = datetime.datetime.combine(day, datetime.time(), datetime.UTC).timestamp()
    os.utime(path, (midnight, midnight))


def store_array(array: Array, name: str, day: datetime.date) -> None:
    """Store an array, whose items follow each other in the order of its rows, as the file of a day."""
    with spool_folder() as folder:
        path = folder / "array.npy"
        write_array(path, array.dtype, array.size, [array.reshape(-1)])
        store(path, name, day)


def local_path(name: str) -> Path:
    """Return a path at which a stored file can be read, copied to a local cache if the storage is remote."""
    storage = shard_storage()
    if not is_remote(storage):
        return Path(storage.path(name))
    path = _cached(name)
    if not path.exists():
        _copy_to_cache(storage, name, path)
    return path


def _cached(name: str) -> Path:
    """Return where the copy of a file of a remote storage lies, if there is one."""
    return Path(settings.LDPSITE_SPOOL_DIR) / "cache" / name.replace("/", "-")


def open_array(name: str) -> Array:
    """Return the array in a stored file, mapped read-only."""
    try:
        return _mapped(local_path(name))
    except FileNotFoundError:
        # Another process may have pruned the copy since it was found; a file that is gone is missed again.
        return _mapped(local_path(name))


class ByteRange(NamedTuple):
    """Bytes of the array in a stored file, which was written with this type and number of items."""

    name: str
    dtype: np.dtype[Any]
    items: int
    start: int
    stop: int


def open_bytes(ranges: Sequence[ByteRange], *, mapped: bool = True) -> list[NDArray[np.uint8]]:
    """Return bytes of stored files, mapped read-only or read; of a remote storage only these are fetched.

    Raises `StorageUnavailable`, FileNotFoundError, and ValueError if a file is shorter than that.
    """
    storage = shard_storage()
    if is_remote(storage):
        return list(_pool().map(partial(_fetched, storage, mapped=mapped), ranges))
    return [_read(Path(storage.path(each.name)), each, mapped=mapped) for each in ranges]


def is_remote(storage: Storage) -> bool:
    try:
        storage.path("")
    except NotImplementedError:
        return True
    return False


def _read(path: Path, of: ByteRange, *, mapped: bool) -> NDArray[np.uint8]:
    with path.open("rb") as file:
        return _range(file, start_of_array(file) + of.start, of.stop - of.start, mapped=mapped)


def start_of_array(file: IO[bytes]) -> int:
    """Return at which byte of a file its array begins. Raises ValueError if there is none.

    What its header says is not read, which for a small file takes longer than all else: rows have it.
    """
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("The file has a header of another version.")
    length = int.from_bytes(file.read(2), "little")
    return file.tell() + length


def _range(file: IO[bytes], start: int, size: int, *, mapped: bool) -> NDArray[np.uint8]:
    if mapped and size:
        return np.memmap(file, np.uint8, "r", start, (size,))
    file.seek(start)
    found = np.fromfile(file, np.uint8, size)
    if len(found) < size:
        raise ValueError("The file is shorter than its records.")
    return found


def _fetched(storage: Storage, of: ByteRange, *, mapped: bool) -> NDArray[np.uint8]:
    """Fetch a range into a file without a name, which goes with the array.

    If it is from the array's beginning, the header is fetched along, and must be as long as it is held to be: before a
    file is merged and deleted, its beginning has been read.
    """
    size, header = of.stop - of.start, _header_bytes(of.dtype, of.items)
    begin, skipped = (header + of.start, 0) if of.start else (0, header)
    with _spool() as spool, tempfile.TemporaryFile(dir=spool) as copy:
        if size:
            copy.writelines(_chunks(storage, of.name, begin, begin + skipped + size))
            if copy.tell() > skipped + size:
                raise StorageUnavailable("More came than the range asked for")
            copy.flush()
            if skipped:
                _check_header(copy, skipped)
        return _range(copy, skipped, size, mapped=mapped)


def _check_header(file: IO[bytes], expected: int) -> None:
    file.seek(0)
    if start_of_array(file) != expected:
        raise ValueError("The file has a header of another length.")


@cache
def _header_bytes(dtype: np.dtype[Any], items: int) -> int:
    """Return at which byte of a file the array begins; NumPy pads what is before to a multiple of 64."""
    header = BytesIO()
    _write_header(header, dtype, items)
    return header.tell()


def _chunks(storage: Storage, name: str, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """Yield bytes of a file in a remote storage; of a bucket that answers ranges only these, never all in memory."""
    with storage_errors():
        bucket: Any = getattr(storage, "bucket", None)
        if not hasattr(bucket, "Object"):
            with storage.open(name, "rb") as original:
                original.seek(start)
                while block := original.read(min(CHUNK_BYTES, CHUNK_BYTES if stop is None else stop - start)):
                    yield block
                    start += len(block)
            return
        wanted = {} if stop is None else {"Range": f"bytes={start}-{stop - 1}"}
        try:
            answer = bucket.Object(storage._normalize_name(name)).get(**wanted)  # type: ignore[attr-defined]
        except Exception as error:
            if error_name(error) in {"404", "NoSuchKey"}:
                raise FileNotFoundError(name) from error
            raise
        # A proxy that does not know ranges answers the whole file. Less is seen when it is read.
        if wanted and not str(answer.get("ContentRange", "")).startswith(f"bytes {start}-"):
            raise StorageUnavailable("No range came, though one was asked for")
        yield from answer["Body"].iter_chunks(CHUNK_BYTES)


@cache
def _pool() -> ThreadPoolExecutor:
    """Return threads that wait for a remote storage; each keeps its connections."""
    return ThreadPoolExecutor(REQUESTS_AT_ONCE, "storage")


def delete_files(names: Collection[str]) -> None:
    """Delete stored files, and their copies here. Raises `StorageUnavailable`."""
    storage = shard_storage()
    if is_remote(storage):
        list(_pool().map(partial(_delete_one, storage), names))
        for name in names:
            _cached(name).unlink(missing_ok=True)
    else:
        for name in names:
            _delete_one(storage, name)


def _delete_one(storage: Storage, name: str) -> None:
    with storage_errors():
        storage.delete(name)


def _mapped(path: Path) -> Array:
    array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _copy_to_cache(storage: Storage, name: str, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _prune_cache(path.parent)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as copy:
        try:
            copy.writelines(_chunks(storage, name))
        except BaseException:
            Path(copy.name).unlink()
            raise
    # Two workers may copy the same file: the last rename wins, with the same bytes.
    Path(copy.name).replace(path)


def _prune_cache(folder: Path) -> None:
    """Delete copies that no run needs any more; the storage may have deleted the originals since."""
    horizon = time.time() - CACHED_SECONDS
    for copy in folder.iterdir():
        # Other processes rename copies that they have just completed, and prune as well.
        with suppress(FileNotFoundError):
            if copy.stat().st_mtime < horizon:
                copy.unlink()
