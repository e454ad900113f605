"""Ranges of rows that a run is cut into: all of them once, in parts of a bounded size."""

import pytest

from reports.runs import part_ranges
from reports.runs.part_ranges import row_ranges

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    ("rows", "sizes", "elements"),
    [
        (1, [5], 3),
        (64, [10**9], 6),
        (65536, [10**6], 2623),
        (65536, [10**6] * 32, 25_000),
        (1024, [5 * 10**6], 250_000),
    ],
)
def test_row_ranges_cover_all_rows_once(rows: int, sizes: list[int], elements: int) -> None:
    ranges = list(row_ranges(rows, sizes, elements))
    assert [start for start, _stop in ranges] == [0, *(stop for _start, stop in ranges[:-1])]
    assert ranges[-1][1] == rows
    assert len(ranges) <= part_ranges.MOST_RANGES


def test_more_work_makes_more_ranges() -> None:
    few = len(list(row_ranges(1024, [10**6], 25_000)))
    assert few < len(list(row_ranges(1024, [10**6], 250_000))) < len(list(row_ranges(1024, [10**6] * 32, 250_000)))


@pytest.mark.parametrize("elements", [250_000, 10**6, 5 * 10**6])
@pytest.mark.parametrize("rows", [1024, 65536])
def test_results_of_a_group_are_bounded_as_long_as_leases_allow(rows: int, elements: int) -> None:
    sizes = [10**6] * part_ranges.SHARDS_PER_PART
    ranges = list(row_ranges(rows, sizes, elements))
    result = 8 * elements * len(sizes)
    look_ups = min(sum(sizes), rows) * elements * (1 + len(sizes) // part_ranges.SHARDS_PER_HASH)
    bounded = len(ranges) * result <= part_ranges.RESULT_BYTES
    assert bounded or look_ups // len(ranges) >= part_ranges.MOST_LOOK_UPS_PER_PART // 2
    # No part takes longer than the bound says, but for rounding and the greatest number of ranges.
    assert (
        look_ups // len(ranges) <= 2 * part_ranges.MOST_LOOK_UPS_PER_PART or len(ranges) > part_ranges.MOST_RANGES // 2
    )


@pytest.mark.parametrize(("rows", "shards", "elements"), [(1024, 7, 250_000), (1024, 32, 250_000), (65536, 1, 25_000)])
def test_two_workers_share_evenly_at_the_sizes_of_domains(rows: int, shards: int, elements: int) -> None:
    lengths = [stop - start for start, stop in row_ranges(rows, [10**6] * shards, elements)]
    # When the other has nothing left, at most one part is to be done: a tenth of the whole.
    assert max(lengths) <= rows / 10
