"""Test of whether numbers that a client draws are uniform, whatever it reports about."""

from math import prod
from typing import Final

import numpy as np

from ..arrays import Array, Integers
from .limits import ALPHA, are_binomial

# Numbers are counted in so many classes beside each by itself: by what is left over, and by neighbourhood.
_CLASSES: Final = 16
# More numbers than these are counted in classes only.
_MOST_COUNTED: Final = 2**20


class Uniformity:
    """Counts, for either word, of numbers that should each be uniform below its size and all independent.

    Parameters
    ----------
    sizes : int
        How many values each of the numbers has that a report draws.
    """

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes
        self._runs = np.zeros(2, np.int64)
        shape = tuple(min(size, _CLASSES) for size in sizes)
        self._by_rest = np.zeros((2, *shape), np.int64)
        self._by_place = np.zeros((2, *shape), np.int64)
        alone = len(sizes) == 1 and sizes[0] <= _MOST_COUNTED
        self._each = np.zeros((2, *sizes), np.int64) if alone else None

    def add(self, words: Array, *numbers: Array) -> None:
        """Count what reports about ``words``, 0 or 1, drew."""
        self._runs += np.bincount(words, minlength=2)
        _count(self._by_rest, words, *(drawn % min(size, _CLASSES) for drawn, size in self._pairs(numbers)))
        _count(self._by_place, words, *(drawn * min(size, _CLASSES) // size for drawn, size in self._pairs(numbers)))
        if self._each is not None:
            _count(self._each, words, *numbers)

    def is_uniform(self) -> bool:
        """Say whether every count is what uniform draws make it, with a false alarm of at most α."""
        rest, place = np.ones(1), np.ones(1)
        for size in self.sizes:
            classes = np.arange(min(size, _CLASSES) + 1)
            ends = -(-classes * size // classes[-1])
            place = np.multiply.outer(place, np.diff(ends) / size)
            rest = np.multiply.outer(rest, (size // classes[-1] + (classes[:-1] < size % classes[-1])) / size)
        kinds = [(self._by_rest, rest[0]), (self._by_place, place[0])]
        if self._each is not None:
            kinds.append((self._each, np.asarray(1 / self.sizes[0])))
        return all(
            are_binomial(counts[word], self._runs[word], chance, ALPHA / (2 * len(kinds)))
            for counts, chance in kinds
            for word in (0, 1)
        )

    def _pairs(self, numbers: tuple[Array, ...]) -> list[tuple[Integers, int]]:
        return [(drawn.astype(np.int64), size) for drawn, size in zip(numbers, self.sizes, strict=True)]


def _count(counts: Integers, words: Array, *classes: Array) -> None:
    """Count reports by word and classes, in place."""
    index = np.ravel_multi_index((words, *classes), counts.shape)
    counts += np.bincount(index, minlength=prod(counts.shape)).reshape(counts.shape)
