"""Where the records of a row are, found by bisection."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.encoding import sort_records, unpack_coordinates
from aggregation.errors import ParameterError
from aggregation.sketches import check_range, row_slices
from aggregation.sketches.row_slices import blocks_of_rows, occupied_rows, row_bounds
from tests.aggregation.helpers import random_coordinates, random_records

pytestmark = pytest.mark.exact

M = 8
# Bit vectors have one key a row, coordinates two for each of m cells.
FORMS = [(random_records, 1), (random_coordinates, 2 * M)]


def rows_of(records: NDArray[Any]) -> NDArray[np.int64]:
    if "row" in (records.dtype.names or ()):
        return records["row"].astype(np.int64)
    return unpack_coordinates(records, M)[0].astype(np.int64)


@pytest.mark.parametrize(("draw", "keys"), FORMS, ids=["bits", "coordinates"])
def test_bounds_of_rows(draw: Any, keys: int, tmp_path: Path) -> None:
    records = sort_records(draw(np.random.default_rng(0), 500, 40, M))
    path = tmp_path / "shard"
    path.write_bytes(records.tobytes())
    rows = np.arange(-1, 45)
    expected = np.searchsorted(rows_of(records), rows).tolist()
    assert row_bounds(np.memmap(path, records.dtype, "r"), rows, keys).tolist() == expected
    assert row_bounds(records[:0], rows, keys).tolist() == [0] * len(rows)


@pytest.mark.parametrize(("draw", "keys"), FORMS, ids=["bits", "coordinates"])
@pytest.mark.parametrize("n", [0, 5, 5000])
def test_occupied_rows_few_and_many(n: int, draw: Any, keys: int) -> None:
    records = sort_records(draw(np.random.default_rng(1), n, 100, M))
    rows, starts, stops = occupied_rows(records, 20, 60, keys)
    own = rows_of(records)
    assert rows.tolist() == sorted({row for row in own.tolist() if 20 <= row < 60})
    for row, start, stop in zip(rows, starts, stops, strict=True):
        assert np.flatnonzero(own == row).tolist() == list(range(start, stop))


@pytest.mark.parametrize("rows_at_once", [1, 7, 2**15])
@pytest.mark.parametrize("n", [0, 5, 2000])
def test_blocks_have_every_record_of_the_range_once(n: int, rows_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_slices, "_ROWS_AT_ONCE", rows_at_once)
    rng = np.random.default_rng(2)
    shards = [sort_records(random_coordinates(rng, n // (i + 1), 100, M)) for i in range(3)]
    seen: list[list[int]] = [[], [], []]
    last = -1
    for rows, slices in blocks_of_rows(shards, 20, 60, lambda longest: 1 + longest % 3, 2 * M):
        assert rows[0] > last
        last = rows[-1]
        for own, shard, indices in zip(slices, shards, seen, strict=True):
            assert (own.rows == rows).all()
            for row, start, stop in zip(*own, strict=True):
                assert (rows_of(shard)[start:stop] == row).all()
                indices.extend(range(start, stop))
    for shard, indices in zip(shards, seen, strict=True):
        own_rows = rows_of(shard)
        assert indices == np.flatnonzero((own_rows >= 20) & (own_rows < 60)).tolist()


def test_a_range_that_is_none_is_refused() -> None:
    for start, stop in ((-1, 2), (3, 2), (0, 10)):
        with pytest.raises(ParameterError):
            check_range(start, stop, 9)
    check_range(0, 9, 9)
    check_range(9, 9, 9)
