"""Files of sorted records of one version: of one locale and stream, or of all that an upload has.

An array in NumPy's format either way. Of one locale and stream its items are the records. Of several its items are
bytes, those of each locale and stream one after the other, ordered by both; where each lies is in the row that owns the
file (`RecordFileRow`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggregation.registry import Mechanism
from reports.models import Version
from reports.models.record_files import Slice
from reports.storage import write_array

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


def views(data: NDArray[np.uint8], slices: Sequence[Slice], mechanism: Mechanism) -> Iterator[Array]:
    """Yield the records of slices that lie side by side, given the bytes from the first on."""
    dtypes: dict[str, np.dtype[Any]] = {}
    for each in slices:
        dtype = dtypes.get(each.stream)
        if dtype is None:
            dtype = dtypes[each.stream] = mechanism.record_dtype(each.stream)
        start = each.start - slices[0].start
        yield data[start : start + each.size * dtype.itemsize].view(np.ndarray).view(dtype)
