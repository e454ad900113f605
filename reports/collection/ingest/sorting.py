"""Sorting more records than fit into memory: sorted runs in a folder, merged in the end."""

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from aggregation.encoding import join_records, merge_sorted, sort_records
from reports.storage import write_array

Array = NDArray[Any]
Key = TypeVar("Key")

# Sorted and written out when this much is held: it bounds the memory, whatever the amount of records.
HELD_BYTES = 48 << 20
MERGE_BYTES = 16 << 20


class Sorted(NamedTuple):
    """A sorted file."""

    size: int
    path: Path


class Sorter(Generic[Key]):
    """Takes records in, by key, and hands one sorted file out for each. Its files lie in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[Key, list[Array]] = {}
        self._held_bytes = 0
        self._runs: dict[Key, list[Path]] = {}
        self._files = 0

    @property
    def is_empty(self) -> bool:
        return not self._held and not self._runs

    def add(self, key: Key, records: Array) -> None:
        """Add records in any order; they stay as they are until the sorter is finished."""
        self._held.setdefault(key, []).append(records)
        self._held_bytes += records.nbytes
        if self._held_bytes >= HELD_BYTES:
            self._spill()

    def add_sorted(self, key: Key, path: Path) -> None:
        """Add a file that is sorted already. Small ones are read at once: more may come than can be open together."""
        records = np.load(path, mmap_mode="r")
        if records.nbytes < HELD_BYTES:
            self.add(key, np.array(records))
        else:
            self._runs.setdefault(key, []).append(path)

    def finish(self) -> Iterator[tuple[Key, Sorted]]:
        self._spill()
        for key, paths in self._runs.items():
            runs = [np.load(path, mmap_mode="r") for path in paths]
            size = sum(map(len, runs))
            if len(runs) == 1 and paths[0].parent == self._folder:
                yield key, Sorted(size, paths[0])
            else:
                yield key, Sorted(size, self._write(runs[0].dtype, size, _merged(runs)))

    def _spill(self) -> None:
        for key in list(self._held):
            records = sort_records(join_records(self._held.pop(key)))
            self._runs.setdefault(key, []).append(self._write(records.dtype, len(records), [records]))
        self._held_bytes = 0

    def _write(self, dtype: np.dtype[Any], size: int, chunks: Iterator[Array] | list[Array]) -> Path:
        self._files += 1
        path = self._folder / f"{self._files}.npy"
        write_array(path, dtype, size, chunks)
        return path


def _merged(runs: list[np.memmap[Any, Any]]) -> Iterator[Array]:
    for chunk in merge_sorted(runs, MERGE_BYTES):
        yield chunk
        # What is mapped counts as this process's memory until it is let go.
        for run in runs:
            if hasattr(mmap, "MADV_DONTNEED"):
                run._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]
