"""Counting the one-bits of packed vectors, column by column, for many hash rows at once.

Adding one bit to every column of every row takes a few bitwise operations on whole blocks: counters are held
vertically, as *planes*, plane i holding bit i of every counter. Carries are saved: two vectors are added to a plane by
one full adder, and its carry waits for a second one before it is added to the next plane.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Places
from ..encoding import opaque

# Reports added into one counter: eight planes hold up to 255, so counts unpack into bytes.
_MOST_PER_COUNTER: Final = 255
# Bytes of one plane; the handful of planes in use at a time stay in a core's second-level cache.
_PLANE_BYTES: Final = 2**17
_KEY_BITS: Final = 32


class Planes:
    """Vertical counters over blocks of 64-bit words, one counter per bit, for at most 255 additions."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._planes: list[NDArray[np.uint64]] = []
        self._waiting: list[tuple[NDArray[np.uint64], int] | None] = []
        self._free: list[NDArray[np.uint64]] = []
        self._scratch = np.empty(words, np.uint64)

    def buffer(self) -> NDArray[np.uint64]:
        """Return a buffer with any contents, to be filled and given to `add`."""
        return self._free.pop() if self._free else np.empty(self._words, np.uint64)

    def add(self, vector: NDArray[np.uint64], used: int, level: int = 0) -> None:
        """Add the first ``used`` words of a buffer, no more than were used the time before; takes the buffer over."""
        while level < len(self._planes):
            waiting = self._waiting[level]
            if waiting is None:
                self._waiting[level] = vector, used
                return
            self._waiting[level] = None
            vector, used = self._add_two(level, *waiting, vector, used)
            level += 1
        self._planes.append(np.zeros(self._words, np.uint64))
        self._waiting.append((vector, used))

    def _add_two(
        self, level: int, longer: NDArray[np.uint64], used: int, shorter: NDArray[np.uint64], filled: int
    ) -> tuple[NDArray[np.uint64], int]:
        """Add two vectors to a plane and return the carry."""
        shorter[filled:used] = 0
        plane, a, b, either = self._planes[level][:used], longer[:used], shorter[:used], self._scratch[:used]
        np.bitwise_xor(plane, a, out=either)
        np.bitwise_and(plane, a, out=a)
        np.bitwise_xor(either, b, out=plane)
        np.bitwise_and(either, b, out=either)
        np.bitwise_or(a, either, out=a)
        self._free.append(shorter)
        return longer, used

    def counts(self) -> NDArray[np.uint8]:
        """Add what still waits and return one byte per counter, most significant bit of each byte first."""
        level = 0
        while level < len(self._planes):
            waiting = self._waiting[level]
            if waiting is not None:
                self._waiting[level] = None
                carry, used = self._add_two(level, *waiting, self.buffer(), 0)
                if carry[:used].any():
                    self.add(carry, used, level + 1)
            level += 1
        total = np.zeros(self._words * 8, np.uint64)
        for place, plane in enumerate(self._planes):
            bits = np.unpackbits(plane.view(np.uint8)).view(np.uint64)
            np.left_shift(bits, np.uint64(place), out=bits)
            np.bitwise_or(total, bits, out=total)
        return total.view(np.uint8)


def runs_at_once(itemsize: int) -> int:
    """Return how many slices of at most 255 records `count_columns` works on at once."""
    return max(1, _PLANE_BYTES // itemsize)


def count_columns(records: Array, starts: Places, stops: Places) -> NDArray[np.unsignedinteger[Any]]:
    """Count the one-bits in every column of some slices of the records.

    Parameters
    ----------
    records : structured ndarray, shape (n,)
        Records of a 4-byte key and packed bits, most significant bit first.
    starts, stops : ndarray of int, shape (r,)
        The slices ``records[starts[i]:stops[i]]``; slices may be empty.

    Returns
    -------
    ndarray of uint8, uint16 or uint32, shape (r, m)
        Exact counts, in the narrowest type that holds the length of the longest slice.
    """
    items = opaque(records)
    columns = items.itemsize * 8 - _KEY_BITS
    lengths = stops - starts
    # A slice of more than 255 reports gets several counters, which are summed: a single row is as fast as many.
    counters = -(-lengths // _MOST_PER_COUNTER)
    owner = np.repeat(np.arange(len(starts)), counters)
    nth = np.arange(len(owner)) - np.repeat(np.cumsum(counters) - counters, counters)
    first = starts[owner] + nth * _MOST_PER_COUNTER
    length = np.minimum(stops[owner] - first, _MOST_PER_COUNTER)
    whole = bool((counters <= 1).all())
    result = np.zeros((len(starts), columns), np.min_scalar_type(int(lengths.max(initial=0))))
    step = runs_at_once(items.itemsize)
    for start in range(0, len(owner), step):
        part = slice(start, start + step)
        order = np.argsort(-length[part], kind="stable")
        counts = _count_block(items, first[part][order], length[part][order])[:, _KEY_BITS:]
        if whole:
            result[owner[part][order]] = counts
        else:
            np.add.at(result, owner[part][order], counts)
    return result


def _count_block(items: NDArray[np.void], first: Places, lengths: Places) -> NDArray[np.uint8]:
    """Count the columns, key included, of runs of records given longest first."""
    size, rows = items.itemsize, len(first)
    planes = Planes(-(-rows * size // 8))
    # How many runs have an r-th report.
    active = np.searchsorted(-lengths, -np.arange(int(lengths[0])), side="left")
    for r, count in enumerate(active.tolist()):
        buffer = planes.buffer()
        octets = buffer.view(np.uint8)
        items.take(first[:count] + r, out=octets[: rows * size].view(items.dtype)[:count], mode="clip")
        used = -(-count * size // 8)
        octets[count * size : used * 8] = 0
        planes.add(buffer, used)
    return planes.counts()[: rows * size * 8].reshape(rows, size * 8)
