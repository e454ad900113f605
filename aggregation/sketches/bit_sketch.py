"""Sketches of bit vectors: the one-bits of every cell (row, bucket), counted and read out a block of rows at a time.

No whole sketch is held for a read-out: 65,536 rows of 1,024 buckets would be 256 MB, a block of them stays in cache.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Integers
from .bitsliced import count_columns, runs_at_once
from .hashing import HashFamily
from .readout import read_shards
from .row_slices import RowSlices, occupied_rows

# Shards read out together: their block tables, of at most 2^20 bytes each, are held at once. Hashing the elements again
# for the next so many costs little beside reading them.
_SHARDS_AT_ONCE: Final = 32


def add_ones(sketch: NDArray[np.int32], records: Array) -> None:
    """Count the one-bits of every cell, and add them to a whole sketch in place.

    Parameters
    ----------
    sketch : ndarray of int32, shape (k, m)
        Sketches merge by addition.
    records : structured ndarray, shape (n,)
        Sorted records of dtype ``bit_vector_dtype(m)``.
    """
    rows, starts, stops = occupied_rows(records, 0, len(sketch))
    step = runs_at_once(records.itemsize)
    for block in (slice(start, start + step) for start in range(0, len(rows), step)):
        sketch[rows[block]] += count_columns(records, starts[block], stops[block])


def read_ones(shards: Sequence[Array], family: HashFamily, points: Array, start_row: int, stop_row: int) -> Integers:
    """Count the one-bits in each element's cells over a range of rows, for several shards of one family at once.

    Parameters
    ----------
    shards : sequence of structured ndarray
        Sorted records of S shards, all of dtype ``bit_vector_dtype(m)``; each is read once, in order.
    family : HashFamily
        The hash functions; each (row, element) is hashed once for 32 shards, and only in rows that have reports in any
        of them.
    points : ndarray
        ``family.points`` of D elements.
    start_row, stop_row : int
        The range.

    Returns
    -------
    ndarray of int64, shape (S, D)
        Exact sums, which add up over ranges and shards.

    Notes
    -----
    Memory stays below 128 MB whatever the number of shards and of their reports: about 32 MB each for the slices of
    some rows, the tables of a block of them, and what of these lies side by side for look-ups.
    """

    def table(records: Array, own: RowSlices) -> NDArray[np.unsignedinteger[Any]]:
        return count_columns(records, own.starts, own.stops)

    def rows_per_block(longest: int) -> int:
        # Counts of more than a byte each come from rows of several counters, so that fewer rows are as much work.
        return max(1, runs_at_once(shards[0].itemsize) // np.min_scalar_type(longest).itemsize)

    return read_shards(shards, _SHARDS_AT_ONCE, family, points, range(start_row, stop_row), table, rows_per_block)
