"""Sorting more records than fit into memory: sorted runs in a folder, merged in the end."""

import mmap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from aggregation.encoding import join_records, merge_sorted, sort_records
from reports.record_files import Array, Sorted

# Ordered: sorted records are handed out in the order of their keys.
Key = TypeVar("Key", bound=tuple[Any, ...])

# Sorted and written out when this much is held: it bounds the memory, whatever the amount of records.
HELD_BYTES = 48 << 20
MERGE_BYTES = 16 << 20


class Sorter(Generic[Key]):
    """Takes records in, by key, and hands them out sorted. Its files lie in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[Key, list[Array]] = {}
        self._held_bytes = 0
        self._runs: list[Mapping[Key, Array]] = []

    @property
    def is_empty(self) -> bool:
        return not self._held and not self._runs

    def add(self, key: Key, records: Array) -> None:
        """Add records in any order; they stay as they are until the sorter is finished."""
        self._held.setdefault(key, []).append(records)
        self._held_bytes += records.nbytes
        if self._held_bytes >= HELD_BYTES:
            self._spill()

    def finish(self) -> Iterator[tuple[Key, Sorted]]:
        for key in sorted({*self._held, *(key for run in self._runs for key in run)}):
            parts = [run[key] for run in self._runs if key in run]
            if key in self._held:
                parts.append(sort_records(join_records(self._held.pop(key))))
            yield key, merged(parts)

    def _spill(self) -> None:
        """Write what is held to one file, of which each key has a slice."""
        path = self._folder / f"{len(self._runs)}.run"
        places: dict[Key, tuple[int, np.dtype[Any]]] = {}
        with path.open("wb") as file:
            for key in sorted(self._held):
                records = sort_records(join_records(self._held.pop(key)))
                places[key] = len(records), records.dtype
                file.write(records.data.cast("B"))
        self._held_bytes = 0
        data, run, start = np.memmap(path, np.uint8, "r"), {}, 0
        for key, (size, dtype) in places.items():
            stop = start + size * dtype.itemsize
            run[key] = data[start:stop].view(np.ndarray).view(dtype)
            start = stop
        self._runs.append(run)


def merged(parts: Sequence[Array]) -> Sorted:
    """Merge at least one sorted array: in memory if they are small, or else in a stream."""
    dtype, size = parts[0].dtype, sum(map(len, parts))
    if size * dtype.itemsize > HELD_BYTES:
        return Sorted(dtype, size, _stream(parts))
    if len(parts) == 1:
        return Sorted(dtype, size, parts)
    return Sorted(dtype, size, (sort_records(join_records(parts)) for _once in (None,)))


def _stream(parts: Sequence[Array]) -> Iterator[Array]:
    maps = [found for part in parts if (found := _map_of(part)) is not None]
    for chunk in merge_sorted(parts, MERGE_BYTES):
        yield chunk
        # Mapped files count as this process's memory until they are let go.
        for each in maps:
            if hasattr(mmap, "MADV_DONTNEED"):
                each.madvise(mmap.MADV_DONTNEED)


def _map_of(array: Any) -> mmap.mmap | None:
    """Return the memory map that an array is a view of."""
    while isinstance(array, np.ndarray):
        array = array.base
    return array if isinstance(array, mmap.mmap) else None
