"""What the mathematics costs on one core, each step beside a floor: the least that any code would have to do.

Run ``python -m benchmarks.aggregation [FILE.json]``. Other modules add steps of their own to `steps`.
"""

import os

# Before NumPy is imported, so that one core means one.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import hashlib  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from decimal import Decimal  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from aggregation.encoding import bit_vector_dtype, join_records, merge_sorted, pack_coordinates, sort_records  # noqa: E402
from aggregation.mechanisms import CountMeanSketch, HadamardCountMeanSketch  # noqa: E402
from aggregation.screening import screen  # noqa: E402
from aggregation.sketches import QuadraticM31, hashing, transform  # noqa: E402
from aggregation.sketches.bitsliced import count_columns, runs_at_once  # noqa: E402
from aggregation.sketches.row_slices import occupied_rows  # noqa: E402

EPSILON, K, M = Decimal(4), 65536, 1024
DICTIONARY = 2623
# The deployed shape of domains, and their number.
HADAMARD_K, HADAMARD_M = 1024, 32768
DOMAINS = 250_000
REPETITIONS = 3

Row = dict[str, str | int | float | None]


def best_time(function: Callable[[], object], repetitions: int = REPETITIONS) -> float:
    """Return the shortest of some runs, in seconds."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(function: Callable[[], object]) -> float:
    """Return the most memory that one further run allocates beyond what was there."""
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def measured(
    step: str, reports: int, function: Callable[[], object], floor: str, floor_function: Callable[[], object]
) -> Row:
    """Return one row of the table: a step's best time and memory, and those of its floor."""
    return row(step, reports, best_time(function), peak_megabytes(function), floor, best_time(floor_function))


def row(step: str, reports: int, seconds: float, peak: float | None, floor: str, floor_seconds: float) -> Row:
    return {
        "step": step,
        "seconds": round(seconds, 4),
        "reports_per_second": round(reports / seconds),
        "peak_mb": None if peak is None else round(peak, 1),
        "floor": floor,
        "floor_seconds": round(floor_seconds, 4),
        "ratio": round(seconds / floor_seconds, 2),
    }


def random_records(n: int, seed: int = 0) -> NDArray[Any]:
    """Return unsorted records of random bytes, which cost the same as real ones."""
    rng = np.random.default_rng(seed)
    records = np.empty(n, bit_vector_dtype(M))
    records["row"] = rng.integers(0, K, n)
    records["bits"] = np.frombuffer(rng.bytes(n * M // 8), np.uint8).reshape(n, -1)
    return records


def mechanism() -> CountMeanSketch:
    return CountMeanSketch(EPSILON, K, M, QuadraticM31(bytes(range(16))))


def sketch_by_blocks(records: NDArray[Any]) -> None:
    """Count every cell of a sketch, a block of rows at a time, as a read-out does."""
    _, starts, stops = occupied_rows(records, 0, K)
    step = runs_at_once(records.itemsize)
    for start in range(0, len(starts), step):
        count_columns(records, starts[start : start + step], stops[start : start + step])


def naive_sketch(records: NDArray[Any]) -> None:
    """Count the same by unpacking all reports and adding up runs of equal rows."""
    starts = np.flatnonzero(np.diff(records["row"].astype(np.intp), prepend=-1))
    # Into the type of a sketch: bytes would be wrong from the 256th report of a row on.
    np.add.reduceat(np.unpackbits(records["bits"], axis=1), starts, axis=0, dtype=np.int32)


def blocked_sketch(records: NDArray[Any]) -> None:
    """The same by blocks that stay in cache, the best that unpacking does."""
    for part in np.array_split(records, max(1, len(records) // 20_000)):
        naive_sketch(part)


def sketch_steps(n: int = 4_000_000, naive_reports: int = 200_000) -> Iterator[Row]:
    records = sort_records(random_records(n))
    yield measured(
        f"sketch {n:,} reports, k={K}, m={M}",
        n,
        lambda: sketch_by_blocks(records),
        "copy of the records",
        records.copy,
    )
    subset = records[:naive_reports]
    own = best_time(lambda: sketch_by_blocks(records))
    for step, seconds in (
        ("naive: unpack and add", best_time(lambda: naive_sketch(subset), 1)),
        ("unpack and add in blocks", best_time(lambda: blocked_sketch(subset), 1)),
    ):
        scaled = seconds * n / naive_reports
        yield row(f"{step} (scaled from {naive_reports:,})", n, scaled, None, "bit-sliced, all of them", own)


def read_out_steps(n: int = 1_000_000) -> Iterator[Row]:
    own = mechanism()
    points = own.family.points([f"element {i}" for i in range(DICTIONARY)])
    cells = np.random.default_rng(1).integers(0, 16 * M, size=(16, DICTIONARY))
    for locales in (1, 4, 20):
        shards = [sort_records(random_records(n // locales, seed)) for seed in range(locales)]
        items = np.zeros(16 * M, f"V{2 * locales}")

        def run(shards: list[NDArray[Any]] = shards) -> None:
            hashing._block.cache_clear()
            own.read_out(shards, points, 0, K)

        def look_up(items: NDArray[Any] = items) -> None:
            for _ in range(K // 16):
                items.take(cells)

        step = f"sketch and read out {DICTIONARY:,} x {K:,}, {locales} locales, {n:,} reports"
        yield measured(step, n, run, "one take of as many look-ups", look_up)


def look_ups(family_points: NDArray[Any], rows: int, m: int) -> Callable[[], None]:
    """Return what takes a number from a table for every element and row, 16 rows of 4,096 elements at a time."""
    items = np.zeros(16 * m, np.int16)
    cells = np.random.default_rng(1).integers(0, 16 * m, size=(16, 4096))

    def run() -> None:
        for _ in range(rows // 16):
            for start in range(0, len(family_points), 4096):
                items.take(cells[:, : len(family_points) - start])

    return run


def hadamard_steps(n: int = 5_000_000) -> Iterator[Row]:
    """The deployed sketch of domains, and that its cost grows no faster than reports and elements do."""
    own = HadamardCountMeanSketch(EPSILON, HADAMARD_K, HADAMARD_M, QuadraticM31(bytes(range(16))))
    k, m, rng = own.k, own.m, np.random.default_rng(5)
    drawn = pack_coordinates(rng.integers(0, k, n), rng.integers(0, m, n), rng.random(n) < 0.5, m)
    yield measured(f"sort {n:,} coordinates", n, lambda: sort_records(drawn), "copy of the records", drawn.copy)
    records = sort_records(drawn)
    cells = np.zeros(k * m, np.int16)
    one = own.family.points(["site0.example"])
    for part in (n // 4, n // 2, n):
        some = sort_records(drawn[:part])
        # A read-out of one element, so that next to nothing is looked up.
        step = f"sum up and transform {part:,} coordinates, k={k}, m={m}"
        sums = partial(own.read_out, [some], one, 0, k)
        yield measured(step, part, sums, "writing every cell", lambda: cells.fill(1))
    for dtype in (np.int16, np.int32):
        table: NDArray[np.signedinteger[Any]] = rng.integers(-9, 10, (k, m)).astype(dtype)
        step = f"transform {k:,} x {m:,}, {dtype.__name__}"
        yield measured(step, n, lambda table=table: transform(table), "copy of the cells", table.copy)  # type: ignore[misc]
    domains = [f"site{i}.example" for i in range(DOMAINS)]
    encode = "SHA-256 of each element"

    def digests() -> None:
        for domain in domains:
            hashlib.sha256(domain.encode()).digest()

    yield measured(f"points of {DOMAINS:,} elements", DOMAINS, lambda: own.family.points(domains), encode, digests)
    points = own.family.points(domains)
    for size in (DOMAINS // 4, DOMAINS // 2, DOMAINS):
        some_points = points[:size]
        step = f"sum up, transform and read out {size:,} x {k:,}, {n:,} reports"
        yield measured(
            step,
            n,
            partial(own.read_out, [records], some_points, 0, k),
            "one take of as many look-ups",
            look_ups(some_points, k, m),
        )


def autoplay_steps(n: int = 1_000_000, elements: int = 25_000) -> Iterator[Row]:
    """Bit vectors over a dictionary of domains."""
    own = mechanism()
    points = own.family.points([f"site{i}.example" for i in range(elements)])
    records = sort_records(random_records(n, 6))
    step = f"sketch and read out {elements:,} x {K:,}, {n:,} reports"
    floor = "one take of as many look-ups"
    yield measured(step, n, lambda: own.read_out([records], points, 0, K), floor, look_ups(points, K, M))


def coordinate_line_steps(n: int = 5_000_000) -> Iterator[Row]:
    own = HadamardCountMeanSketch(EPSILON, HADAMARD_K, HADAMARD_M, QuadraticM31(bytes(range(16))))
    index = np.random.default_rng(7).integers(0, DICTIONARY, n)
    elements = [f"element {i}" for i in range(DICTIONARY)]

    def fleet() -> dict[str, NDArray[Any]]:
        return own.privatize_fleet(elements, index, np.random.default_rng(8))

    def draw() -> None:
        np.random.default_rng(8).integers(0, 2**64, size=(3, n), dtype=np.uint64)

    yield measured(f"privatize a fleet of {n:,}, signs", n, fleet, "drawing three numbers each", draw)
    lines = own.format_records(fleet())
    for size in (1000, 20_000):
        documents = [lines[start : start + size] for start in range(0, n, size)]

        def parse(documents: list[list[str]] = documents) -> None:
            for document in documents:
                own.parse_records(document)

        step = f"parse {n:,} coordinates, {size:,} a document"
        yield measured(step, n, parse, "joining the lines", lambda: "".join(lines))


def record_steps(n: int = 400_000) -> Iterator[Row]:
    own = mechanism()
    elements = [f"element {i}" for i in range(DICTIONARY)]
    shares = 1 / np.arange(1, DICTIONARY + 1)
    index = np.random.default_rng(2).choice(DICTIONARY, size=n, p=shares / shares.sum())
    streams = own.privatize_fleet(elements, index, np.random.default_rng(3))
    records = streams["element"]

    def fleet() -> None:
        own.privatize_fleet(elements, index, np.random.default_rng(3))

    def draw() -> None:
        rng = np.random.default_rng(3)
        for _ in range(n // 256):
            rng.integers(0, 2**64, size=256 * M // 8, dtype=np.uint64)

    yield measured(f"privatize a fleet of {n:,}", n, fleet, "drawing a byte per bit", draw)
    yield measured(f"format {n:,} records", n, lambda: own.format_records(streams), "copy of the records", records.copy)

    lines = own.format_records(streams)
    for size in (1000, 20_000):
        documents = [lines[start : start + size] for start in range(0, n, size)]
        step = f"parse {n:,} records, {size:,} a document"

        def parse(documents: list[list[str]] = documents) -> None:
            for document in documents:
                own.parse_records(document)

        yield measured(step, n, parse, "joining the lines", lambda: "".join(lines))

    yield measured(f"sort {n:,} records", n, lambda: sort_records(records), "copy of the records", records.copy)
    quiet = CountMeanSketch(Decimal(16), K, M, own.family)
    tied = quiet.privatize_fleet(elements, index, np.random.default_rng(4))["element"]
    yield measured(f"sort {n:,} records, epsilon 16", n, lambda: sort_records(tied), "copy of the records", tied.copy)
    shards = [sort_records(part) for part in np.array_split(records, 8)]
    step = f"merge 8 shards of {n // 8:,} records, 16 MB at a time"
    merged = measured(step, n, lambda: sum(map(len, merge_sorted(shards, 2**24))), "copy", lambda: join_records(shards))
    yield merged


def screening_steps(n: int = 1_000_000) -> Iterator[Row]:
    """Measure the tests that every batch passes before it is stored."""
    rng = np.random.default_rng(9)
    elements = [f"element {i}" for i in range(100)]
    of_bits = HadamardCountMeanSketch(EPSILON, HADAMARD_K, HADAMARD_M, QuadraticM31(bytes(16)))
    for name, own in (("vectors", mechanism()), ("coordinates", of_bits)):
        drawn = own.privatize_fleet(elements, rng.integers(0, len(elements), n), rng)["element"]
        records = sort_records(drawn)
        yield measured(
            f"screen {n:,} {name}",
            n,
            partial(screen, own, {"element": records}),
            "copy of the records",
            records.copy,
        )


def steps() -> Iterator[Row]:
    """Yield one row for each step as it is done."""
    yield from sketch_steps()
    yield from read_out_steps()
    yield from autoplay_steps()
    yield from record_steps()
    yield from hadamard_steps()
    yield from coordinate_line_steps()
    yield from screening_steps()


def table_line(values: Row) -> str:
    peak = "" if values["peak_mb"] is None else f"{values['peak_mb']} MB"
    return (
        f"{values['step']!s:<72} {values['seconds']:>8} s {values['reports_per_second']:>12,}/s {peak:>10}"
        f"   x{values['ratio']} of {values['floor']} ({values['floor_seconds']} s)"
    )


def main(arguments: list[str]) -> None:
    """Print the table, and write it as JSON if a path is given."""
    rows = []
    for values in steps():
        print(table_line(values), flush=True)
        rows.append(values)
    if arguments:
        Path(arguments[0]).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
