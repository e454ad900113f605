"""Stored records: their order, and merging without memory."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aggregation.encoding import (
    bit_vector_dtype,
    join_records,
    merge_sorted,
    pack_coordinates,
    sort_records,
    unpack_coordinates,
)
from aggregation.errors import ParameterError
from tests.aggregation.helpers import UNHURRIED, random_coordinates, random_records

pytestmark = pytest.mark.exact


def sorted_bytes(records: NDArray[Any]) -> bytes:
    """Return what sorting has to give, the slow way."""
    size = records.dtype.itemsize
    text = records.tobytes()
    return b"".join(sorted(text[i : i + size] for i in range(0, len(text), size)))


CASES = [(5000, 50, 1024, 0.5), (5000, 50, 1024, 0.0005), (3000, 1, 64, 0.01), (2000, 3, 8, 0.5), (999, 70000, 32, 0.5)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_records_are_sorted_by_row_and_then_by_their_bytes(case: tuple[int, int, int, float]) -> None:
    records = random_records(np.random.default_rng(0), *case)
    result = sort_records(records)
    assert result.tobytes() == sorted_bytes(records)
    assert result.dtype == records.dtype
    assert (np.diff(result["row"].astype(np.int64)) >= 0).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_shuffled_records_give_the_same_bytes(case: tuple[int, int, int, float]) -> None:
    rng = np.random.default_rng(1)
    records = random_records(rng, *case)
    before = records.copy()
    expected = sort_records(records).tobytes()
    assert (records == before).all()
    assert sort_records(records[rng.permutation(len(records))]).tobytes() == expected


def test_trailing_zeros_count() -> None:
    records = np.zeros(4, bit_vector_dtype(128))
    records["bits"][:, 12] = [1, 0, 1, 0]
    records["bits"][:, 15] = [0, 1, 1, 0]
    assert [bits[[12, 15]].tolist() for bits in sort_records(records)["bits"]] == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_few_records_and_odd_layouts() -> None:
    dtype = bit_vector_dtype(16)
    assert len(sort_records(np.empty(0, dtype))) == 0
    records = random_records(np.random.default_rng(2), 100, 4, 16)
    assert sort_records(records[::2]).tobytes() == sorted_bytes(records[::2].copy())
    coordinates = random_coordinates(np.random.default_rng(2), 100, 4, 16)
    assert sort_records(coordinates[::2]).tobytes() == sorted_bytes(coordinates[::2].copy())
    packed = np.array([3, 1, 2**32 - 1, 256, 0], [("row_coordinate_sign", ">u4")])
    assert sort_records(packed)["row_coordinate_sign"].tolist() == [0, 1, 3, 256, 2**32 - 1]


def test_what_would_be_sorted_wrongly_is_refused() -> None:
    with pytest.raises(ParameterError, match="big-endian"):
        sort_records(np.zeros(3, [("row", "<u4"), ("bits", "u1", (4,))]))
    with pytest.raises(ParameterError, match="one-dimensional"):
        sort_records(np.zeros((3, 3), bit_vector_dtype(8)))


def test_joining_keeps_the_big_endian_rows() -> None:
    records = random_records(np.random.default_rng(3), 10, 1000, 8)
    assert join_records([records, records[:3]]).dtype == records.dtype
    assert join_records([records[:4], records[4:]]).tobytes() == records.tobytes()


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("max_bytes", [1, 4000, 10**9])
def test_merging_equals_sorting_everything(case: tuple[int, int, int, float], max_bytes: int) -> None:
    rng = np.random.default_rng(4)
    records = random_records(rng, min(case[0], 600), *case[1:])
    shards = [sort_records(part) for part in np.array_split(records, [10, 10, 300, 301])]
    chunks = list(merge_sorted(shards, max_bytes))
    assert join_records(chunks).tobytes() == sort_records(records).tobytes()
    most = max(max_bytes, 5 * records.itemsize)
    assert all(0 < chunk.nbytes <= most and chunk.dtype == records.dtype for chunk in chunks)


@UNHURRIED
@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))), max_size=5), st.integers(1, 60))
def test_many_equal_keys_do_not_break_a_merge(content: list[list[tuple[int, int]]], max_bytes: int) -> None:
    dtype = bit_vector_dtype(8)
    shards = [sort_records(np.array([(row, (bits,)) for row, bits in shard], dtype)) for shard in content]
    merged = list(merge_sorted(shards, max_bytes))
    expected = sorted(record for shard in content for record in shard)
    assert [(int(r["row"]), int(r["bits"][0])) for chunk in merged for r in chunk] == expected
    for before, after in pairwise(merged):
        assert before[-1].tobytes() <= after[0].tobytes()


def test_memory_maps_are_merged_and_left_alone(tmp_path: Path) -> None:
    records = random_records(np.random.default_rng(5), 400, 20, 64)
    maps = []
    for i, part in enumerate(np.array_split(records, 3)):
        path = tmp_path / f"{i}.shard"
        path.write_bytes(sort_records(part).tobytes())
        maps.append(np.memmap(path, records.dtype, "r"))
    before = [bytes(shard) for shard in maps]
    chunks = list(merge_sorted(maps, 1000))
    assert join_records(chunks).tobytes() == sort_records(records).tobytes()
    assert not any(isinstance(chunk, np.memmap) for chunk in chunks)
    assert [bytes(shard) for shard in maps] == before


def test_merging_nothing_yields_nothing() -> None:
    assert list(merge_sorted([], 100)) == []
    assert list(merge_sorted([np.empty(0, bit_vector_dtype(8))], 100)) == []


@pytest.mark.parametrize(("k", "m"), [(2**25, 8), (2**8, 2**20), (7, 64), (1, 8)])
def test_coordinates_take_4_bytes_in_the_order_of_row_coordinate_and_sign(k: int, m: int) -> None:
    rng = np.random.default_rng(6)
    rows, coordinates, positive = rng.integers(0, k, 500), rng.integers(0, m, 500), rng.random(500) < 0.5
    rows[:2], coordinates[:2], positive[:2] = k - 1, m - 1, (True, False)
    records = pack_coordinates(rows, coordinates, positive, m)
    assert records.dtype.itemsize == 4
    assert records[0].tobytes() == ((k * m - 1) * 2 + 1).to_bytes(4, "big")
    parts = [part.tolist() for part in unpack_coordinates(records, m)]
    assert parts == [rows.tolist(), coordinates.tolist(), positive.tolist()]
    in_order = [part.tolist() for part in unpack_coordinates(sort_records(records), m)]
    assert list(zip(*in_order, strict=True)) == sorted(zip(*parts, strict=True))
    assert sort_records(records).tobytes() == sorted_bytes(records)
    assert sort_records(records).dtype == records.dtype


@pytest.mark.parametrize("max_bytes", [1, 500, 10**9])
def test_coordinates_are_merged(max_bytes: int) -> None:
    records = random_coordinates(np.random.default_rng(7), 600, 3, 8)
    shards = [sort_records(part) for part in np.array_split(records, [10, 10, 300, 301])]
    chunks = list(merge_sorted(shards, max_bytes))
    assert join_records(chunks).tobytes() == sorted_bytes(records)
    assert all(chunk.dtype == records.dtype for chunk in chunks)
