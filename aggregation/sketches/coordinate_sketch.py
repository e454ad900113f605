"""Sketches of signed Hadamard coordinates: summed up cell by cell, transformed, and read out a block of rows at a time.

No whole sketch is held for a read-out: 1,024 rows of 32,768 coordinates would be 64 MB or more, a block of them stays
in cache.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Integers
from .hadamard import transform
from .hashing import HashFamily
from .readout import read_shards
from .row_slices import RowSlices, occupied_rows

# A block's table; at least one row.
_TABLE_BYTES: Final = 2**20
# The tables of all shards read out together hold no more than this in the widest type, unless one alone does.
_GROUP_BYTES: Final = 2**25
_SHARDS_AT_ONCE: Final = 32
# Records summed up at once, so that copies of them are small whatever a row has.
_RECORDS_AT_ONCE: Final = 2**15
_WIDEST: Final = np.dtype(np.int64)


def add_coordinates(sketch: NDArray[np.signedinteger[Any]], records: Array) -> None:
    """Sum up the signs of every cell before the transform, and add them to a whole sketch in place.

    Parameters
    ----------
    sketch : ndarray of signed integers, shape (k, m)
        Sketches merge by addition.
    records : structured ndarray, shape (n,)
        Sorted records of dtype ``coordinate_dtype()``.
    """
    m = sketch.shape[1]
    own = occupied_rows(records, 0, len(sketch), 2 * m)
    step = max(1, _TABLE_BYTES // (m * sketch.itemsize))
    for start in range(0, len(own.rows), step):
        block = own.part(slice(start, start + step))
        sketch[block.rows] += _table(records, block, m)


def read_coordinates(
    shards: Sequence[Array], family: HashFamily, points: Array, m: int, start_row: int, stop_row: int
) -> Integers:
    """Sum up the transformed cells of each element over a range of rows, for several shards of one family at once.

    Parameters
    ----------
    shards : sequence of structured ndarray
        Sorted records of S shards, all of dtype ``coordinate_dtype()``; each is read once, in order.
    family : HashFamily
        The hash functions; each (row, element) is hashed once for up to 32 shards, and only in rows that have reports
        in any of them.
    points : ndarray
        ``family.points`` of D elements.
    m : int
        Coordinates of a row.
    start_row, stop_row : int
        The range.

    Returns
    -------
    ndarray of int64, shape (S, D)
        Exact sums, which add up over ranges and shards.

    Notes
    -----
    Memory stays below 128 MB whatever the number of shards and of their reports: about 32 MB for the tables of a block
    of rows, twice that for what of them lies side by side for look-ups.
    """
    at_once = max(1, min(_SHARDS_AT_ONCE, _GROUP_BYTES // (m * _WIDEST.itemsize)))

    def table(records: Array, own: RowSlices) -> NDArray[np.signedinteger[Any]]:
        return transform(_table(records, own, m))

    def rows_per_block(longest: int) -> int:
        return max(1, _TABLE_BYTES // (m * _narrowest(longest).itemsize))

    return read_shards(shards, at_once, family, points, range(start_row, stop_row), table, rows_per_block, 2 * m)


def _narrowest(reports: int) -> np.dtype[np.signedinteger[Any]]:
    """Return the narrowest type worth having that holds every sum of the signs of so many reports."""
    return next(np.dtype(name) for name in (np.int16, np.int32, np.int64) if reports <= np.iinfo(name).max)


def _table(records: Array, own: RowSlices, m: int) -> NDArray[np.signedinteger[Any]]:
    """Sum up the signs of every cell of some rows, all that have records between the first and the last of them."""
    table = np.zeros(len(own.rows) * m, _narrowest(own.longest()))
    used = own.stops > own.starts
    if used.any():
        first_cells = np.arange(len(own.rows)) * m
        begin, end = int(own.starts[used][0]), int(own.stops.max())
        for start in range(begin, end, _RECORDS_AT_ONCE):
            stop = min(start + _RECORDS_AT_ONCE, end)
            packed = records["row_coordinate_sign"][start:stop].astype(np.intp)
            lengths = np.clip(own.stops, start, stop) - np.clip(own.starts, start, stop)
            cells = np.repeat(first_cells, lengths)
            cells += packed >> 1 & m - 1
            np.add.at(table, cells, (packed * 2 & 2).astype(table.dtype) - table.dtype.type(1))
    return table.reshape(-1, m)
