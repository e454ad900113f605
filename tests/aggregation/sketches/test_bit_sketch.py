"""Counting and reading out, against record by record."""

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
    bitsliced,
    hashing,
    quadratic,
    read_ones,
)
from aggregation.sketches.bitsliced import count_columns
from tests.aggregation.helpers import UNHURRIED, naive_sketch, random_records

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
