"""The device's file: read and written whole, by its owner alone, by one process at a time."""

import contextlib
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..private_files import is_private, locked, make_folder, replace_file
from .errors import DeviceError
from .state import State

NAME: Final = "state.json"


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
        make_folder(self.folder)
        self._require_private_folder()
        with locked(self.folder):
            state = self.read()
            before = state.to_json()
            yield state
            after = state.to_json()
            if after != before:
                # The file's time tells the day and no more.
                midnight = datetime.datetime.combine(today, datetime.time(), datetime.UTC).timestamp()
                replace_file(self.path, after.encode(), midnight)

    def _require_private_folder(self) -> None:
        if not is_private(self.folder):
            raise DeviceError(
                f"Other people may look into {self.folder}. Give the device a folder of its own, or: chmod 700"
            )
