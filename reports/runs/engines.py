"""Engines that count for runs: this process, or a cluster that is there already. All find the same integers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aggregation.mechanisms import Mechanism


class Engine(Protocol):
    def read_out(
        self,
        mechanism: Mechanism,
        shards: Sequence[NDArray[Any]],
        points: NDArray[Any],
        start: int,
        stop: int,
        stream: str,
    ) -> NDArray[np.int64]:
        """Return what the mechanism's own `read_out` does, wherever it is computed."""


class Here:
    """Counts in this process, as workers do."""

    def read_out(
        self,
        mechanism: Mechanism,
        shards: Sequence[NDArray[Any]],
        points: NDArray[Any],
        start: int,
        stop: int,
        stream: str,
    ) -> NDArray[np.int64]:
        return mechanism.read_out(shards, points, start, stop, stream)


_engines: list[Engine] = [Here()]


def engine() -> Engine:
    """Return the engine that all threads of this process use."""
    return _engines[-1]


@contextmanager
def used(other: Engine) -> Iterator[None]:
    """Let all threads of this process use another engine meanwhile."""
    _engines.append(other)
    try:
        yield
    finally:
        _engines.remove(other)
