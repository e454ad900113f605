"""The device's half: a subset of the dictionary, uniform but for whether the own element is in it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Flags, Integers, Places
from ...randomness import device_below, device_flip, fleet_single_flips
from ..one_stream import STREAM
from .encoding import Encoding, subset_line

# Marks of elements held at once, for a simulated fleet.
_MARKS: Final = 2**22


class Client(Encoding):
    """Privatises elements, on a device one by one, and for a simulated fleet all at once."""

    def privatize(self, element: str) -> str:
        own = self.index_of(element)
        lies = device_flip(self.lie_threshold)
        others = device_subset(self.size - 1, self.w if lies else self.w - 1)
        subset = [place + (place >= own) for place in others]
        return subset_line(sorted(subset if lies else [*subset, own]))

    def privatize_fleet(
        self, elements: Sequence[str], element_index: Array, rng: np.random.Generator
    ) -> dict[str, Array]:
        places = np.array([self.index_of(element) for element in elements], np.intp)
        own = places[np.asarray(element_index, np.intp)]
        lies = fleet_single_flips(len(own), self.lie_threshold, rng)
        records = np.empty(len(own), self.record_dtype(STREAM))
        step = max(1, _MARKS // self.size)
        for start in range(0, len(own), step):
            part = slice(start, start + step)
            records[part] = self.pack(self.fleet_indexes(own[part], lies[part], rng))
        return {STREAM: records}

    def fleet_indexes(self, own: Places, lies: Flags, rng: np.random.Generator) -> NDArray[np.uint16]:
        """Return ascending subsets, shape (n, w)."""
        subsets = np.empty((len(own), self.w), np.uint16)
        for lie in (False, True):
            rows = np.flatnonzero(lies == lie)
            others = fleet_subsets(len(rows), self.size - 1, self.w - (not lie), rng)
            others += others >= own[rows, None]
            subsets[rows] = others if lie else np.column_stack([others, own[rows]])
        subsets.sort(axis=1)
        return subsets


def device_subset(n: int, size: int) -> set[int]:
    """Return a subset of 0 … n - 1, all of this size equally likely, from the operating system's generator.

    References
    ----------
    R. Floyd, in J. Bentley, "Programming pearls: a sample of brilliance" (1987).
    """
    chosen: set[int] = set()
    for last in range(n - size, n):
        drawn = device_below(last + 1)
        chosen.add(last if drawn in chosen else drawn)
    return chosen


def fleet_subsets(count: int, n: int, size: int, rng: np.random.Generator) -> Integers:
    """Return independent subsets as of `device_subset`, shape (count, size), from a seeded source."""
    chosen, marks, rows = np.empty((count, size), np.int64), np.zeros((count, n), bool), np.arange(count)
    for column, last in enumerate(range(n - size, n)):
        drawn = rng.integers(0, last + 1, count)
        drawn[marks[rows, drawn]] = last
        marks[rows, drawn] = True
        chosen[:, column] = drawn
    return chosen
