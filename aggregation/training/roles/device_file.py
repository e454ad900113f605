"""A device's memory of training: in its own folder, for its owner alone, or in RAM where it is simulated."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from .refusals import RoleError

STATE: Final = "state.json"


class Remembered(Protocol):
    """Somewhere to keep a JSON object."""

    def changing(self) -> contextlib.AbstractContextManager[dict[str, Any]]:
        """Give out the object, and keep what was changed in it, durably, when the block ends without an error."""


class InMemory:
    """Memory of a simulated device."""

    def __init__(self, content: dict[str, Any] | None = None) -> None:
        self.content = content or {}

    @contextlib.contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        changed = json.loads(json.dumps(self.content))
        yield changed
        self.content = changed


class InFolder:
    """A folder of mode 0700, whose files are replaced and never changed, by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.folder.stat().st_mode & 0o077:
            raise RoleError(f"Other people may look into {self.folder}. Give the device a folder of its own.")
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            path = self.folder / STATE
            try:
                content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            except ValueError:
                raise RoleError(f"{path} is damaged: this device no longer knows what it took part in.") from None
            yield content
            new = path.with_suffix(".new")
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(content, file)
                file.flush()
                os.fsync(descriptor)
            new.replace(path)
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        finally:
            os.close(lock)
