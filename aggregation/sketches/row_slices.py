"""Finding the records of some hash rows in sorted shards, a block of rows at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Places
from ..errors import ParameterError

# Rows whose slices of all shards are held at once.
_ROWS_AT_ONCE: Final = 2**15


class RowSlices(NamedTuple):
    """Slices of a sorted shard with the records of some rows: ``records[starts[i]:stops[i]]`` for ``rows[i]``."""

    rows: Places
    starts: Places
    stops: Places

    def of(self, rows: Places) -> "RowSlices":
        """Return the slices of other rows, which include these; empty where there are no records."""
        place = np.searchsorted(rows, self.rows)
        starts, stops = np.zeros(len(rows), np.intp), np.zeros(len(rows), np.intp)
        starts[place], stops[place] = self.starts, self.stops
        return RowSlices(rows, starts, stops)

    def part(self, part: slice) -> "RowSlices":
        """Return some of the slices."""
        return RowSlices(self.rows[part], self.starts[part], self.stops[part])

    def longest(self) -> int:
        """Return the most records of a row."""
        return int((self.stops - self.starts).max(initial=0))


def row_bounds(records: Array, rows: Places, keys_per_row: int = 1) -> Places:
    """Return, for each row number, how many of the sorted records have a smaller one.

    Parameters
    ----------
    records : structured ndarray, shape (n,)
        Sorted records whose first field is the sort key; of a memory map only the pages on the way of the bisections
        are read.
    rows : ndarray of int, shape (r,)
        Row numbers.
    keys_per_row : int
        How many keys a row has: its number is the key divided by that.

    Returns
    -------
    ndarray of int, shape (r,)
        Positions as of `numpy.searchsorted` on the left, which itself would copy the whole column.
    """
    key, first_keys = _keys(records), rows * keys_per_row
    low, high = np.zeros(len(rows), np.intp), np.full(len(rows), len(records), np.intp)
    for _ in range(len(records).bit_length()):
        middle = (low + high) // 2
        # Where a bisection is over, middle may be one past the end; whatever is compared there changes nothing.
        below = (key[np.minimum(middle, len(records) - 1)] < first_keys) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low


def occupied_rows(records: Array, start_row: int, stop_row: int, keys_per_row: int = 1) -> RowSlices:
    """Return the slices of the rows ``start_row`` … ``stop_row - 1`` that have records, ascending.

    Records are sorted; a row has ``keys_per_row`` successive keys.
    """
    low, high = row_bounds(records, np.array([start_row, stop_row]), keys_per_row).tolist()
    if high - low < stop_row - start_row:
        own = _keys(records)[low:high].astype(np.intp) // keys_per_row
        rows, first = np.unique(own, return_index=True)
        bounds = np.append(first + low, high)
        return RowSlices(rows, bounds[:-1], bounds[1:])
    bounds = row_bounds(records, np.arange(start_row, stop_row + 1), keys_per_row)
    used = np.flatnonzero(bounds[1:] > bounds[:-1])
    return RowSlices(used + start_row, bounds[used], bounds[used + 1])


def blocks_of_rows(
    shards: Sequence[Array], start_row: int, stop_row: int, rows_per_block: Callable[[int], int], keys_per_row: int = 1
) -> Iterator[tuple[Places, list[RowSlices]]]:
    """Yield the rows of a range that have records in any shard, a block at a time, with each shard's slices of them.

    ``rows_per_block`` is told the most records that any row has in any shard, and says how many rows make a block.
    """
    reports = sum(map(len, shards))
    # A few reports are found in one go, over however many rows they are spread.
    width = max(_ROWS_AT_ONCE, (stop_row - start_row) * _ROWS_AT_ONCE // max(1, reports))
    for first_row in range(start_row, stop_row, width):
        last_row = min(first_row + width, stop_row)
        slices = [occupied_rows(shard, first_row, last_row, keys_per_row) for shard in shards]
        rows = np.unique(np.concatenate([own.rows for own in slices]))
        slices = [own.of(rows) for own in slices]
        step = rows_per_block(max(own.longest() for own in slices))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            yield rows[part], [own.part(part) for own in slices]


def check_range(start_row: int, stop_row: int, k: int) -> None:
    """Raise a ParameterError unless these are rows of a sketch of k rows."""
    if not 0 <= start_row <= stop_row <= k:
        raise ParameterError("k", f"Rows {start_row} to {stop_row} are no range within 0 to {k}.")


def _keys(records: Array) -> Array:
    keys: Array = records[records.dtype.names[0]]  # type: ignore[index]
    return keys
