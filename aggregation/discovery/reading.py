"""Reading fragments and words out of the sketches of several days."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..arrays import Array, Integers
from ..registry import DiscoveryMechanism
from ..sketches import add_read_out, check_range
from .keys import FragmentKeys
from .sketches import Sketches

# Cells of a position that are added up at once: those of 256 rows, as deployed; of more buckets than these, of one row.
_CELLS: Final = 2**18


def read_fragments(
    mechanism: DiscoveryMechanism, days: Sequence[Sketches], keys: FragmentKeys, start_row: int, stop_row: int
) -> Integers:
    """Add up every key's cells, for every position, over all days and a range of rows.

    Parameters
    ----------
    mechanism : DiscoveryMechanism
        The one the sketches are of.
    days : sequence of Sketches
        The days of a window. Only this range of their fragments is looked at, so they may be memory-mapped.
    keys : FragmentKeys
        K keys over the mechanism's fragment family.
    start_row, stop_row : int
        The range.

    Returns
    -------
    ndarray of int64, shape (P, K)
        Exact sums, which add up over ranges and windows.

    Raises
    ------
    ParameterError
        If these are no rows of the fragment sketch.

    Notes
    -----
    Each (row, key) is hashed once for all days and positions, and only in rows that have a report: at most min(n, k').
    Beside what comes in, memory is for the result, with 64 letters and 8 positions 70 MB, and for a few rows: 20 MB for
    8 positions up to m' = 2^18, four times that at m' = 2^20, whatever k' and however many days.
    """
    num_rows, buckets = mechanism.fragment_shape
    check_range(start_row, stop_row, num_rows)
    positions = len(mechanism.positions)
    # The counts of a cell are taken as one item, which is fastest at 2, 4, 8 or 16 bytes.
    padded = 1 << (positions - 1).bit_length()
    totals = np.zeros((len(keys), padded), np.int64)
    step = max(_CELLS // buckets, 1)
    for start in range(start_row, stop_row, step):
        rows = slice(start, min(start + step, stop_row))
        tables = [_sum(days, place, rows) for place in range(positions if days else 0)]
        used = np.flatnonzero(np.any([table.any(axis=1) for table in tables], axis=0))
        if len(used):
            for place, table in enumerate(tables):
                tables[place] = table[used]
            tables += [np.zeros_like(tables[0])] * (padded - positions)
            add_read_out(totals, tables, used + start, mechanism.fragments.family, keys.points)
    return totals[:, :positions].T


def read_words(mechanism: DiscoveryMechanism, days: Sequence[Sketches], words: Sequence[str]) -> Integers:
    """Add up every word's cells, for each day by itself.

    Parameters
    ----------
    mechanism : DiscoveryMechanism
        The one the sketches are of.
    days : sequence of Sketches
        T days; only their words are looked at.
    words : sequence of str
        D padded words.

    Returns
    -------
    ndarray of int64, shape (T, D)
        Exact sums over all rows, which add up over days: `read_out` of the sketch of words gives the same of reports.
    """
    totals = np.zeros((len(words), len(days)), np.int64)
    family, rows = mechanism.words.family, np.arange(mechanism.word_shape[0])
    add_read_out(totals, [day.words for day in days], rows, family, family.points(words))
    return totals.T


def _sum(days: Sequence[Sketches], place: int, rows: slice) -> Array:
    """Add up one position, in the narrowest type that holds the result: look-ups then take fewer bytes."""
    # One day after the other: so many days at once would take as many times the memory.
    most = sum(int(np.iinfo(day.fragments.dtype).max) for day in days)
    total = days[0].fragments[place, rows].astype(np.min_scalar_type(most))
    for day in days[1:]:
        total += day.fragments[place, rows]
    return total.astype(np.min_scalar_type(int(total.max(initial=0))), copy=False)
