"""A device's memory of training: in its own folder, for its owner alone, or in RAM where it is simulated."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from ...private_files import is_private, locked, make_folder, replace_file
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
        make_folder(self.folder)
        if not is_private(self.folder):
            raise RoleError(f"Other people may look into {self.folder}. Give the device a folder of its own.")
        with locked(self.folder):
            path = self.folder / STATE
            try:
                content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            except ValueError:
                raise RoleError(f"{path} is damaged: this device no longer knows what it took part in.") from None
            yield content
            replace_file(path, json.dumps(content).encode())
