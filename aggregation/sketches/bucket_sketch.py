"""Sketches of buckets: the reports of every cell (row, bucket), counted and read out a block of rows at a time.

A report is one cell, so that the table of a sketch is a histogram of records. Buckets are of any number, g.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Integers
from .hashing import HashFamily
from .readout import read_shards
from .row_slices import RowSlices

# A block's table; at least one row.
_TABLE_BYTES: Final = 2**20
# The tables of all shards read out together hold no more than this, unless one alone does.
_GROUP_BYTES: Final = 2**25
_SHARDS_AT_ONCE: Final = 32
# Records counted at once, which stay in a core's cache.
_RECORDS_AT_ONCE: Final = 2**15
_CELL: Final = np.dtype(np.int32)
# One of the cells' own type: a number of another one is added several times as slowly.
_ONE: Final = _CELL.type(1)


def add_buckets(sketch: NDArray[np.int32], records: Array) -> None:
    """Count the records of every cell, and add them to a whole sketch in place.

    Parameters
    ----------
    sketch : ndarray of int32, shape (k, g)
        In C order. Sketches merge by addition.
    records : structured ndarray, shape (n,)
        Sorted records of dtype ``bucket_dtype()``, packed for g buckets.
    """
    table = sketch.reshape(-1)
    for start in range(0, len(records), _RECORDS_AT_ONCE):
        np.add.at(table, records["row_bucket"][start : start + _RECORDS_AT_ONCE].astype(np.intp), _ONE)


def read_buckets(
    shards: Sequence[Array], family: HashFamily, points: Array, g: int, start_row: int, stop_row: int
) -> Integers:
    """Count the reports in each element's cells over a range of rows, for several shards of one family at once.

    Parameters
    ----------
    shards : sequence of structured ndarray
        Sorted records of S shards, all of dtype ``bucket_dtype()``; each is read once, in order.
    family : HashFamily
        The hash functions; each (row, element) is hashed once for up to 32 shards, and only in rows that have reports
        in any of them.
    points : ndarray
        ``family.points`` of D elements.
    g : int
        Buckets of a row.
    start_row, stop_row : int
        The range.

    Returns
    -------
    ndarray of int64, shape (S, D)
        Exact support counts, which add up over ranges and shards.

    Notes
    -----
    Memory stays below 128 MB whatever the number of shards and of their reports.
    """
    at_once = max(1, min(_SHARDS_AT_ONCE, _GROUP_BYTES // (g * _CELL.itemsize)))

    def table(records: Array, own: RowSlices) -> NDArray[np.int32]:
        return _table(records, own, g)

    def rows_per_block(longest: int) -> int:
        return max(1, _TABLE_BYTES // (g * _CELL.itemsize))

    return read_shards(shards, at_once, family, points, range(start_row, stop_row), table, rows_per_block, g)


def _table(records: Array, own: RowSlices, g: int) -> NDArray[np.int32]:
    """Count the records of every cell of some rows, all that have records between the first and the last of them."""
    table = np.zeros(len(own.rows) * g, _CELL)
    used = own.stops > own.starts
    if used.any():
        # Cells of rows that are left out are not in the table.
        skipped = (own.rows - np.arange(len(own.rows))) * g
        begin, end = int(own.starts[used][0]), int(own.stops.max())
        for start in range(begin, end, _RECORDS_AT_ONCE):
            stop = min(start + _RECORDS_AT_ONCE, end)
            cells = records["row_bucket"][start:stop].astype(np.intp)
            if skipped[0] == skipped[-1]:
                cells -= skipped[0]
            else:
                cells -= np.repeat(skipped, np.clip(own.stops, start, stop) - np.clip(own.starts, start, stop))
            np.add.at(table, cells, _ONE)
    return table.reshape(-1, g)
