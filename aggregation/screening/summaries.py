"""One pass over sorted records, a block at a time, for all that the tests look at."""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Flags, Integers
from ..encoding import opaque

# Small enough to stay in a core's cache, large enough for NumPy's calls not to count.
_BLOCK_BYTES: Final = 2**19
# Mapped blocks count as this process's memory until they are let go: so many at most.
_HELD_BLOCKS: Final = 32


@dataclass(frozen=True)
class Occupied:
    """Numbers of records by index; only indices that occur, ascending."""

    index: Integers
    count: Integers


@dataclass(frozen=True)
class Pairs:
    """Records of one cell in as many pairs as can be, and how many pairs agree in sign, on average over pairings."""

    pairs: int = 0
    agreeing: float = 0.0

    def __add__(self, other: "Pairs") -> "Pairs":
        return Pairs(self.pairs + other.pairs, self.agreeing + other.agreeing)


@dataclass(frozen=True)
class VectorSummary:
    """Summary of n sorted bit vectors of m bits, without regard to any element.

    ``ones[w]`` vectors have w one-bits; ``repeats`` records equal the one before; one occurs ``most_repeated`` times.
    """

    n: int
    ones: Integers
    rows: Occupied
    repeats: int
    most_repeated: int


@dataclass(frozen=True)
class CoordinateSummary:
    """Summary of n sorted coordinates; a cell is a row and a coordinate, ``cells`` of them are occupied.

    ``origin`` records have coordinate 0, and ``origin_minus`` of these the sign -1.
    """

    n: int
    rows: Occupied
    coordinates: Occupied
    cells: int
    fullest_cell: int
    origin: int
    origin_minus: int
    pairs: Pairs


@dataclass(frozen=True)
class BucketSummary:
    """Summary of n sorted buckets of k rows; a cell is a row and a bucket, and pairs are of records of one row."""

    n: int
    rows: Occupied
    buckets: Integers
    fullest_cell: int
    pairs: Pairs


def summarize_vectors(records: Array, m: int) -> VectorSummary:
    """Summarise sorted records of dtype ``bit_vector_dtype(m)``, also a memory map."""
    ones, same, rows = np.zeros(m + 1, np.int64), [], []
    for start, block in blocks(records):
        # Whole words where the length of a record allows it; a record's first four bytes are its row.
        width = 4 if m >= 32 else 1
        words = block.view(f"u{width}").reshape(len(block), -1)
        fresh = words[start:]
        weights = np.bitwise_count(fresh[:, 4 // width :]).sum(axis=1, dtype=np.uint32)
        np.add.at(ones, weights, 1)
        own_rows = fresh[:, : 4 // width].copy().view(">u4")[:, 0].astype(np.int64)
        rows.append(_runs(own_rows))
        same.append(_equal_to_previous(words))
    repeats, longest = count_repeats(same)
    return VectorSummary(len(records), ones, _joined(rows), repeats, longest)


def summarize_coordinates(records: Array, m: int) -> CoordinateSummary:
    """Summarise sorted records of dtype ``coordinate_dtype()``, also a memory map."""
    coordinates, same, rows = np.zeros(m, np.int64), [], []
    origin = minus = 0
    signs = _Signs()
    for start, block in blocks(records):
        packed = block.view(">u4").astype(np.uint32)
        cells = packed >> 1
        same.append(cells[1:] == cells[:-1])
        fresh = cells[start:]
        rows.append(_runs((fresh // np.uint32(m)).astype(np.int64)))
        signs.add(fresh, packed[start:] & 1)
        own = fresh & np.uint32(m - 1)
        coordinates += np.bincount(own, minlength=m)
        at_origin = own == 0
        origin += int(at_origin.sum())
        minus += int((at_origin & (packed[start:] & 1 == 0)).sum())
    repeats, longest = count_repeats(same)
    n = len(records)
    used = np.flatnonzero(coordinates)
    occupied = Occupied(used, coordinates[used])
    return CoordinateSummary(n, _joined(rows), occupied, n - repeats, longest, origin, minus, signs.pairs())


def summarize_buckets(records: Array, k: int, g: int) -> BucketSummary:
    """Summarise sorted records of dtype ``bucket_dtype()`` of k rows of g buckets, also a memory map."""
    # The records of each row, and its ordered pairs of records of one bucket: sums below 2^53 are exact.
    rows, alike = np.zeros(k, np.int64), np.zeros(k)
    buckets, fullest = np.zeros(g, np.int64), 0
    unfinished = Occupied(np.zeros(1, np.int64), np.zeros(1, np.int64))
    for start, block in blocks(records):
        cells = _runs(block.view(">u4").astype(np.int64)[start:])
        # The last cell of a block may go on in the next.
        if cells.index[0] == unfinished.index[0]:
            cells.count[0] += unfinished.count[0]
        else:
            _add_cells(rows, alike, buckets, unfinished)
        _add_cells(rows, alike, buckets, Occupied(cells.index[:-1], cells.count[:-1]))
        fullest = max(fullest, int(cells.count.max()))
        unfinished = Occupied(cells.index[-1:], cells.count[-1:])
    _add_cells(rows, alike, buckets, unfinished)
    used = np.flatnonzero(rows)
    r = rows[rows > 1]
    agreeing = float(((r // 2) * alike[rows > 1] / (r * (r - 1.0))).sum())
    return BucketSummary(
        len(records), Occupied(used, rows[used]), buckets, fullest, Pairs(int((r // 2).sum()), agreeing)
    )


def _add_cells(rows: Integers, alike: Array, buckets: Integers, cells: Occupied) -> None:
    """Add whole cells to what is known of their rows and buckets."""
    row, bucket = np.divmod(cells.index, len(buckets))
    np.add.at(rows, row, cells.count)
    np.add.at(alike, row, cells.count * (cells.count - 1.0))
    np.add.at(buckets, bucket, cells.count)


def blocks(records: Array) -> Iterator[tuple[int, NDArray[np.void]]]:
    """Yield blocks with the last record of the one before in front, and how many such there are: 0 or 1."""
    size = max(1, _BLOCK_BYTES // records.dtype.itemsize)
    for number, start in enumerate(range(0, len(records), size), 1):
        again = min(start, 1)
        yield again, opaque(np.asarray(records[start - again : start + size]))
        if isinstance(records, np.memmap) and number % _HELD_BLOCKS == 0 and hasattr(mmap, "MADV_DONTNEED"):
            records._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]


def _equal_to_previous(words: Array) -> Flags:
    """Compare neighbours by their first two words, and in full where these agree: few do."""
    same: Flags = (words[1:, 0] == words[:-1, 0]) & (words[1:, 1] == words[:-1, 1])
    tied = np.flatnonzero(same)
    same[tied] = (words[tied + 1] == words[tied]).all(axis=1)
    return same


class _Signs:
    """The signs of each cell, of which the last of a block may go on in the next."""

    def __init__(self) -> None:
        self._done = Pairs()
        self._open = Occupied(np.zeros(1, np.int64), np.zeros(1, np.int64))
        self._open_plus = np.zeros(1, np.int64)

    def add(self, cells: Array, plus: Array) -> None:
        runs = _runs(cells.astype(np.int64))
        of_runs = np.add.reduceat(plus, np.cumsum(runs.count) - runs.count, dtype=np.int64)
        if runs.index[0] == self._open.index[0]:
            runs.count[0] += self._open.count[0]
            of_runs[0] += self._open_plus[0]
        else:
            self._done += _matched(self._open.count, self._open_plus)
        self._done += _matched(runs.count[:-1], of_runs[:-1])
        self._open, self._open_plus = Occupied(runs.index[-1:], runs.count[-1:]), of_runs[-1:]

    def pairs(self) -> Pairs:
        return self._done + _matched(self._open.count, self._open_plus)


def _matched(records: Integers, plus: Integers) -> Pairs:
    """Match records of each cell: two of r with p plus signs agree with chance (p(p-1) + (r-p)(r-p-1))/r(r-1)."""
    several = records > 1
    r, p = records[several], plus[several].astype(np.float64)
    agreeing = (r // 2) * (p * (p - 1) + (r - p) * (r - p - 1)) / (r * (r - 1.0))
    return Pairs(int((r // 2).sum()), float(agreeing.sum()))


def _runs(values: Integers) -> Occupied:
    starts = np.concatenate(([0], np.flatnonzero(values[1:] != values[:-1]) + 1))
    return Occupied(values[starts], np.diff(np.append(starts, len(values))))


def _joined(parts: list[Occupied]) -> Occupied:
    """Add up what two blocks have of the same index."""
    if not parts:
        return Occupied(np.zeros(0, np.int64), np.zeros(0, np.int64))
    index, place = np.unique(np.concatenate([part.index for part in parts]), return_inverse=True)
    counts = np.zeros(len(index), np.int64)
    np.add.at(counts, place, np.concatenate([part.count for part in parts]))
    return Occupied(index, counts)


def count_repeats(same: list[Flags]) -> tuple[int, int]:
    """Return how many records equal the one before, and the length of the longest run of equal ones."""
    if not same:
        return 0, 0
    repeated = np.flatnonzero(np.concatenate(same))
    if not len(repeated):
        return 0, 1
    breaks = np.flatnonzero(np.diff(repeated) != 1) + 1
    lengths = np.diff(np.concatenate(([0], breaks, [len(repeated)])))
    return len(repeated), int(lengths.max()) + 1
