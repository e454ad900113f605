"""Reports in Parquet, a line for each, read as the documents that an upload has: all that follows is the same."""

import io
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, BinaryIO

from reports.bulk.places import MissingPackage
from reports.collection.ingest import FORMAT_VERSION, Refusal, UploadRefused

KEYS = ("use_case", "locale", "algorithm", "parameters")
COLUMNS = (*KEYS, "record")
# Decoded. Of row groups that follow each other, so many bytes become one batch, and of each so many are in memory.
BLOCK_BYTES = 256 << 20
BATCH_BYTES = 16 << 20
BUFFER_BYTES = 1 << 20
# In characters; those of the site are a few hundred.
PARAMETERS_LENGTH = 1 << 14


class ParquetReports:
    """A Parquet file of reports. Raises `UploadRefused` if it is none, and `MissingPackage` where none can be read."""

    def __init__(self, source: io.BufferedReader) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ModuleNotFoundError:
            raise MissingPackage("pyarrow") from None
        # Errors that PyArrow raises for damage; errors of the place are none of these.
        self._damage = (pa.ArrowException, OSError)
        try:
            self._file: Any = parquet.ParquetFile(source, buffer_size=BUFFER_BYTES, read_dictionary=list(COLUMNS))
        except self._damage:
            raise _broken() from None
        except KeyError as missing:
            raise _without(missing.args[0].decode()) from None
        schema = self._file.schema_arrow
        for name in COLUMNS:
            indices = schema.get_all_field_indices(name)
            if len(indices) != 1 or not _is_text(schema.field(indices[0]).type):
                raise _without(name)

    def blocks(self) -> list[range]:
        """Return ranges of row groups, each of which is taken in as one upload."""
        found, start, size = [], 0, 0
        for number in range(self._file.num_row_groups):
            more = self._file.metadata.row_group(number).total_byte_size
            if size and size + more > BLOCK_BYTES:
                found.append(range(start, number))
                start, size = number, 0
            size += more
        return [*found, range(start, self._file.num_row_groups)]

    def documents(self, groups: range) -> BinaryIO:
        """Return lines of JSON, documents of version 1, of the reports in some row groups."""
        return io.BufferedReader(_Chunks(self._lines(groups)), BUFFER_BYTES)

    def _lines(self, groups: range) -> Iterator[bytes]:
        try:
            for number in groups:
                about = self._file.metadata.row_group(number)
                rows = max(1, min(1 << 16, BATCH_BYTES * about.num_rows // max(about.total_byte_size, 1)))
                for batch in self._file.iter_batches(rows, row_groups=[number], columns=list(COLUMNS)):
                    for few in _bounded(batch):
                        yield from _documents(few)
        except self._damage:
            raise _broken() from None


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(values) or pa.types.is_large_string(values))


def _broken() -> UploadRefused:
    return UploadRefused(Refusal.BROKEN, "The Parquet file is damaged, or none.")


def _without(name: str) -> UploadRefused:
    return UploadRefused(Refusal.BROKEN, f"The Parquet file has no column {name} of texts.")


def _bounded(batch: Any) -> Iterator[Any]:
    """Yield a batch in slices that are small once decoded: a text of a dictionary may stand in any number of rows.

    Raises `UploadRefused` for a row that is large by itself.
    """
    import numpy as np
    from pyarrow import compute

    sizes = np.zeros(batch.num_rows, np.int64)
    for name in COLUMNS:
        lengths = compute.binary_length(batch.column(name).dictionary).to_numpy(zero_copy_only=False)
        sizes += np.append(lengths, 0)[_indices(batch.column(name))]
    if sizes.max(initial=0) > BATCH_BYTES:
        raise UploadRefused(Refusal.EXPANDS, "A row of the Parquet file is larger than any report.")
    stops = np.flatnonzero(np.diff(np.cumsum(sizes) // BATCH_BYTES)) + 1
    for start, stop in pairwise([0, *stops.tolist(), batch.num_rows]):
        yield batch.slice(start, stop - start)


def _indices(column: Any) -> Any:
    """Return where in its dictionary each text of a column is; -1 for none."""
    return column.indices.fill_null(-1).to_numpy(zero_copy_only=False)


def _documents(batch: Any) -> Iterator[bytes]:
    """Yield a document for each use case, locale, algorithm and parameters in a batch, whatever its order."""
    import numpy as np

    codes = np.stack([_indices(batch.column(name)) for name in KEYS])
    order = np.lexsort(codes[::-1])
    records_there = batch.column("record").dictionary_decode()
    for rows in np.split(order, np.flatnonzero(np.diff(codes[:, order]).any(axis=0)) + 1):
        if len(rows):
            use_case, locale, algorithm, parameters = (batch.column(name)[int(rows[0])].as_py() for name in KEYS)
            segment = {"use_case": use_case, "locale": locale, "algorithm": algorithm}
            records = json.dumps(records_there.take(rows).to_pylist())
            found = _object(parameters) if parameters and len(parameters) <= PARAMETERS_LENGTH else "null"
            about = json.dumps(segment).removesuffix("}")
            content = f'{about}, "parameters": {found}, "records": {records}}}'
            yield f'{{"version": {FORMAT_VERSION}, "segments": [{content}]}}\n'.encode()


@lru_cache(maxsize=256)
def _object(text: str) -> str:
    """Return the text of an object as it stands, for its numbers are exact; null for any other, which is malformed."""
    try:
        is_object = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        is_object = False
    return " ".join(text.split("\n")) if is_object else "null"


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
