"""Places where files of others lie, or are written for them: a folder, or what begins alike in a bucket.

Files are read by ranges, in memory that does not grow with them, and written whole.
"""

import errno
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from reports.jobs import PermanentFailure
from reports.models import failures
from reports.storage import storage_errors

READ_BYTES = 8 << 20
# By name, what engines put beside their files: markers, checksums, and what is still being written.
_HIDDEN = ("_", ".")


class MissingPackage(PermanentFailure):
    """A package is not installed that a place or a form of file needs. Says which."""

    def __init__(self, name: str) -> None:
        super().__init__(failures.PACKAGE_MISSING % {"name": name})


class Gone(Exception):
    """An object is not there any more, or is another by now."""


class Found(NamedTuple):
    """An object at a place. The tag changes when its content does: a bucket's, or a file's time."""

    name: str
    size: int
    tag: str


class Place(Protocol):
    address: str

    def found(self) -> Iterator[Found]:
        """Yield the objects that are there, by name. Raises `StorageUnavailable`, as all that follows."""

    def read(self, found: Found, start: int, length: int) -> bytes:
        """Return a range of an object. Raises `Gone`."""

    def read_whole(self, name: str) -> bytes | None:
        """Return a small object; None if there is none of that name."""

    def write(self, name: str, content: bytes) -> None: ...

    def delete(self, name: str) -> None: ...


def is_address(text: str) -> bool:
    """Tell whether a text names a place rather than a file: a bucket, or a folder with a slash at its end."""
    return text.startswith("s3://") or (text.endswith("/") and Path(text).is_dir())


def place_at(address: str) -> Place:
    """Return the place at an address: ``s3://bucket/beginning/`` or a folder. Raises `MissingPackage`."""
    return Bucket(address) if address.startswith("s3://") else Folder(address)


def opened(place: Place, found: Found) -> io.BufferedReader:
    """Open an object for reading, here and there in it or from its beginning."""
    return io.BufferedReader(_Ranges(found.size, partial(place.read, found)), READ_BYTES)


class _Ranges(io.RawIOBase):
    """An object as a file. Errors of its place are none of the object's, and so are no `OSError`."""

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        self._size = size
        self._range = read
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        return self._position

    def readinto(self, buffer: Any) -> int:
        length = max(0, min(len(buffer), self._size - self._position))
        content = self._range(self._position, length) if length else b""
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(_HIDDEN) for part in name.split("/"))


class Folder:
    """A folder of this machine, with those in it."""

    def __init__(self, address: str) -> None:
        self._root = Path(address)
        self.address = f"{self._root.resolve()}/"

    def found(self) -> Iterator[Found]:
        with storage_errors():
            if not self._root.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, "There is no such folder")
            for folder, inner, names in os.walk(self._root, onerror=_raise):
                inner.sort()
                for path in (Path(folder, name) for name in sorted(names)):
                    name = path.relative_to(self._root).as_posix()
                    state = _state(path)
                    if state is not None and not _is_hidden(name):
                        yield Found(name, state.st_size, str(state.st_mtime_ns))

    def read(self, found: Found, start: int, length: int) -> bytes:
        try:
            with storage_errors(), (self._root / found.name).open("rb") as file:
                state = os.fstat(file.fileno())
                if (state.st_size, str(state.st_mtime_ns)) == found[1:]:
                    file.seek(start)
                    return file.read(length)
        except FileNotFoundError:
            pass
        raise Gone

    def read_whole(self, name: str) -> bytes | None:
        with storage_errors(), suppress(FileNotFoundError):
            return (self._root / name).read_bytes()
        return None

    def write(self, name: str, content: bytes) -> None:
        path = self._root / name
        with storage_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Never half of it under its name.
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                file.write(content)
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)

    def delete(self, name: str) -> None:
        with storage_errors():
            (self._root / name).unlink(missing_ok=True)


def _raise(error: OSError) -> None:
    raise error


def _state(path: Path) -> os.stat_result | None:
    """Return what is known of a file; None if it is gone since it was listed."""
    with suppress(FileNotFoundError):
        return path.stat()
    return None


@cache
def client() -> Any:
    """Return Amazon's client, which asks the environment where to go and who it is."""
    try:
        import boto3
        from botocore.config import Config
    except ModuleNotFoundError:
        raise MissingPackage("boto3 (requirements-s3.txt)") from None
    return boto3.client("s3", config=Config(connect_timeout=10, read_timeout=60, retries={"mode": "standard"}))


class Bucket:
    """The objects of a bucket whose keys begin alike."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._bucket, _slash, self._prefix = address.removeprefix("s3://").partition("/")
        self._client = client()

    def found(self) -> Iterator[Found]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
        with storage_errors():
            for page in pages:
                for each in page.get("Contents", ()):
                    name = each["Key"].removeprefix(self._prefix)
                    if name and not name.endswith("/") and not _is_hidden(name):
                        yield Found(name, each["Size"], each["ETag"])

    def read(self, found: Found, start: int, length: int) -> bytes:
        asked = {"Range": f"bytes={start}-{start + length - 1}", "IfMatch": found.tag}
        content = self._get(found.name, **asked)
        if content is None:
            raise Gone
        return content

    def read_whole(self, name: str) -> bytes | None:
        return self._get(name)

    def _get(self, name: str, **asked: str) -> bytes | None:
        with storage_errors():
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=f"{self._prefix}{name}", **asked)
                content: bytes = answer["Body"].read()
            except self._client.exceptions.ClientError as error:
                if error.response["Error"]["Code"] in {"NoSuchKey", "PreconditionFailed", "404", "412"}:
                    return None
                raise
        return content

    def write(self, name: str, content: bytes) -> None:
        with storage_errors():
            self._client.put_object(Bucket=self._bucket, Key=f"{self._prefix}{name}", Body=content)

    def delete(self, name: str) -> None:
        with storage_errors():
            self._client.delete_object(Bucket=self._bucket, Key=f"{self._prefix}{name}")
