"""Supervision of what `manage.py run` needs: what dies is started again, after longer and longer pauses."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from django.core.management.base import CommandError

from ldpsite import children, embedded

PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each new start. What dies once more after the last of them is given up."""

STEADY = 60.0
"""Seconds. A death after so long a life has nothing to do with those before."""


class Restartable(Protocol):
    """A process, or several, that may end although nothing asked for it."""

    @property
    def name(self) -> str: ...
    @property
    def log(self) -> Path: ...
    @property
    def is_dead(self) -> bool: ...
    def start_again(self) -> None: ...


@dataclass(frozen=True)
class Database:
    """The embedded PostgreSQL, which this process holds."""

    data_dir: Path
    name: str = "database"

    @property
    def log(self) -> Path:
        return embedded.log(self.data_dir)

    @property
    def is_dead(self) -> bool:
        return not embedded.is_running(self.data_dir)

    def start_again(self) -> None:
        embedded.start_again(self.data_dir)


@dataclass
class Watched:
    """A process, and how often in a row it has died."""

    process: Restartable
    say: Callable[[str], None]
    # Whether the site ends with it, once it has died too often. Without others it goes on.
    is_needed: bool = True
    # How often it was started again since the site runs.
    restarts: int = 0
    _deaths: int = 0
    _alive_since: float = field(default_factory=time.monotonic)
    # When it is to be started, while it is dead.
    _due: float | None = None
    _is_given_up: bool = False

    @property
    def is_away(self) -> bool:
        return self._due is not None

    def look(self) -> None:
        """Start it again if it is dead and its pause is over. Raises CommandError when it has died too often."""
        now = time.monotonic()
        if self._due is None and self.process.is_dead and not self._is_given_up:
            pause = self._pause(now)
            self._due = None if pause is None else now + pause
        if self._due is None or now < self._due:
            return
        self._due = None
        try:
            self.process.start_again()
        except (embedded.EmbeddedDatabaseError, OSError) as error:
            self.say(str(error))  # it is still dead, which the next look sees
        else:
            self.restarts += 1
        self._alive_since = time.monotonic()

    def _pause(self, now: float) -> float | None:
        """Return the seconds until a new start; None if there will be none."""
        if now - self._alive_since > STEADY:
            self._deaths = 0
        name, log = self.process.name, self.process.log
        if self._deaths == len(PAUSES) and not self.is_needed:
            self._is_given_up = True
            self.say(
                f"The {name} process ended {self._deaths + 1} times in a row. The site goes on without; see {log}."
            )
            return None
        if self._deaths == len(PAUSES):
            raise CommandError(
                f"The {name} process ended {self._deaths + 1} times in a row, and so the site ends."
                f" {log} ends with:\n{children.tail(log)}"
            )
        pause = PAUSES[self._deaths]
        self._deaths += 1
        when = f"in {pause:g} s" if pause else "now"
        self.say(f"The {name} process ended and is started again {when}. What it said is in {log}.")
        return pause
