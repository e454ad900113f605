"""Places where files of others lie, or are written for them: a folder, or what begins alike in a bucket.

Files are read by ranges, in memory that does not grow with them, and written whole.
"""

import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

from reports.jobs import PermanentFailure
from reports.models import failures

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


def is_hidden(name: str) -> bool:
    """Tell whether it is a file that engines put beside theirs."""
    return any(part.startswith(_HIDDEN) for part in name.split("/"))


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
