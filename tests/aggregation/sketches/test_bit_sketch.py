"""Counting and reading out, against record by record."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aggregation.encoding import bit_vector_dtype, sort_records
from aggregation.sketches import (
    QuadraticM31,
    add_ones,
    bit_sketch,
    bitsliced,
    hashing,
    quadratic,
    read_ones,
    readout,
    row_slices,
)
from aggregation.sketches.bitsliced import count_columns
from tests.aggregation.helpers import UNHURRIED, TableFamily, naive_sketch, random_records

pytestmark = pytest.mark.exact


@pytest.mark.parametrize("plane_bytes", [1, 100, 2**17])
def test_counts(plane_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitsliced, "_PLANE_BYTES", plane_bytes)
    shapes = (700, 30, 64), (3000, 2, 8), (256, 1, 16), (255, 1, 16), (1, 5, 1024), (900, 300, 32), (0, 3, 8)
    for n, k, m in shapes:
        records = sort_records(random_records(np.random.default_rng(n), n, k, m))
        sketch = np.zeros((k, m), np.int32)
        add_ones(sketch, records)
        assert (sketch == naive_sketch(records, k, m)).all(), (n, k, m)


def test_a_column_of_ones_is_counted_in_full() -> None:
    for n in (1, 2, 3, 127, 128, 255, 256, 257, 511, 765, 100_000):
        records = np.zeros(n, bit_vector_dtype(8))
        records["row"] = 2**32 - 1
        records["bits"] = 0b10000001
        assert count_columns(records, np.array([0]), np.array([n])).tolist() == [[n, 0, 0, 0, 0, 0, 0, n]]


@UNHURRIED
@given(st.lists(st.integers(0, 300), min_size=1, max_size=20), st.integers(0, 2**32))
def test_slices_of_any_length(lengths: list[int], seed: int) -> None:
    records = random_records(np.random.default_rng(seed), sum(lengths), 1, 8)
    stops = np.cumsum(lengths)
    counts = count_columns(records, stops - np.array(lengths), stops)
    bits = np.unpackbits(records["bits"], axis=1)
    parts = np.split(bits, stops[:-1])
    assert (counts == [part.sum(axis=0, dtype=int) for part in parts]).all()


@pytest.mark.parametrize("blocks", [(4096, 65536), (7, 1)], ids=str)
@pytest.mark.parametrize("shards", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 3, 400, 12_000])
def test_read_outs(n: int, shards: int, blocks: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readout, "_ELEMENTS", blocks[0])
    monkeypatch.setattr(readout, "_LOOKUPS", blocks[1])
    k, m, rng = 37, 16, np.random.default_rng(n + shards)
    family = QuadraticM31(bytes(16))
    points = family.points([f"e{i}" for i in range(50)])
    own = [sort_records(random_records(rng, n if i else n // 2, k, m)) for i in range(shards)]
    buckets = family.buckets(points, 0, k, m).astype(int)
    expected = [np.take_along_axis(naive_sketch(records, k, m), buckets, axis=1).sum(axis=0) for records in own]
    result = read_ones(own, family, points, 0, k)
    assert result.dtype == np.int64
    assert result.tolist() == np.array(expected).tolist()
    parts = [read_ones(own, family, points, start, min(start + 10, k)) for start in range(0, k, 10)]
    assert (np.sum(parts, axis=0) == result).all()


@pytest.mark.parametrize("at_once", [(1, 1), (2, 5), (3, 37)], ids=str)
@pytest.mark.parametrize("n", [10, 3000, 12_000])
def test_read_outs_in_groups_of_shards_and_rows(
    n: int, at_once: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    k, m, rng = 37, 16, np.random.default_rng(n)
    family = QuadraticM31(bytes(16))
    points = family.points([f"e{i}" for i in range(20)])
    shards = [sort_records(random_records(rng, n // (i + 1), k, m)) for i in range(7)]
    whole = read_ones(shards, family, points, 2, 36)
    monkeypatch.setattr(bit_sketch, "_SHARDS_AT_ONCE", at_once[0])
    monkeypatch.setattr(row_slices, "_ROWS_AT_ONCE", at_once[1])
    assert read_ones(shards, family, points, 2, 36).tolist() == whole.tolist()
    assert read_ones(shards[-1:], family, points, 2, 36).tolist() == whole[-1:].tolist()


def rows_of_one(longest: int) -> NDArray[Any]:
    """A report in each of 1,024 rows, and many in the last."""
    records = np.zeros(1023 + longest, bit_vector_dtype(1024))
    records["row"] = np.minimum(np.arange(len(records)), 1023)
    return records


def rows_without_number() -> NDArray[Any]:
    return sort_records(random_records(np.random.default_rng(0), 2**16, 2**16, 8))


@pytest.mark.parametrize("shard", [rows_of_one(1), rows_of_one(40_000), rows_without_number()], ids=len)
def test_memory_is_bounded_whatever_the_shards(shard: NDArray[Any]) -> None:
    family = QuadraticM31(bytes(16))
    peaks = []
    # That it does not grow with their number, a shard of few records tells as well.
    for shards in (32, 33, 96) if len(shard) == 1024 else (33,):
        tracemalloc.start()
        read_ones([shard] * shards, family, family.points(["a", "b"]), 0, int(shard["row"][-1]) + 1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 2**27
    assert max(peaks) < 1.02 * peaks[0]


def test_scattered_rows_are_hashed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []

    def draw(seed: bytes, label: str, rows: Any) -> NDArray[np.int64]:
        drawn.append(len(rows))
        return quadratic.draw_coefficients(seed, label, rows)

    monkeypatch.setattr(hashing, "draw_coefficients", draw)
    k, m = 2**25, 8
    family = QuadraticM31(b"scattered rows  ")
    points = family.points(["a", "b", "c"])
    records = sort_records(random_records(np.random.default_rng(4), 500, k, m))
    bits = np.unpackbits(records["bits"], axis=1)
    buckets = np.array([[family.bucket(word, int(row), m) for row in records["row"]] for word in "abc"])
    drawn.clear()
    result = read_ones([records], family, points, 0, k)
    assert sum(drawn) == len(np.unique(records["row"]))
    assert result.tolist() == [[int(bits[np.arange(500), own].sum()) for own in buckets]]


def test_read_outs_of_a_family_given_as_a_table() -> None:
    rng = np.random.default_rng(2)
    family = TableFamily(list("abc"), rng.integers(0, 8, (12, 3), dtype=np.uint32))
    records = sort_records(random_records(rng, 30, 12, 8))
    sketch = naive_sketch(records, 12, 8)
    expected = [sum(sketch[row, family.table[row, i]] for row in range(12)) for i in range(3)]
    assert read_ones([records], family, family.points(list("abc")), 0, 12).tolist() == [expected]
