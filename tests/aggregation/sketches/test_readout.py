"""Reading elements out of tables, and out of the records of shards whatever these are."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest

from aggregation.sketches import QuadraticM31, add_read_out, read_coordinates, read_ones
from tests.aggregation.helpers import TableFamily, random_coordinates, random_records

pytestmark = pytest.mark.exact

Reader = Callable[..., Any]


def of_coordinates(shards: Any, family: Any, points: Any, start_row: int, stop_row: int) -> Any:
    return read_coordinates(shards, family, points, 8, start_row, stop_row)


both = pytest.mark.parametrize(
    ("read", "draw"),
    [
        pytest.param(read_ones, partial(random_records, m=8), id="vectors"),
        pytest.param(of_coordinates, partial(random_coordinates, m=8), id="coordinates"),
    ],
)


@pytest.mark.parametrize(
    "table",
    [
        np.full((1000, 8), 255, np.uint8),
        np.full((300, 8), 2**31 - 1, np.int64),
        np.full((40, 8), -(2**28), np.int64),
    ],
    ids=["bytes", "32 bits", "negative"],
)
def test_sums_do_not_overflow(table: Any) -> None:
    rows = len(table)
    totals, family = np.zeros((1, 2), np.int64), TableFamily(["a"], np.zeros((rows, 1), np.uint32))
    other = table if table.dtype == np.uint8 else -table
    add_read_out(totals, [table, other], np.arange(rows), family, np.array([0]))
    assert totals.tolist() == [[rows * int(table[0, 0]), rows * int(other[0, 0])]]


@both
def test_only_rows_with_reports_are_hashed(read: Reader, draw: Callable[..., Any]) -> None:
    class Counting(QuadraticM31):
        asked: ClassVar[list[int]] = []

        def buckets_of_rows(self, points, rows, m):  # type: ignore[no-untyped-def]
            self.asked.extend(rows.tolist())
            return super().buckets_of_rows(points, rows, m)

    family, shards = Counting(bytes(16)), [draw(np.random.default_rng(0), 3, 1) for _ in range(2)]
    keys = 1 if read is read_ones else 2 * 8
    for shard, rows in zip(shards, ([4, 4, 9], [2, 9, 9]), strict=True):
        shard[shard.dtype.names[0]] = np.array(rows) * keys
    read(shards, family, family.points(["a", "b"]), 0, 20)
    assert family.asked == [2, 4, 9]


@both
def test_nothing_is_read_of_no_shards_elements_or_rows(read: Reader, draw: Callable[..., Any]) -> None:
    family = QuadraticM31(bytes(16))
    records = draw(np.random.default_rng(3), 5, 1)
    assert read([], family, family.points(["a"]), 0, 4).shape == (0, 1)
    assert read([records], family, family.points([]), 0, 1).shape == (1, 0)
    assert read([records], family, family.points(["a"]), 0, 0).tolist() == [[0]]
