"""The device's half: a row and a coordinate drawn, and a sign that is flipped by chance."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...encoding import pack_coordinates
from ...randomness import device_below, device_flip, fleet_single_flips, flip_threshold
from ...sketches import are_negative, sign
from ..one_sketch import STREAM
from .encoding import Encoding, coordinate_line


class Client(Encoding):
    """Privatises elements, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        row, coordinate = device_below(self.k), device_below(self.m)
        honest = sign(self.family.bucket(element, row, self.m), coordinate)
        return coordinate_line(row, coordinate, -honest if device_flip(self._flip_threshold) else honest)

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        index = np.asarray(element_index, np.intp)
        rows = rng.integers(0, self.k, size=len(index))
        coordinates = rng.integers(0, self.m, size=len(index), dtype=np.uint32)
        buckets = self.family.buckets_of_pairs(self.family.points(elements), index, rows, self.m)
        flips = fleet_single_flips(len(index), self._flip_threshold, rng)
        positive = are_negative(buckets, coordinates) == flips
        return {STREAM: pack_coordinates(rows, coordinates, positive, self.m)}

    @cached_property
    def _flip_threshold(self) -> int:
        return flip_threshold(self.epsilon)
