"""Tests of how records are spread over what devices draw uniformly: rows, coordinates, positions, cells."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from ..arrays import Array, Integers
from ..registry import Finding
from .findings import of_counts
from .summaries import Occupied
from .tails import Count, bounded, few_occupied, many_occupied

# With more values than that, neighbours are counted together, so that the counts do not outgrow the records.
_MOST_GROUPS: Final = 2**20


def judge_evenness(test: str, stream: str, occupied: Occupied, values: int) -> Finding:
    """Test that indices are uniform on 0 … values - 1, by counts of single ones and of groups.

    Parameters
    ----------
    test, stream : str
        For the finding.
    occupied : Occupied
        The indices that occur.
    values : int
        How many there are to draw from.

    Returns
    -------
    Finding
        Of the group whose count is the most surprising. Groups are the ranges of 2^s neighbours and the residues mod
        2^s, for every s; each count is Binomial(n, share), whatever n is. Every level of groups has the same part of
        the false alarms.
    """
    n = int(occupied.count.sum())
    levels = [*_levels(occupied, values)]
    counts = [count for level in levels for count in _extremes(level, n, len(levels))]
    return of_counts(test, stream, counts)


class _Level:
    """Groups of indices that are as large as each other but for a last value: counts, sizes, and which are meant."""

    def __init__(self, counts: Array, sizes: Integers, step: int, width: int) -> None:
        self.counts, self.sizes, self.step, self.width = counts, sizes, step, width

    def where(self, group: int) -> dict[str, float]:
        """Name the group: from its first index on, so many, each a step after the one before."""
        first = group * self.width if self.step == 1 else group
        return {"first": first, "step": self.step, "values": int(self.sizes[group])}


def _levels(occupied: Occupied, values: int) -> Iterator[_Level]:
    bits = (values - 1).bit_length()
    shift = max(0, bits - _MOST_GROUPS.bit_length() + 1)
    top = 1 << (bits - shift)
    groups = np.arange(top)
    counts = np.bincount(occupied.index >> shift, occupied.count, top)
    sizes = np.clip(values - (groups << shift), 0, 1 << shift)
    width = 1 << shift
    while len(counts) > 1:
        yield _Level(counts, sizes, 1, width)
        counts, sizes, width = counts[0::2] + counts[1::2], sizes[0::2] + sizes[1::2], 2 * width
    # Residues; those modulo all of 2^bits are the single indices again.
    counts = np.bincount(occupied.index & (top - 1), occupied.count, top)
    sizes = (values - groups + top - 1) // top
    while len(counts) > 2:
        half = len(counts) // 2
        counts, sizes = counts[:half] + counts[half:], sizes[:half] + sizes[half:]
        yield _Level(counts, sizes, half, 1)


def _extremes(level: _Level, n: int, levels: int) -> Iterator[Count]:
    """Yield the largest and the smallest count of the groups of each size."""
    values = int(level.sizes.sum())
    ways = 2 * levels * int((level.sizes > 0).sum())
    largest = int(level.sizes.max())
    of_size = [np.flatnonzero(level.sizes == largest), np.flatnonzero((level.sizes > 0) & (level.sizes < largest))]
    for groups in of_size:
        if not len(groups):
            continue
        counts = level.counts[groups]
        for place in (np.argmax(counts), np.argmin(counts)):
            group, seen = int(groups[place]), int(counts[place])
            share = int(level.sizes[group]) / values
            facts = {"seen": seen, "expected": n * share, "records": n, **level.where(group)}
            yield Count(seen, n, share, ways, facts)
            yield Count(n - seen, n, 1 - share, ways, facts)


def judge_occupancy(test: str, stream: str, occupied: int, n: int, cells: int) -> Finding:
    """Test how many of equally likely cells are occupied: too few, as if copied, or too many, as if dealt out in turn.

    Both tails are Chernoff's bounds on the exact distribution, see `tails.few_occupied`.
    """
    expected = -cells * np.expm1(n * np.log1p(-1 / cells)) if cells > 1 else 1.0
    facts = {"seen": occupied, "expected": float(expected), "records": n, "values": cells}
    if cells == 1:
        return Finding(test, stream, 1.0, facts)
    tail = few_occupied if occupied < expected else many_occupied
    return Finding(test, stream, bounded(2 * tail(occupied, n, cells)), facts)
