"""Sketches of buckets, counted and read out, against counting record by record."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import bucket_dtype, join_records, pack_buckets, sort_records, unpack_buckets
from aggregation.sketches import QuadraticM31, add_buckets, bucket_sketch, read_buckets
from tests.aggregation.helpers import random_buckets

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


def test_records_are_sorted_by_row_and_bucket() -> None:
    records = sort_records(random_buckets(np.random.default_rng(5), 1000, 300, 200))
    rows, buckets = unpack_buckets(records, 200)
    assert (np.lexsort((buckets, rows)) == np.arange(1000)).all()
    assert join_records([records[:0], records]).dtype == bucket_dtype()
