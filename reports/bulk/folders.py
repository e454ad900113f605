"""Folders of this machine as places."""

import errno
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from reports.bulk.places import Found, Gone, is_hidden
from reports.storage import storage_errors

# Hidden, as programs that read folders of results understand it.
UNFINISHED: Final = ".unfinished"
# Writing a file takes less.
MOST_SECONDS: Final = 3600.0


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
                    if state is not None and not is_hidden(name):
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
            with tempfile.NamedTemporaryFile(dir=self._unfinished(), delete=False) as file:
                file.write(content)
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)

    def _unfinished(self) -> Path:
        """Return the folder of files that are being written, without what a killed process left there."""
        folder = self._root / UNFINISHED
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            state = _state(path)
            if state is not None and state.st_mtime < time.time() - MOST_SECONDS:
                path.unlink(missing_ok=True)
        return folder

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
