"""Test of whether bits of a report are flipped independently of each other."""

from typing import Final

import numpy as np

from ..arrays import Flags, Places
from .limits import are_binomial

# Every two bits are looked at together in so many reports, and in vectors of so many bits; of longer ones, in the first
# half as many and in as many more, evenly spread.
JOINT_RUNS: Final = 400_000
JOINT_BITS: Final = 1024
_JOINT_BLOCK: Final = 20_000


class JointFlips:
    """Counts of joint flips of every bit of one vector with every bit of another, in the first reports."""

    def __init__(self, m: int, other_m: int) -> None:
        self._bits, self._other_bits = _looked_at(m), _looked_at(other_m)
        self._runs = 0
        self._flips = np.zeros((min(m, JOINT_BITS), min(other_m, JOINT_BITS)), np.int64)

    def add(self, one: Flags, other: Flags) -> None:
        left = min(len(one), JOINT_RUNS - self._runs)
        for start in range(0, left, _JOINT_BLOCK):
            part = slice(start, min(start + _JOINT_BLOCK, left))
            product = one[part, self._bits].astype(np.float32).T @ other[part, self._other_bits].astype(np.float32)
            self._flips += product.astype(np.int64)  # exact: far below 2^24
        self._runs += left

    def is_independent(self, flip: float, other_flip: float, *, apart: bool = False) -> bool:
        """Say whether flips met by chance only; ``apart`` if both vectors are one, whose bits meet themselves."""
        counts = self._flips[np.triu_indices(len(self._flips), 1)] if apart else self._flips
        return are_binomial(counts, self._runs, flip * other_flip)


def _looked_at(m: int) -> slice | Places:
    if m <= JOINT_BITS:
        return slice(m)
    half = JOINT_BITS // 2
    return np.concatenate([np.arange(half), np.linspace(half, m - 1, half).astype(np.intp)])
