"""Stored records: arrays whose plain byte order is the order of a shard.

A stored record starts with its sort key, a big-endian unsigned 32-bit integer whose leading part is the hash row, so
that comparing bytes compares (row, rest of the record). Nothing here looks further than that.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Flags
from ..errors import ParameterError

# Records that agree in their first 8 bytes are sorted in full by blocks of this many bytes, which stay in cache.
_TIE_BLOCK_BYTES: Final = 2**18
_SORT_KEY: Final = np.dtype(">u4")


def bit_vector_dtype(m: int) -> np.dtype[np.void]:
    """Return the stored form of one row number and m bits, ``4 + m/8`` bytes."""
    return np.dtype([("row", ">u4"), ("bits", "u1", (m // 8,))])


def pack_bit_vectors(rows: Array, bits: NDArray[np.uint8]) -> NDArray[np.void]:
    """Return records of row numbers and packed bits, these of shape ``(n, m / 8)``."""
    records = np.empty(len(rows), bit_vector_dtype(8 * bits.shape[1]))
    records["row"], records["bits"] = rows, bits
    return records


def coordinate_dtype() -> np.dtype[np.void]:
    """Return the stored form of one row number, coordinate and sign, 4 bytes: see `pack_coordinates`."""
    return np.dtype([("row_coordinate_sign", ">u4")])


def pack_coordinates(rows: Array, coordinates: Array, positive: Flags, m: int) -> NDArray[np.void]:
    """Return records ``(row·m + coordinate)·2 + positive``, for less than 2^31 cells in all, which is not checked.

    All arrays have shape (n,); so has the result, of dtype `coordinate_dtype()`.
    """
    packed = rows.astype(np.uint32) * np.uint32(m)
    packed += coordinates.astype(np.uint32)
    packed <<= 1
    packed |= positive
    return packed.astype(_SORT_KEY).view(coordinate_dtype())


def unpack_coordinates(records: Array, m: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Flags]:
    """Return the row numbers, the coordinates, and whether the sign is positive, of every record: shape (n,) each."""
    packed = records["row_coordinate_sign"].astype(np.uint32)
    rows, coordinates = np.divmod(packed >> 1, np.uint32(m))
    return rows, coordinates, (packed & 1).astype(bool)


def bucket_dtype() -> np.dtype[np.void]:
    """Return the stored form of one row number and one bucket, 4 bytes: see `pack_buckets`."""
    return np.dtype([("row_bucket", ">u4")])


def pack_buckets(rows: Array, buckets: Array, g: int) -> NDArray[np.void]:
    """Return records ``row·g + bucket``, for at most 2^32 cells in all, which is not checked.

    Both arrays have shape (n,); so has the result, of dtype `bucket_dtype()`.
    """
    packed = rows.astype(np.uint32) * np.uint32(g)
    packed += buckets.astype(np.uint32)
    return packed.astype(_SORT_KEY).view(bucket_dtype())


def unpack_buckets(records: Array, g: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the row numbers and the buckets of every record: shape (n,) each."""
    rows, buckets = np.divmod(records["row_bucket"].astype(np.uint32), np.uint32(g))
    return rows, buckets


def sort_records(records: Array) -> Array:
    """Sort records by their bytes.

    Parameters
    ----------
    records : structured ndarray, shape (n,)
        Records in any order, each of at least 4 bytes.

    Returns
    -------
    ndarray, shape (n,)
        A sorted copy, which depends on the multiset of records alone.

    Raises
    ------
    ParameterError
        If the array is not one-dimensional, or does not start with a big-endian key.

    Notes
    -----
    Records of 4 bytes are sorted as the integers they are, of longer ones the first 8 bytes are, which is several times
    faster than comparing strings. Runs that tie there are then compared in full: few at a small ε, nearly all at
    ε = 16, where most bit vectors begin with zeros.
    """
    if records.ndim != 1:
        raise ParameterError("records", f"Records must be one-dimensional, not of shape {records.shape}.")
    items = opaque(records)
    if items.itemsize == _SORT_KEY.itemsize:
        keys = np.sort(items.view(_SORT_KEY).astype(np.uint32))
        return keys.astype(_SORT_KEY).view(records.dtype)
    prefix = _prefix(items)
    order = np.argsort(prefix)
    prefix = prefix[order]
    result = items.take(order)
    tied = prefix[1:] == prefix[:-1]
    if items.itemsize > 8 and tied.any():
        _sort_ties(result, tied)
    return result.view(records.dtype)


def join_records(parts: Sequence[Array]) -> Array:
    """Concatenate at least one array of records; plain `numpy.concatenate` turns the row numbers little-endian."""
    return np.concatenate(parts, dtype=parts[0].dtype)


def merge_sorted(shards: Sequence[Array], max_bytes: int) -> Iterator[Array]:
    """Merge sorted arrays of records without holding them in memory.

    Parameters
    ----------
    shards : sequence of structured ndarray
        Arrays of one dtype, each sorted as by `sort_records`; memory maps are read a window at a time.
    max_bytes : int
        The size a yielded chunk is held to (at least one record of each shard is read at a time). A few times as much
        is in use while a chunk is sorted.

    Yields
    ------
    ndarray
        Sorted chunks; together they equal ``sort_records(join_records(shards))``.

    Notes
    -----
    Each round reads a window of every shard and passes on what is not above the smallest of the windows' last records.
    That empties at least one window, and what is left anywhere is not below it. Equal records are interchangeable, so
    a run of equal keys of any length needs no care.
    """
    rest = [opaque(shard) for shard in shards if len(shard)]
    if not rest:
        return
    dtype = next(shard.dtype for shard in shards if len(shard))
    while rest:
        window = max(1, max_bytes // dtype.itemsize // len(rest))
        heads = [np.asarray(shard[:window]) for shard in rest]
        if len(rest) == 1:
            taken = [len(heads[0])]
            yield heads[0].copy().view(dtype)
        else:
            smallest_last = _smallest([head[-1:] for head in heads])
            taken = [int(np.searchsorted(_text(head), smallest_last, side="right")[0]) for head in heads]
            chunk = np.concatenate([head[:count] for head, count in zip(heads, taken, strict=True)])
            yield sort_records(chunk).view(dtype)
        rest = [shard[count:] for shard, count in zip(rest, taken, strict=True) if count < len(shard)]


def opaque(records: Array) -> NDArray[np.void]:
    """View records as items without fields, which NumPy moves about as blocks of bytes.

    Raises
    ------
    ParameterError
        If records have fields of which the first is not the big-endian sort key.
    """
    names = records.dtype.names
    if names and records.dtype[0] != _SORT_KEY:
        raise ParameterError("records", f"Records must start with a big-endian {_SORT_KEY}, not {records.dtype[0]}.")
    return np.ascontiguousarray(records).view(np.ndarray).view(f"V{records.dtype.itemsize}")


def _text(items: NDArray[np.void]) -> NDArray[np.bytes_]:
    """View records as strings of one width; these compare as unsigned bytes, trailing zeros included."""
    return items.view(f"S{items.itemsize}")


def _prefix(items: NDArray[np.void]) -> NDArray[np.uint64]:
    """Return the first 8 bytes of every record as an integer, padded with zeros if it is shorter."""
    width = min(8, items.itemsize)
    prefix = np.zeros((len(items), 8), np.uint8)
    prefix[:, :width] = items.view(np.uint8).reshape(-1, items.itemsize)[:, :width]
    return prefix.view(">u8")[:, 0].astype(np.uint64)


def _sort_ties(items: NDArray[np.void], tied: Flags) -> None:
    """Sort in place the runs of records whose prefixes tie; ``tied[i]`` says that records i and i + 1 do."""
    padded = np.concatenate(([False], tied, [False]))
    members = np.flatnonzero(padded[1:] | padded[:-1])
    # A member that does not tie with the record before it starts a run; blocks are cut only there.
    starts = np.append(np.flatnonzero(~padded[members]), len(members))
    block = max(1, _TIE_BLOCK_BYTES // items.itemsize)
    start = 0
    while start < len(members):
        cut = min(int(np.searchsorted(starts, start + block)), len(starts) - 1)
        stop = int(starts[cut])
        mine = members[start:stop]
        records = items.take(mine)
        items[mine] = records.take(np.argsort(_text(records), kind="stable"))
        start = stop


def _smallest(lasts: Sequence[NDArray[np.void]]) -> NDArray[np.bytes_]:
    return np.sort(_text(np.concatenate(lasts)))[:1]
