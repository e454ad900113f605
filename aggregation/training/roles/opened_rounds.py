"""Rounds that were ever opened, on disk, by task and number alone. One that a killed process lost is not done again."""

import fcntl
import json
import os
from pathlib import Path

from .refusals import RoleError, RoundLost


class OpenedRounds:
    """The last opened round of each task.

    Parameters
    ----------
    path : Path
        A file of lines, one for each round. It is opened here, so that the process may change its user afterwards, and
        locked for as long as the process lives.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RoleError(f"Another process is at work in {path.parent}.") from None
        os.chmod(self._file.fileno(), 0o600)
        self._file.seek(0)
        content = self._file.read()
        # The round of a line that was not finished was never said to be open.
        self._file.truncate(content.rfind(b"\n") + 1)
        self._last: dict[str, int] = {}
        for line in content.splitlines()[: content.count(b"\n")]:
            said = json.loads(line)
            self._last[said["task"]] = said["round"]

    def last(self, task: bytes) -> int:
        """Return the number of the task's last round; 0 before the first."""
        return self._last.get(task.hex(), 0)

    def open(self, task: bytes, number: int) -> None:
        """Remember a round for good, before anything is done in it.

        Raises a RoundLost if it, or a later one, was opened before.
        """
        if number <= self.last(task):
            raise RoundLost(
                f"Round {number} of this task is over: {self.last(task)} was opened before, perhaps by a process that"
                " was killed, and its contributions are lost. Go on with the next."
            )
        self._file.write(json.dumps({"task": task.hex(), "round": number}).encode() + b"\n")
        os.fsync(self._file.fileno())
        self._last[task.hex()] = number

    def close(self) -> None:
        self._file.close()
