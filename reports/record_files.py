"""Files of sorted records of one version: of one locale and stream, or of all that an upload has.

An array in NumPy's format either way. Of one locale and stream its items are the records. Of several its items are
bytes, those of each locale and stream one after the other, ordered by both; where each lies is in the row that owns the
file (`RecordFileRow`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.registry import Mechanism
from reports.models import Version
from reports.models.record_files import RecordFileRow, Slice
from reports.storage import ByteRange, open_bytes, write_array

Array = NDArray[Any]

BYTES = np.dtype(np.uint8)


class Sorted(NamedTuple):
    """Sorted records, in chunks."""

    dtype: np.dtype[Any]
    size: int
    chunks: Iterable[Array]


class Records(NamedTuple):
    """Sorted records of a locale and stream, on their way to a file."""

    locale: str
    stream: str
    found: Sorted


@dataclass(frozen=True)
class RecordFile:
    """File on this machine, ready to be stored or read."""

    version: Version
    path: Path
    slices: Sequence[Slice]

    def arrays(self) -> dict[Slice, Array]:
        """Return the records of each slice, mapped read-only."""
        data = np.load(self.path, mmap_mode="r", allow_pickle=False).view(BYTES)
        return dict(zip(self.slices, views(data, self.slices, self.version.mechanism), strict=True))

    def columns(self, *, indexed: bool = False) -> dict[str, Any]:
        """Return the columns of its row, wherever it goes, but for the name of the file."""
        size = sum(each.size for each in self.slices)
        if len(self.slices) == 1 and not indexed:
            (one,) = self.slices
            return {"version": self.version, "locale": one.locale, "stream": one.stream, "size": size}
        return {"version": self.version, "size": size, "index": self.slices}


def write_records(path: Path, version: Version, records: Sequence[Records]) -> RecordFile:
    """Write records, ordered by locale and stream, without holding them all."""
    slices, start = [], 0
    for locale, stream, (dtype, size, _chunks) in records:
        slices.append(Slice(locale, stream, start, size))
        start += size * dtype.itemsize
    dtype, size, _chunks = records[0].found if len(records) == 1 else Sorted(BYTES, start, ())
    write_array(path, dtype, size, (chunk for each in records for chunk in each.found.chunks))
    return RecordFile(version, path, slices)


def range_of(row: RecordFileRow, mechanism: Mechanism, slices: Sequence[Slice]) -> ByteRange:
    """Return where the bytes of slices are that lie side by side in a row's file."""
    # The length of the header does not depend on the number of bytes.
    dtype, items = (BYTES, 1) if row.index is not None else (mechanism.record_dtype(row.stream), row.size)
    stop = slices[-1].start + slices[-1].num_bytes(mechanism)
    return ByteRange(row.file_name, dtype, items, slices[0].start, stop)


def open_records(rows: Sequence[RecordFileRow], mechanism: Mechanism) -> list[Array]:
    """Return all records of files of one locale and stream each; those of a bucket are fetched side by side."""
    ranges = [range_of(row, mechanism, row.slices()) for row in rows]
    return [
        octets.view(np.ndarray).view(mechanism.record_dtype(row.stream))
        for row, octets in zip(rows, open_bytes(ranges), strict=True)
    ]


def open_divisions(row: RecordFileRow, mechanism: Mechanism, start: int, stop: int) -> Array:
    """Return the records of a range of divisions in the file of a locale and stream, perhaps with some beside them.

    Where they are is guessed, for honest devices draw divisions evenly, and then looked at.
    """
    dtype, keys, n = mechanism.record_dtype(row.stream), mechanism.keys_per_division, row.size

    def read(first: int, last: int) -> Array:
        (octets,) = open_bytes([ByteRange(row.file_name, dtype, n, first * dtype.itemsize, last * dtype.itemsize)])
        return octets.view(dtype)

    if keys is None:
        return read(0, n)
    low, high, margin = n * start // mechanism.divisions, -(-n * stop // mechanism.divisions), 16 + 4 * math.isqrt(n)
    while True:
        first, last = max(0, low - margin), min(n, high + margin)
        records = read(first, last)
        if _has_all(records, first == 0, last == n, start * keys, stop * keys):
            return records
        margin *= 8


def _has_all(records: Array, from_first: bool, to_last: bool, start: int, stop: int) -> bool:
    """Tell whether no record of these sort keys is outside of some records of a file."""
    sort_keys = records[records.dtype.names[0]]  # type: ignore[index]
    return (from_first or int(sort_keys[0]) < start) and (to_last or int(sort_keys[-1]) >= stop)


def views(data: NDArray[np.uint8], slices: Sequence[Slice], mechanism: Mechanism) -> Iterator[Array]:
    """Yield the records of slices that lie side by side, given the bytes from the first on."""
    dtypes: dict[str, np.dtype[Any]] = {}
    for each in slices:
        dtype = dtypes.get(each.stream)
        if dtype is None:
            dtype = dtypes[each.stream] = mechanism.record_dtype(each.stream)
        start = each.start - slices[0].start
        yield data[start : start + each.size * dtype.itemsize].view(np.ndarray).view(dtype)
