"""Sketches of buckets, counted and read out, against counting record by record."""

import tracemalloc
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aggregation.encoding import bucket_dtype, join_records, pack_buckets, sort_records, unpack_buckets
from aggregation.sketches import QuadraticM31, add_buckets, bucket_sketch, read_buckets, readout, row_slices
from tests.aggregation.helpers import UNHURRIED, random_buckets

pytestmark = pytest.mark.exact

FAMILY = QuadraticM31(bytes(range(16)))
WORDS = [f"w{i}" for i in range(20)]


def naive_read_out(records: NDArray[Any], g: int, words: list[str] = WORDS) -> list[int]:
    rows, buckets = unpack_buckets(records, g)
    counts = Counter(zip(rows.tolist(), buckets.tolist(), strict=True))
    return [
        sum(count for (row, bucket), count in counts.items() if FAMILY.bucket(word, row, g) == bucket) for word in words
    ]


def summed(records: NDArray[Any], k: int, g: int) -> NDArray[np.int32]:
    sketch = np.zeros((k, g), np.int32)
    add_buckets(sketch, records)
    return sketch


@pytest.mark.parametrize(("n", "k", "g"), [(700, 30, 56), (3000, 2, 3), (1, 5, 1000), (0, 3, 2)])
def test_counts(n: int, k: int, g: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_sketch, "_RECORDS_AT_ONCE", 97)
    records = random_buckets(np.random.default_rng(n), n, k, g)
    expected = np.zeros((k, g), int)
    np.add.at(expected, unpack_buckets(records, g), 1)
    sketch = summed(sort_records(records), k, g)
    assert sketch.tolist() == expected.tolist()
    add_buckets(sketch, sort_records(records))
    assert sketch.tolist() == (2 * expected).tolist()


@pytest.mark.parametrize("n", [255, 256, 32_768, 100_000])
def test_more_reports_in_a_cell_than_narrow_types_hold(n: int) -> None:
    records = pack_buckets(np.full(n, 3), np.full(n, 5), 7)
    points = FAMILY.points(WORDS)
    expected = [n * (FAMILY.bucket(word, 3, 7) == 5) for word in WORDS]
    assert sum(expected)
    assert read_buckets([records], FAMILY, points, 7, 0, 4).tolist() == [expected]


@pytest.mark.parametrize("at_once", [(1, 1, 1), (2, 5, 3000), (32, 2**15, 2**20)], ids=str)
@pytest.mark.parametrize("shards", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 3, 1000])
def test_read_outs_by_any_shards_and_ranges(
    n: int, shards: int, at_once: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_sketch, "_SHARDS_AT_ONCE", at_once[0])
    monkeypatch.setattr(bucket_sketch, "_RECORDS_AT_ONCE", 97)
    monkeypatch.setattr(row_slices, "_ROWS_AT_ONCE", at_once[1])
    monkeypatch.setattr(bucket_sketch, "_TABLE_BYTES", at_once[2])
    monkeypatch.setattr(readout, "_ELEMENTS", 7 * at_once[0])
    k, g = 23, 13
    points = FAMILY.points(WORDS)
    records = random_buckets(np.random.default_rng(n), n, k, g)
    parts = [sort_records(part) for part in np.array_split(records, shards)]
    expected = [naive_read_out(part, g) for part in parts]
    result = read_buckets(parts, FAMILY, points, g, 0, k)
    assert result.dtype == np.int64
    assert result.tolist() == expected
    ranges = [read_buckets(parts, FAMILY, points, g, start, min(start + 5, k)) for start in range(0, k, 5)]
    assert np.sum(ranges, axis=0).tolist() == expected
    assert read_buckets([sort_records(records)], FAMILY, points, g, 0, k)[0].tolist() == result.sum(0).tolist()


@UNHURRIED
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=20), max_size=4),
    st.lists(st.integers(0, 10), max_size=4),
)
def test_any_content_and_any_cuts(content: list[list[tuple[int, int]]], cuts: list[int]) -> None:
    g, k = 5, 10
    cells = [np.array(shard, np.intp).reshape(-1, 2) for shard in content]
    shards = [sort_records(pack_buckets(shard[:, 0], shard[:, 1], g)) for shard in cells]
    points = FAMILY.points(WORDS[:5])
    total = np.zeros((len(shards), 5), np.int64)
    for start, stop in pairwise([0, *sorted(cuts), k]):
        total += read_buckets(shards, FAMILY, points, g, start, stop)
    assert total.tolist() == [naive_read_out(shard, g, WORDS[:5]) for shard in shards]


def test_the_largest_sketch() -> None:
    """2^32 cells, the first and the last of them."""
    most = 2**16
    rows, buckets = unpack_buckets(pack_buckets(np.array([0, most - 1]), np.array([0, most - 1]), most), most)
    assert rows.tolist() == buckets.tolist() == [0, most - 1]
    rows, words = np.array([0, most - 1]), WORDS[:3]
    own = pack_buckets(rows, np.array([FAMILY.bucket("w0", row, most) for row in rows.tolist()]), most)
    points = FAMILY.points(words)
    assert read_buckets([own], FAMILY, points, most, 0, most).tolist() == [naive_read_out(own, most, words)]
    assert read_buckets([own], FAMILY, points, most, 0, most)[0, 0] == 2
    assert read_buckets([own], FAMILY, points, most, 1, most - 1).tolist() == [[0, 0, 0]]


def test_memory_maps_are_read_in_part(tmp_path: Path) -> None:
    k, g = 64, 5
    records = sort_records(random_buckets(np.random.default_rng(4), 2**21, k, g))
    path = tmp_path / "shard"
    path.write_bytes(records.tobytes())
    mapped, points = np.memmap(path, records.dtype, "r"), FAMILY.points(WORDS)
    tracemalloc.start()
    result = read_buckets([mapped], FAMILY, points, g, 3, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < records.nbytes / 3, "neither the whole map nor a whole row is copied"
    assert (result == read_buckets([records], FAMILY, points, g, 3, 5)).all()


@pytest.mark.parametrize(("n", "g"), [(2**20, 56), (1000, 2**16)])
def test_memory_is_bounded_whatever_the_shards(n: int, g: int) -> None:
    k = 2**12 if g == 56 else 64
    shard = sort_records(random_buckets(np.random.default_rng(3), n, k, g))
    points = FAMILY.points(["a", "b"])
    peaks = []
    # As many as are read together, and one more.
    for shards in (32, 33):
        tracemalloc.start()
        read_buckets([shard] * shards, FAMILY, points, g, 0, k)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 2**27
    assert max(peaks) < 1.02 * peaks[0]


def test_records_are_sorted_by_row_and_bucket() -> None:
    records = sort_records(random_buckets(np.random.default_rng(5), 1000, 300, 200))
    rows, buckets = unpack_buckets(records, 200)
    assert (np.lexsort((buckets, rows)) == np.arange(1000)).all()
    assert join_records([records[:0], records]).dtype == bucket_dtype()
