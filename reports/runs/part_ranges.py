"""Cutting of a run's work into parts of about equal size."""

from collections.abc import Iterator, Sequence

# Shards that a part reads at most: its result, and a step of publishing, hold one integer for each of them and element,
# 64 MB at 250,000, however many days and locales a run has.
SHARDS_PER_PART = 32
# Small enough that a part takes well under a second, so that a lost worker costs little and two workers share evenly;
# large enough that the task is not sent and the result not written too often.
LOOK_UPS_PER_PART = 1 << 25
REPORTS_PER_PART = 1 << 22
# So many shards more make a look-up cost as much again as the hash of the element does: measured, 3 to 10.
SHARDS_PER_HASH = 8
# For fragments: all positions share the hash of a key and row, and days are added up before. A quarter of a second.
FRAGMENT_LOOK_UPS_PER_PART = 1 << 27
# So many positions more make a look-up cost as much again as the hash does.
POSITIONS_PER_HASH = 8
# Read-outs of a range of rows are kept in so many bytes for each key and position, if they fit.
FRAGMENT_BYTES = 4
# Ranges of one group of shards.
MOST_RANGES = 256
# The results of all parts of a group lie in the storage until the run is published, each with an integer for every
# shard and element. There are no more ranges than fit into this many bytes, …
RESULT_BYTES = 1 << 30
# … unless parts would come near to the end of their lease: this many look-ups take some ten seconds. There is then so
# much work in a part that writing its result and reading it again does not count.
MOST_LOOK_UPS_PER_PART = 1 << 32
# The read-out works in blocks of this many rows.
ROW_BLOCK = 16


def shard_ranges(num_rows: int, sizes: Sequence[int], elements: int) -> Iterator[tuple[range, range]]:
    """Cut the reading of a dictionary out of shards of these sizes into ranges of shards and of rows."""
    for start in range(0, len(sizes), SHARDS_PER_PART):
        group = sizes[start : start + SHARDS_PER_PART]
        for start_row, stop_row in row_ranges(num_rows, group, elements):
            yield range(start, start + len(group)), range(start_row, stop_row)


def row_ranges(num_rows: int, sizes: Sequence[int], elements: int) -> Iterator[tuple[int, int]]:
    """Cut the rows of a sketch into ranges of about equal work, for shards of these sizes.

    Work is look-ups, one for each element and row that has reports, and reports to add up.
    """
    reports = sum(sizes)
    look_ups = min(reports, num_rows) * elements * (SHARDS_PER_HASH + len(sizes)) // SHARDS_PER_HASH
    wanted = max(-(-look_ups // LOOK_UPS_PER_PART), -(-reports // REPORTS_PER_PART))
    result_bytes = 8 * elements * len(sizes)
    allowed = max(RESULT_BYTES // max(result_bytes, 1), -(-look_ups // MOST_LOOK_UPS_PER_PART), 1)
    return _ranges(num_rows, min(wanted, allowed))


def fragment_look_ups(rows: int, keys: int, positions: int) -> int:
    """Return the work of reading fragments, which are looked up for every key, with reports or without."""
    return rows * keys * (POSITIONS_PER_HASH + positions) // POSITIONS_PER_HASH


def fragment_ranges(num_rows: int, keys: int, positions: int) -> Iterator[tuple[int, int]]:
    """Cut the rows of fragment sketches into ranges of about equal work.

    However large these may be, the results of a locale keep within their bytes: a part then takes some ten seconds, at
    65,536 rows, 64 letters and eight positions.
    """
    wanted = -(-fragment_look_ups(num_rows, keys, positions) // FRAGMENT_LOOK_UPS_PER_PART)
    allowed = RESULT_BYTES // (FRAGMENT_BYTES * keys * positions)
    return _ranges(num_rows, min(wanted, allowed))


def _ranges(num_rows: int, number: int) -> Iterator[tuple[int, int]]:
    """Cut rows into so many ranges at most."""
    blocks = -(-num_rows // ROW_BLOCK)
    per_part = -(-blocks // min(max(number, 1), MOST_RANGES, blocks)) * ROW_BLOCK
    for start in range(0, num_rows, per_part):
        yield start, min(start + per_part, num_rows)
