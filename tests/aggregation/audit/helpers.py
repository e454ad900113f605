"""Common parts of the audits of all clients: the words reported about, and the honest clients."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from aggregation.mechanisms import Mechanism

WORDS: Final = ["d", "d'"]
K, M = 16, 64


def devices(mechanism: Mechanism, index: NDArray[np.intp]) -> NDArray[Any]:
    lines: list[object] = [mechanism.privatize(WORDS[word]) for word in index.tolist()]
    parsed = mechanism.parse_records(lines)
    assert not parsed.rejected
    return parsed.streams["element"]


def fleet(mechanism: Mechanism, index: NDArray[np.intp]) -> NDArray[Any]:
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(0))["element"]
