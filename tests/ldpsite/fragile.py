"""A process that dies when a test says so, and is started again, or not."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Fragile:
    """A process that may die at any moment."""

    log: Path
    name: str = "worker"
    is_dead: bool = False
    clock: Callable[[], float] = time.monotonic
    # Errors that keep it from starting, the first of them at the first attempt.
    obstacles: list[Exception] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)

    def start_again(self) -> None:
        self.starts.append(self.clock())
        if self.obstacles:
            raise self.obstacles.pop(0)
        self.is_dead = False
