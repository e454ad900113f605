"""Cost of the mathematics on one core, each step beside a floor: the least that any code would have to do."""

import hashlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.encoding import (
    bit_vector_dtype,
    join_records,
    merge_sorted,
    pack_buckets,
    pack_coordinates,
    sort_records,
)
from aggregation.mechanisms import CountMeanSketch, HadamardCountMeanSketch, LocalHashing, Mechanism
from aggregation.screening import screen
from aggregation.sketches import QuadraticM31, hashing, transform
from aggregation.sketches.bitsliced import count_columns, runs_at_once
from aggregation.sketches.row_slices import occupied_rows
from benchmarks.measuring import TAKES, Row, measured

EPSILON, K, M = Decimal(4), 65536, 1024
DICTIONARY = 2623
# The deployed shape of domains, and their number.
HADAMARD_K, HADAMARD_M = 1024, 32768
DOMAINS = 250_000
COPY = "copy of the records"


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


def sketch_steps(n: int = 4_000_000) -> Iterator[Row]:
    records = sort_records(random_records(n))
    step = f"sketch {n:,} reports, k={K}, m={M}"
    yield measured(step, lambda: sketch_by_blocks(records), COPY, records.copy, reports=n)


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
        yield measured(step, run, TAKES, look_up, reports=n)


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
    yield measured(f"sort {n:,} coordinates", lambda: sort_records(drawn), COPY, drawn.copy, reports=n)
    records = sort_records(drawn)
    cells = np.zeros(k * m, np.int16)
    one = own.family.points(["site0.example"])
    for part in (n // 4, n // 2, n):
        some = sort_records(drawn[:part])
        # A read-out of one element, so that next to nothing is looked up.
        step = f"sum up and transform {part:,} coordinates, k={k}, m={m}"
        sums = partial(own.read_out, [some], one, 0, k)
        yield measured(step, sums, "writing every cell", lambda: cells.fill(1), reports=part)
    for dtype in (np.int16, np.int32):
        table: NDArray[np.signedinteger[Any]] = rng.integers(-9, 10, (k, m)).astype(dtype)
        step = f"transform {k:,} x {m:,}, {dtype.__name__}"
        yield measured(step, partial(transform, table), "copy of the cells", table.copy, reports=n)
    domains = [f"site{i}.example" for i in range(DOMAINS)]

    def digests() -> None:
        for domain in domains:
            hashlib.sha256(domain.encode()).digest()

    step = f"points of {DOMAINS:,} elements"
    yield measured(step, partial(own.family.points, domains), "SHA-256 of each element", digests, reports=DOMAINS)
    points = own.family.points(domains)
    for size in (DOMAINS // 4, DOMAINS // 2, DOMAINS):
        some_points = points[:size]
        step = f"sum up, transform and read out {size:,} x {k:,}, {n:,} reports"
        read_out = partial(own.read_out, [records], some_points, 0, k)
        yield measured(step, read_out, TAKES, look_ups(some_points, k, m), reports=n)


def local_hashing_steps(n: int = 10_000_000) -> Iterator[Row]:
    """Reports counted in a table of any number of buckets, and dictionaries of domains read out of it."""
    rng, domains = np.random.default_rng(9), [f"site{i}.example" for i in range(DOMAINS)]
    for k, g in ((65536, 56), (2048, 56)):
        own = LocalHashing(EPSILON, k, g, QuadraticM31(bytes(range(16))))
        records = sort_records(pack_buckets(rng.integers(0, k, n), rng.integers(0, g, n), g))
        state = own.empty_state()
        step = f"count {n:,} buckets, k={k}, g={g}"
        add = partial(own.add_to_state, state, {"element": records})
        yield measured(step, add, COPY, records.copy, reports=n)
        rows = min(k, 2048)
        points = own.family.points(domains)
        step = f"count and read out {DOMAINS:,} x {rows:,} rows of {k:,}, {n:,} reports"
        read_out = partial(own.read_out, [records], points, 0, rows)
        yield measured(step, read_out, TAKES, look_ups(points, rows, g), reports=n * rows // k)


def autoplay_steps(n: int = 1_000_000, elements: int = 25_000) -> Iterator[Row]:
    """Bit vectors over a dictionary of domains."""
    own = mechanism()
    points = own.family.points([f"site{i}.example" for i in range(elements)])
    records = sort_records(random_records(n, 6))
    step = f"sketch and read out {elements:,} x {K:,}, {n:,} reports"
    read_out = partial(own.read_out, [records], points, 0, K)
    yield measured(step, read_out, TAKES, look_ups(points, K, M), reports=n)


def line_steps(own: Mechanism, lines: list[str]) -> Iterator[Row]:
    """Read the lines of documents, of as many records as a relay or a command sends in one."""
    for size in (1000, 20_000):
        documents = [lines[start : start + size] for start in range(0, len(lines), size)]

        def parse(documents: list[list[str]] = documents) -> None:
            for document in documents:
                own.parse_records(document)

        step = f"parse {len(lines):,} lines of {own.algorithm}, {size:,} a document"
        yield measured(step, parse, "joining the lines", lambda: "".join(lines), reports=len(lines))


def coordinate_steps(n: int = 5_000_000) -> Iterator[Row]:
    own = HadamardCountMeanSketch(EPSILON, HADAMARD_K, HADAMARD_M, QuadraticM31(bytes(range(16))))
    index = np.random.default_rng(7).integers(0, DICTIONARY, n)
    elements = [f"element {i}" for i in range(DICTIONARY)]

    def fleet() -> dict[str, NDArray[Any]]:
        return own.privatize_fleet(elements, index, np.random.default_rng(8))

    def draw() -> None:
        np.random.default_rng(8).integers(0, 2**64, size=(3, n), dtype=np.uint64)

    yield measured(f"privatize a fleet of {n:,}, signs", fleet, "drawing three numbers each", draw, reports=n)
    yield from line_steps(own, own.format_records(fleet()))


def record_steps(n: int = 400_000) -> Iterator[Row]:
    own = mechanism()
    elements = [f"element {i}" for i in range(DICTIONARY)]
    shares = 1 / np.arange(1, DICTIONARY + 1)
    index = np.random.default_rng(2).choice(DICTIONARY, size=n, p=shares / shares.sum())

    def fleet() -> dict[str, NDArray[Any]]:
        return own.privatize_fleet(elements, index, np.random.default_rng(3))

    def draw() -> None:
        rng = np.random.default_rng(3)
        for _ in range(n // 256):
            rng.integers(0, 2**64, size=256 * M // 8, dtype=np.uint64)

    yield measured(f"privatize a fleet of {n:,}", fleet, "drawing a byte per bit", draw, reports=n)
    streams = fleet()
    records = streams["element"]
    yield measured(f"format {n:,} records", lambda: own.format_records(streams), COPY, records.copy, reports=n)
    yield from line_steps(own, own.format_records(streams))
    quiet = CountMeanSketch(Decimal(16), K, M, own.family)
    tied = quiet.privatize_fleet(elements, index, np.random.default_rng(4))["element"]
    for which, some in (("", records), (", epsilon 16", tied)):
        yield measured(f"sort {n:,} records{which}", partial(sort_records, some), COPY, some.copy, reports=n)
    shards = [sort_records(part) for part in np.array_split(records, 8)]
    step = f"merge 8 shards of {n // 8:,} records, 16 MB at a time"
    floor = partial(join_records, shards)
    yield measured(step, lambda: sum(map(len, merge_sorted(shards, 2**24))), "copy", floor, reports=n)


def screening_steps(n: int = 1_000_000) -> Iterator[Row]:
    """Measure the tests that every batch passes before it is stored."""
    rng = np.random.default_rng(9)
    elements = [f"element {i}" for i in range(100)]
    of_bits = HadamardCountMeanSketch(EPSILON, HADAMARD_K, HADAMARD_M, QuadraticM31(bytes(16)))
    for name, own in (("vectors", mechanism()), ("coordinates", of_bits)):
        drawn = own.privatize_fleet(elements, rng.integers(0, len(elements), n), rng)["element"]
        records = sort_records(drawn)
        screening = partial(screen, own, {"element": records})
        yield measured(f"screen {n:,} {name}", screening, COPY, records.copy, reports=n)


def steps() -> Iterator[Row]:
    """Yield one row for each step as it is done."""
    yield from sketch_steps()
    yield from read_out_steps()
    yield from autoplay_steps()
    yield from record_steps()
    yield from hadamard_steps()
    yield from local_hashing_steps()
    yield from coordinate_steps()
    yield from screening_steps()
