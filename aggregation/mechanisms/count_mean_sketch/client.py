"""The device's half: a row drawn, and m bits of which each is flipped by chance."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...randomness import device_below, device_flips, fleet_flips, flip_threshold
from ..one_sketch import STREAM
from .encoding import Encoding, bit_vector_line


class Client(Encoding):
    """Privatises elements, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        row = device_below(self.k)
        bits = device_flips(self.m, self._flip_threshold)
        hot = self.family.bucket(element, row, self.m)
        bits[hot] ^= True
        return bit_vector_line(row, np.packbits(bits))

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        index = np.asarray(element_index, np.intp)
        rows = rng.integers(0, self.k, size=len(index))
        hot = self.family.buckets_of_pairs(self.family.points(elements), index, rows, self.m)
        records = np.empty(len(index), self.record_dtype(STREAM))
        records["row"] = rows
        for part, bits in fleet_flips(len(index), self.m, self._flip_threshold, rng):
            bits[np.arange(len(bits)), hot[part] >> 3] ^= np.uint8(0x80) >> (hot[part] & 7).astype(np.uint8)
            records["bits"][part] = bits
        return {STREAM: records}

    @cached_property
    def _flip_threshold(self) -> int:
        return flip_threshold(self.epsilon / 2)
