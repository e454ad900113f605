"""Reading elements out of shards of any records, against record by record: any blocks, ranges of rows, and memory."""

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import hadamard

from aggregation.encoding import bit_vector_dtype, join_records, sort_records, unpack_buckets, unpack_coordinates
from aggregation.sketches import (
    QuadraticM31,
    bit_sketch,
    bitsliced,
    bucket_sketch,
    coordinate_sketch,
    read_buckets,
    read_coordinates,
    read_ones,
    readout,
    row_slices,
)
from tests.aggregation.helpers import UNHURRIED, random_buckets, random_coordinates, random_records

pytestmark = pytest.mark.exact

FAMILY = QuadraticM31(bytes(range(16)))
WORDS = [f"w{i}" for i in range(20)]
POINTS = FAMILY.points(WORDS)
Shards = list[NDArray[Any]]


@dataclass(frozen=True)
class Form:
    """A kind of records: buckets of a row, how they are drawn and read out, and the row and votes of each."""

    m: int
    draw: Callable[..., NDArray[Any]]
    read: Callable[..., NDArray[np.int64]]
    votes: Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]

    def naive(self, records: NDArray[Any]) -> list[int]:
        """Let each record vote for the buckets of its row."""
        rows, votes = self.votes(records)
        buckets = FAMILY.buckets(POINTS, 0, int(rows.max(initial=0)) + 1, self.m)[rows.astype(int)]
        told: list[int] = np.take_along_axis(votes.astype(int), buckets.astype(int), axis=1).sum(axis=0).tolist()
        return told


def _votes_of_coordinates(records: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    rows, coordinates, positive = unpack_coordinates(records, 16)
    return rows, np.where(positive, 1, -1)[:, None] * hadamard(16)[coordinates]


def _votes_of_buckets(records: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    rows, buckets = unpack_buckets(records, 13)
    return rows, np.eye(13, dtype=int)[buckets]


def _coordinates(m: int, shards: Shards, points: Any, start: int, stop: int) -> NDArray[np.int64]:
    return read_coordinates(shards, FAMILY, points, m, start, stop)


def _buckets(g: int, shards: Shards, points: Any, start: int, stop: int) -> NDArray[np.int64]:
    return read_buckets(shards, FAMILY, points, g, start, stop)


def _ones(shards: Shards, points: Any, start: int, stop: int) -> NDArray[np.int64]:
    return read_ones(shards, FAMILY, points, start, stop)


FORMS = {
    "vectors": Form(
        16, random_records, _ones, lambda records: (records["row"], np.unpackbits(records["bits"], axis=1))
    ),
    "coordinates": Form(16, random_coordinates, partial(_coordinates, 16), _votes_of_coordinates),
    "buckets": Form(13, random_buckets, partial(_buckets, 13), _votes_of_buckets),
}
each = pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))


@each
@pytest.mark.parametrize("at_once", [(1, 1, 1), (2, 5, 3000), (32, 2**15, 2**20)], ids=str)
@pytest.mark.parametrize("shards", [1, 5])
@pytest.mark.parametrize("n", [0, 3, 7000])
def test_read_outs_by_any_shards_and_ranges(
    n: int, shards: int, at_once: tuple[int, int, int], form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most reports are more than 255 in a row."""
    for module in (bit_sketch, coordinate_sketch, bucket_sketch):
        monkeypatch.setattr(module, "_SHARDS_AT_ONCE", at_once[0])
    monkeypatch.setattr(row_slices, "_ROWS_AT_ONCE", at_once[1])
    monkeypatch.setattr(bucket_sketch, "_RECORDS_AT_ONCE", 97)
    for module in (coordinate_sketch, bucket_sketch):
        monkeypatch.setattr(module, "_TABLE_BYTES", at_once[2])
    monkeypatch.setattr(bitsliced, "_PLANE_BYTES", at_once[2])
    monkeypatch.setattr(readout, "_LOOKUPS", at_once[2])
    monkeypatch.setattr(readout, "_ELEMENTS", 7 * at_once[0])
    k = 23
    records = form.draw(np.random.default_rng(n), n, k, form.m)
    parts = [sort_records(part) for part in np.array_split(records, shards)]
    expected = [form.naive(part) for part in parts]
    result = form.read(parts, POINTS, 0, k)
    assert result.dtype == np.int64
    assert result.tolist() == expected
    assert form.read(parts[::-1], POINTS, 0, k).tolist() == expected[::-1]
    ranges = [form.read(parts, POINTS, start, min(start + 5, k)) for start in range(0, k, 5)]
    assert np.sum(ranges, axis=0).tolist() == expected
    assert form.read([sort_records(records)], POINTS, 0, k)[0].tolist() == result.sum(0).tolist()


@each
@UNHURRIED
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=20), max_size=4),
    st.lists(st.integers(0, 10), max_size=4),
)
def test_any_content_and_any_cuts(form: Form, content: list[list[tuple[int, int]]], cuts: list[int]) -> None:
    """Records are chosen among 10 rows of 13 records each."""
    rng, k = np.random.default_rng(0), 10
    pool = [form.draw(rng, 13, 1, form.m) for _ in range(k)]
    keys = {16: 32, 13: 13}[form.m] if form is not FORMS["vectors"] else 1
    for row, own in enumerate(pool):
        own[(own.dtype.names or ("",))[0]] += row * keys
    shards = [
        sort_records(join_records([pool[0][:0], *(pool[row][place : place + 1] for row, place in shard)]))
        for shard in content
    ]
    total = np.zeros((len(shards), len(WORDS)), np.int64)
    for start, stop in pairwise([0, *sorted(cuts), k]):
        total += form.read(shards, POINTS, start, stop)
    assert total.tolist() == [form.naive(shard) for shard in shards]


@pytest.mark.parametrize("name", ["coordinates", "buckets"])
def test_memory_maps_are_read_in_part(name: str, tmp_path: Path) -> None:
    form = FORMS[name]
    records = sort_records(form.draw(np.random.default_rng(4), 2**21, 64, form.m))
    path = tmp_path / "shard"
    path.write_bytes(records.tobytes())
    mapped = np.memmap(path, records.dtype, "r")
    tracemalloc.start()
    result = form.read([mapped], POINTS, 3, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < records.nbytes / 3, "neither the whole map nor a whole row is copied"
    assert (result == form.read([records], POINTS, 3, 5)).all()


def rows_of_one(longest: int) -> NDArray[Any]:
    """A report in each of 1,024 rows, and many in the last."""
    records = np.zeros(1023 + longest, bit_vector_dtype(1024))
    records["row"] = np.minimum(np.arange(len(records)), 1023)
    return records


RNG = np.random.default_rng(3)
# A shard, the rows of its sketch, and numbers of shards: as many as are read together, and one more. That memory does
# not grow with their number, a shard of few records tells as well.
LARGE: dict[str, tuple[Callable[..., NDArray[np.int64]], Callable[[], NDArray[Any]], int, tuple[int, ...]]] = {
    "vectors, a report a row": (_ones, lambda: rows_of_one(1), 1024, (32, 33)),
    "vectors, most in a row": (_ones, lambda: rows_of_one(40_000), 1024, (33,)),
    "vectors, many rows": (_ones, lambda: random_records(RNG, 2**16, 2**16, 8), 2**16, (33,)),
    "coordinates": (partial(_coordinates, 2**15), lambda: random_coordinates(RNG, 2**20, 4, 2**15), 4, (32, 33)),
    "coordinates, wide": (partial(_coordinates, 2**20), lambda: random_coordinates(RNG, 1000, 2, 2**20), 2, (4, 5)),
    "buckets": (partial(_buckets, 56), lambda: random_buckets(RNG, 2**20, 2**12, 56), 2**12, (32, 33)),
    "buckets, wide": (partial(_buckets, 2**16), lambda: random_buckets(RNG, 1000, 64, 2**16), 64, (32, 33)),
}


@pytest.mark.parametrize("name", LARGE)
def test_memory_is_bounded_whatever_the_shards(name: str) -> None:
    read, draw, k, numbers = LARGE[name]
    shard, peaks = sort_records(draw()), []
    for shards in numbers:
        tracemalloc.start()
        read([shard] * shards, POINTS[:2], 0, k)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 2**27
    assert max(peaks) < 1.02 * peaks[0]
