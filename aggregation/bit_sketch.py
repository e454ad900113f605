"""Sketches of bit vectors: the one-bits of every cell (row, bucket), counted and read out a block of rows at a time.

No whole sketch is held for a read-out: 65,536 rows of 1,024 buckets would be 256 MB, a block of them stays in cache.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.bitsliced import count_columns, runs_at_once
from aggregation.errors import ParameterError
from aggregation.hashing import HashFamily
from aggregation.readout import add_read_out

# Shards read out together: their block tables, of at most 2^20 bytes each, are held at once. Hashing the elements again
# for the next so many costs little beside reading them.
_SHARDS_AT_ONCE: Final = 32
# Rows whose slices of all those shards are held at once.
_ROWS_AT_ONCE: Final = 2**15


class RowSlices(NamedTuple):
    """Where in a sorted shard the records of some rows are: ``records[starts[i]:stops[i]]`` for ``rows[i]``."""

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]
    stops: NDArray[np.intp]

    def of(self, rows: NDArray[np.intp]) -> "RowSlices":
        """Return the slices of other rows, which include these; empty where there are no records."""
        place = np.searchsorted(rows, self.rows)
        starts, stops = np.zeros(len(rows), np.intp), np.zeros(len(rows), np.intp)
        starts[place], stops[place] = self.starts, self.stops
        return RowSlices(rows, starts, stops)


def row_bounds(records: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return, for each row number, how many of the sorted records have a smaller one.

    Parameters
    ----------
    records : structured ndarray, shape (n,)
        Sorted records with a field ``row``; of a memory map only the pages on the way of the bisections are read.
    rows : ndarray of int, shape (r,)
        Row numbers.

    Returns
    -------
    ndarray of int, shape (r,)
        Positions as of `numpy.searchsorted` on the left, which itself would copy the whole column.
    """
    key = records["row"]
    low, high = np.zeros(len(rows), np.intp), np.full(len(rows), len(records), np.intp)
    for _ in range(len(records).bit_length()):
        middle = (low + high) // 2
        # Where a bisection is over, middle may be one past the end; whatever is compared there changes nothing.
        below = (key[np.minimum(middle, len(records) - 1)] < rows) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low


def occupied_rows(records: NDArray[Any], start_row: int, stop_row: int) -> RowSlices:
    """Return the slices of the rows of a range that have records, ascending."""
    low, high = row_bounds(records, np.array([start_row, stop_row])).tolist()
    if high - low < stop_row - start_row:
        rows, first = np.unique(records["row"][low:high].astype(np.intp), return_index=True)
        bounds = np.append(first + low, high)
        return RowSlices(rows, bounds[:-1], bounds[1:])
    bounds = row_bounds(records, np.arange(start_row, stop_row + 1))
    used = np.flatnonzero(bounds[1:] > bounds[:-1])
    return RowSlices(used + start_row, bounds[used], bounds[used + 1])


def count_ones(records: NDArray[Any], start_row: int, stop_row: int) -> NDArray[np.int32]:
    """Count the one-bits of every cell in a range of rows.

    Parameters
    ----------
    records : structured ndarray, shape (n,)
        Sorted records of dtype ``bit_vector_dtype(m)``.
    start_row, stop_row : int
        The range.

    Returns
    -------
    ndarray of int32, shape (stop_row - start_row, m)
        Exact counts. Sketches of the same range merge by addition.
    """
    sketch = np.zeros((stop_row - start_row, records.dtype["bits"].shape[0] * 8), np.int32)
    rows, starts, stops = occupied_rows(records, start_row, stop_row)
    step = runs_at_once(records.itemsize)
    for block in (slice(start, start + step) for start in range(0, len(rows), step)):
        sketch[rows[block] - start_row] = count_columns(records, starts[block], stops[block])
    return sketch


def read_ones(
    shards: Sequence[NDArray[Any]], family: HashFamily, points: NDArray[Any], start_row: int, stop_row: int
) -> NDArray[np.int64]:
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
    totals = np.empty((len(shards), len(points)), np.int64)
    for start in range(0, len(shards), _SHARDS_AT_ONCE):
        group = slice(start, start + _SHARDS_AT_ONCE)
        totals[group] = _read_group(shards[group], family, points, start_row, stop_row)
    return totals


def _read_group(
    shards: Sequence[NDArray[Any]], family: HashFamily, points: NDArray[Any], start_row: int, stop_row: int
) -> NDArray[np.int64]:
    totals = np.zeros((len(points), len(shards)), np.int64)
    reports = sum(map(len, shards))
    # A few reports are found in one go, over however many rows they are spread.
    width = max(_ROWS_AT_ONCE, (stop_row - start_row) * _ROWS_AT_ONCE // max(1, reports))
    for first_row in range(start_row, stop_row, width):
        slices = [occupied_rows(shard, first_row, min(first_row + width, stop_row)) for shard in shards]
        rows = np.unique(np.concatenate([own.rows for own in slices]))
        slices = [own.of(rows) for own in slices]
        longest = max(int((own.stops - own.starts).max(initial=0)) for own in slices)
        # Counts of more than a byte each come from rows of several counters, so that fewer rows are as much work.
        step = max(1, runs_at_once(shards[0].itemsize) // np.min_scalar_type(longest).itemsize)
        for block in (slice(start, start + step) for start in range(0, len(rows), step)):
            tables = [
                count_columns(shard, own.starts[block], own.stops[block])
                for shard, own in zip(shards, slices, strict=True)
            ]
            add_read_out(totals, tables, rows[block], family, points)
    return totals.T


def check_range(start_row: int, stop_row: int, k: int) -> None:
    """Raise a ParameterError unless these are rows of a sketch of k rows."""
    if not 0 <= start_row <= stop_row <= k:
        raise ParameterError("k", f"Rows {start_row} to {stop_row} are no range within 0 to {k}.")
