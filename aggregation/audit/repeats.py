"""Search for records that come twice, where that should never happen."""

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Integers
from ..registry import Mechanism, part_of
from .limits import ALPHA


class Repeats:
    """Looks for equal records among all that were sent.

    Two reports about two elements are equal more rarely than two about one (Cauchy and Schwarz). Where the chance of
    that, times the number of pairs, is not below α, as with records of one sign, nothing is concluded.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._log_chance = part_of(mechanism, "audit").log_chance_of_repeat(mechanism)
        # Hashes of 64 bits: of ten million records, two meet with a chance of 3e-6; of one million, 3e-8.
        self._seen: list[Integers] = []

    def add(self, lines: Sequence[str]) -> None:
        self._seen.append(np.fromiter(map(hash, lines), np.int64, len(lines)))

    def are_too_many(self) -> bool:
        seen = np.concatenate(self._seen)
        pairs = len(seen) * (len(seen) - 1) / 2
        rare = math.log(pairs) + self._log_chance < math.log(ALPHA)
        return rare and len(np.unique(seen)) < len(seen)
