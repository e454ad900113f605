"""Reading elements out of sketches: the sum, over hash rows, of the cell each element falls into."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ..arrays import Array, Integers, Places
from .hashing import HashFamily
from .row_slices import RowSlices, blocks_of_rows

# Look-ups made at once: 16 rows of 4,096 elements, whose hashes and indices stay in a core's second-level cache.
_ELEMENTS: Final = 4096
_LOOKUPS: Final = 16 * _ELEMENTS
# A sum of so many byte counts still fits 16 bits.
_MOST_ROWS: Final = 256
# Cells that lie side by side for look-ups stay in the last-level cache, or are at least those of a few rows.
_CELL_BYTES: Final = 2**23
_FEWEST_ROWS: Final = 4


def add_read_out(totals: Integers, tables: Sequence[Array], rows: Places, family: HashFamily, points: Array) -> None:
    """Add the cells of every element in the given rows to exact totals.

    Parameters
    ----------
    totals : ndarray of int64, shape (D, S)
        Changed in place.
    tables : sequence of S integer ndarrays, each of shape (len(rows), m)
        The same rows of S sketches over one family.
    rows : ndarray of int, shape (len(rows),)
        The hash rows these are, ascending.
    family : HashFamily
        Gives the buckets; asked once for all S sketches.
    points : ndarray, first axis of length D
        The elements' points.

    Notes
    -----
    The S counts of a cell lie side by side and are taken as one item, so a second sketch costs little.
    """
    if not len(tables) or not len(points):
        return
    m = tables[0].shape[1]
    step = max(16, min(_MOST_ROWS, _LOOKUPS // len(points)))
    lane = _lane(tables, step)
    step = max(_FEWEST_ROWS, min(step, _CELL_BYTES // (m * len(tables) * lane.itemsize)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        cells = np.stack([table[part] for table in tables], axis=-1, dtype=lane, casting="unsafe")
        items = cells.reshape(-1) if len(tables) == 1 else cells.view(f"V{len(tables) * lane.itemsize}").reshape(-1)
        first_cell = np.arange(len(cells))[:, None] * m
        for element in range(0, len(points), _ELEMENTS):
            chunk = slice(element, element + _ELEMENTS)
            index = family.buckets_of_rows(points[chunk], rows[part], m)
            taken = items.take(index + first_cell).view(lane)
            totals[chunk] += np.add.reduce(taken, axis=0, dtype=lane).reshape(-1, len(tables))


def read_shards(
    shards: Sequence[Array],
    at_once: int,
    family: HashFamily,
    points: Array,
    rows: range,
    table: Callable[[Array, RowSlices], Array],
    rows_per_block: Callable[[int], int],
    keys_per_row: int = 1,
) -> Integers:
    """Read elements out of the sketches of several shards, a block of rows at a time, so that no sketch is whole.

    Parameters
    ----------
    shards : sequence of structured ndarray
        Sorted records of S shards.
    at_once : int
        How many shards are read together: their tables are held at once, and each (row, element) is hashed once.
    family, points
        As for `add_read_out`.
    rows : range
        Consecutive hash rows.
    table : callable
        Makes the cells of some rows of records that are at some places in a shard.
    rows_per_block, keys_per_row
        As for `blocks_of_rows`.

    Returns
    -------
    ndarray of int64, shape (S, D)
        Exact sums, which add up over ranges and shards.
    """
    totals = np.empty((len(shards), len(points)), np.int64)
    for start in range(0, len(shards), at_once):
        group = shards[start : start + at_once]
        sums = np.zeros((len(points), len(group)), np.int64)
        for own_rows, slices in blocks_of_rows(group, rows.start, rows.stop, rows_per_block, keys_per_row):
            tables = [table(shard, own) for shard, own in zip(group, slices, strict=True)]
            add_read_out(sums, tables, own_rows, family, points)
        totals[start : start + at_once] = sums.T
    return totals


def _lane(tables: Sequence[Array], rows: int) -> np.dtype[Any]:
    """Return the narrowest type, of those worth having, that holds any sum over so many rows."""
    if all(table.dtype == np.uint8 for table in tables):
        return np.dtype(np.uint16)
    largest = rows * max(max(int(table.max(initial=0)), -int(table.min(initial=0))) for table in tables)
    return next(np.dtype(name) for name in (np.int16, np.int32, np.int64) if largest <= np.iinfo(name).max)
