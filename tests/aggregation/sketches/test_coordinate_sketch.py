"""Summing up, transforming and reading out coordinates, against record by record in plain Python."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import join_records, pack_coordinates, sort_records, unpack_coordinates
from aggregation.sketches import (
    QuadraticM31,
    add_coordinates,
    coordinate_sketch,
    read_coordinates,
    sign,
    transform,
)
from tests.aggregation.helpers import random_coordinates

pytestmark = pytest.mark.exact

FAMILY = QuadraticM31(bytes(16))
WORDS = [f"e{i}" for i in range(30)]


def naive_sums(records: NDArray[Any], k: int, m: int) -> list[list[int]]:
    """Sum up the signs of every cell, record by record."""
    sketch = [[0] * m for _ in range(k)]
    for packed in records["row_coordinate_sign"].tolist():
        cell, positive = divmod(packed, 2)
        sketch[cell // m][cell % m] += 1 if positive else -1
    return sketch


def naive_read_out(records: NDArray[Any], m: int, words: list[str] = WORDS, family: Any = FAMILY) -> list[int]:
    """Read out by the report format: a record votes with its sign for the bucket of every element in its row."""
    totals, bucket = [0] * len(words), cache(family.bucket)
    for packed in records["row_coordinate_sign"].tolist():
        cell, positive = divmod(packed, 2)
        row, coordinate = divmod(cell, m)
        for i, word in enumerate(words):
            totals[i] += (1 if positive else -1) * sign(bucket(word, row, m), coordinate)
    return totals


def summed(records: NDArray[Any], k: int, m: int) -> NDArray[np.int32]:
    sketch = np.zeros((k, m), np.int32)
    add_coordinates(sketch, records)
    return sketch


def record(row: int, coordinate: int, positive: bool, m: int, times: int = 1) -> NDArray[Any]:
    return pack_coordinates(np.full(times, row), np.full(times, coordinate), np.full(times, positive), m)


@pytest.mark.parametrize("table_bytes", [1, 200, 2**20])
@pytest.mark.parametrize("case", [(700, 30, 64), (3000, 2, 8), (1, 5, 1024), (900, 300, 32), (0, 3, 8)], ids=str)
def test_sums(case: tuple[int, int, int], table_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinate_sketch, "_TABLE_BYTES", table_bytes)
    monkeypatch.setattr(coordinate_sketch, "_RECORDS_AT_ONCE", 97)
    n, k, m = case
    records = sort_records(random_coordinates(np.random.default_rng(n), n, k, m))
    assert summed(records, k, m).tolist() == naive_sums(records, k, m)


@pytest.mark.parametrize("n", [32_767, 32_768, 100_000])
@pytest.mark.parametrize("positive", [True, False])
def test_more_reports_in_a_cell_than_16_bits_hold(n: int, positive: bool) -> None:
    m = 8
    expected = n if positive else -n
    records = record(3, 5, positive, m, n)
    sketch = summed(records, 4, m)
    assert sketch.sum() == sketch[3, 5] == expected
    assert transform(sketch)[3].tolist() == [expected * sign(5, b) for b in range(m)]
    points = FAMILY.points(WORDS)
    signs = [sign(FAMILY.bucket(word, 3, m), 5) for word in WORDS]
    assert read_coordinates([records], FAMILY, points, m, 0, 4).tolist() == [[expected * own for own in signs]]


def test_the_largest_sketch() -> None:
    """2^28 cells, the last of them, at either end of k and m."""
    for k, m in ((2**25, 8), (2**8, 2**20)):
        own = join_records([record(0, 0, True, m), record(k - 1, m - 1, False, m)])
        rows, coordinates, positive = unpack_coordinates(own, m)
        assert (rows.tolist(), coordinates.tolist(), positive.tolist()) == ([0, k - 1], [0, m - 1], [True, False])
        points = FAMILY.points(WORDS[:3])
        result = read_coordinates([own], FAMILY, points, m, 0, k)
        assert result.tolist() == [naive_read_out(own, m, WORDS[:3])]
        assert read_coordinates([own], FAMILY, points, m, 1, k - 1).tolist() == [[0, 0, 0]]
