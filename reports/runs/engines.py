"""Engines that count for runs: this process, or a cluster that is there already. All find the same integers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aggregation.mechanisms import Mechanism

# Called as the `read_out` of a mechanism, after this: returns the same, wherever it is computed.
Engine: TypeAlias = Callable[
    [Mechanism, Sequence[NDArray[Any]], NDArray[Any], int, int, str],
    NDArray[np.int64],
]


def _in_this_process(mechanism: Mechanism, *arguments: Any) -> NDArray[np.int64]:
    return mechanism.read_out(*arguments)


_engines: list[Engine] = [_in_this_process]


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
