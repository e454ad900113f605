"""How far a back-up is, told now and then."""

from collections.abc import Callable
from dataclasses import dataclass, field

Say = Callable[[str], None]
# It is told at most so often.
TIMES = 10


@dataclass
class Progress:
    """Counts bytes of so many."""

    total: int
    say: Say
    _copied: int = field(default=0, init=False)
    _told: int = field(default=0, init=False)

    def add(self, size: int) -> None:
        self._copied += size
        # What comes last, the manifest, is not in the total: its size is not known before.
        if (reached := min(TIMES, self._copied * TIMES // max(1, self.total))) > self._told:
            self._told = reached
            megabytes = f"{min(self._copied, self.total) / 1e6:,.1f} of {self.total / 1e6:,.1f} MB"
            self.say(f"{100 * reached // TIMES} %: {megabytes}")
