"""The device's file: read and written whole, by its owner alone, by one process at a time."""

import contextlib
import datetime
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .errors import DeviceError
from .state import State

NAME: Final = "state.json"
LOCK: Final = "lock"


class StateFile:
    """The state of one device, in a folder of its own.

    Parameters
    ----------
    folder : Path
        Made when something is to be kept for the first time, for its owner alone (mode 0700; files 0600).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME

    def read(self) -> State:
        """Return the state as it was last written: complete, for files are replaced and never changed.

        Raises a DeviceError if others may look into the folder, or if the file is damaged.
        """
        try:
            self._require_private_folder()
            content = self.path.read_bytes()
        except FileNotFoundError:
            return State()
        try:
            return State.from_json(content.decode())
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            raise DeviceError(
                f"{self.path} is damaged, or of another version. Nothing was changed. Bring back a copy; without it,"
                " nobody knows what was sent today."
            ) from None

    @contextlib.contextmanager
    def changing(self, today: datetime.date) -> Iterator[State]:
        """Give out the state and write it if it was changed, while no other process or thread can do the same."""
        self._make_folder()
        lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = self.read()
            before = state.to_json()
            yield state
            after = state.to_json()
            if after != before:
                self._replace(after, today)
        finally:
            os.close(lock)

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._require_private_folder()

    def _require_private_folder(self) -> None:
        if self.folder.stat().st_mode & 0o077:
            raise DeviceError(
                f"Other people may look into {self.folder}. Give the device a folder of its own, or: chmod 700"
            )

    def _replace(self, text: str, today: datetime.date) -> None:
        """Write durably; a crash leaves the old file or the new one. The file's time tells the day and no more."""
        new = self.folder / f"{NAME}.new"
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(descriptor, 0o600)
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        midnight = datetime.datetime.combine(today, datetime.time(), datetime.UTC).timestamp()
        os.utime(new, (midnight, midnight))
        new.replace(self.path)
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        os.utime(self.folder, (midnight, midnight))
