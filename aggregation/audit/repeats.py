"""Whether the same record comes twice, where that should never happen."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..mechanisms import Mechanism
from .limits import ALPHA
from .power import flip_chance, sketches_of


class Repeats:
    """Looks for equal records among all that were sent.

    Two reports about one element are equal with probability Π 1/k·(π² + (1 - π)²)^m over their bit vectors, and about
    two elements more rarely (Cauchy and Schwarz). Where that, times the number of pairs, is not below α, as with
    records of one sign, nothing is concluded.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._log_chance = 0.0
        for sketch in sketches_of(mechanism):
            p = flip_chance(float(sketch.epsilon) / 2)
            self._log_chance += sketch.m * math.log(p**2 + (1 - p) ** 2) - math.log(sketch.k)
        # Hashes of 64 bits: of ten million records, two meet with a chance of 3e-6; of one million, 3e-8.
        self._seen: list[NDArray[np.int64]] = []

    def add(self, lines: Sequence[str]) -> None:
        self._seen.append(np.fromiter(map(hash, lines), np.int64, len(lines)))

    def are_too_many(self) -> bool:
        seen = np.concatenate(self._seen)
        pairs = len(seen) * (len(seen) - 1) / 2
        rare = math.log(pairs) + self._log_chance < math.log(ALPHA)
        return rare and len(np.unique(seen)) < len(seen)
