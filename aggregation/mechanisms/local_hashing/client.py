"""The device's half: a row drawn, and its bucket of the element, or by chance another."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...encoding import pack_buckets
from ...randomness import device_below, device_flip, fleet_single_flips, lie_threshold
from ..one_sketch import STREAM
from .encoding import Encoding, bucket_line


class Client(Encoding):
    """Privatises elements, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        row = device_below(self.k)
        bucket = self.family.bucket(element, row, self.g)
        if device_flip(self.lie_threshold):
            bucket = (bucket + 1 + device_below(self.g - 1)) % self.g
        return bucket_line(row, bucket)

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        index = np.asarray(element_index, np.intp)
        rows = rng.integers(0, self.k, size=len(index))
        buckets = self.family.buckets_of_pairs(self.family.points(elements), index, rows, self.g)
        lies = np.flatnonzero(fleet_single_flips(len(index), self.lie_threshold, rng))
        others = rng.integers(1, self.g, size=len(lies), dtype=np.uint32)
        buckets[lies] = (buckets[lies] + others) % np.uint32(self.g)
        return {STREAM: pack_buckets(rows, buckets, self.g)}

    @cached_property
    def lie_threshold(self) -> int:
        """t, with which a device lies with probability t/2⁶⁴: ⌈2⁶⁴·(g - 1)/(e^ε + g - 1)⌉."""
        return lie_threshold(self.epsilon, 1, self.g - 1)
