"""Record lines of every format: writing, reading, and refusing for the right reason."""

import re
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aggregation.encoding import bit_vector_dtype, coordinate_dtype, unpack_coordinates
from aggregation.encoding import lines as encoding_lines
from aggregation.errors import shown
from aggregation.mechanisms.count_mean_sketch import encoding as bits
from aggregation.mechanisms.count_mean_sketch.encoding import bit_vector_line, bit_vector_lines
from aggregation.mechanisms.hadamard_count_mean_sketch import encoding as signs
from aggregation.mechanisms.hadamard_count_mean_sketch.encoding import coordinate_line, coordinate_lines
from aggregation.mechanisms.sequence_fragment_puzzle.encoding import fragment_line, fragment_lines, parse_fragments
from tests.aggregation.helpers import (
    UNHURRIED,
    VECTORS,
    count_mean,
    fragment_puzzle,
    hadamard_count_mean,
    random_coordinates,
    random_records,
)

pytestmark = pytest.mark.exact

# A field of a line: what it is, and its bound, or the values there are.
Field = tuple[str, Any]
PATTERNS = {"bits": "([0-9a-f]+)", "sign": "(1|-1)"}
# In the order in which they go before each other.
FAULTS = {
    "position": "malformed_record",
    "row": "row_out_of_range",
    "coordinate": "coordinate_out_of_range",
    "bits": "wrong_length",
}
Read = tuple[list[str], list[tuple[int, str]]]


def reference(lines: list[Any], fields: Sequence[Field]) -> Read:
    """Read lines as the report format says, one by one; return the good ones as they are, and the rejected."""
    pattern = ",".join(PATTERNS.get(kind, "(0|[1-9][0-9]*)") for kind, _ in fields)
    good, rejected = [], []
    for i, line in enumerate(lines):
        match = re.match(rf"\A{pattern}\Z", line) if isinstance(line, str) else None
        faulty = [] if match is None else [
            kind
            for (kind, bound), text in zip(fields, match.groups(), strict=True)
            if (kind == "bits" and 4 * len(text) != bound)
            or (kind == "position" and (len(text) > 12 or int(text) not in bound))
            or (kind in {"row", "coordinate"} and (len(text) > 12 or int(text) >= bound))
        ]  # fmt: skip
        if match is not None and not faulty:
            good.append(line)
        else:
            rejected.append((i, next((FAULTS[kind] for kind in FAULTS if kind in faulty), "malformed_record")))
    return good, rejected


def of_vectors(records: NDArray[Any]) -> list[str]:
    lines = [f"{record['row']},{record['bits'].tobytes().hex()}" for record in records]
    assert bit_vector_lines(records) == lines
    return lines


def read(lines: list[Any], fields: Sequence[Field]) -> Read:
    """Read lines, and write what was read as the report format says."""
    bounds = [bound for _, bound in fields]
    if len(fields) == 2:
        (records,), rejected = bits.line_format(*bounds).parse(lines)
        return of_vectors(records), rejected
    if len(fields) == 3:
        k, m, _ = bounds
        (records,), rejected = signs.line_format(k, m).parse(lines)
        columns = zip(*(column.tolist() for column in unpack_coordinates(records, m)), strict=True)
        written = [f"{row},{coordinate},{1 if positive else -1}" for row, coordinate, positive in columns]
        assert coordinate_lines(records, m) == written
        return written, rejected
    parts, rejected = parse_fragments(lines, bounds[0], tuple(bounds[1:3]), tuple(bounds[3:]))
    halves = of_vectors(parts["fragment"]), of_vectors(parts["element"])
    written = [f"{position},{a},{b}" for position, a, b in zip(parts["position"].tolist(), *halves, strict=True)]
    assert fragment_lines(parts) == written
    return written, rejected


@dataclass(frozen=True)
class Format:
    """Fields of lines, two good lines, lines by why they are refused, and lines whose faults make up for each other."""

    fields: tuple[Field, ...]
    good: list[Any]
    reasons: dict[str | None, list[Any]]
    balanced: list[list[Any]]
    # Longer than memory is cheap: whatever is read of them has to be read once.
    long: list[str]
    # Characters that replace one of a good line.
    characters: str = "0,aAgG+-_ \n\x00\u0665`/:f"
    # Other bounds that fields may have.
    others: list[tuple[Any, ...]] = field(default_factory=list)


SIZE = 1_000_000
# Fragment and word differ in everything, so that one passes for the other nowhere.
POSITIONS = range(1, 10, 2)
VECTOR_LINES: dict[str | None, list[Any]] = {
    None: [
        "7,80400001", "0,00000000", "2047,ffffffff",
    ],
    "row_out_of_range": [
        "2048,ffffffff", "9999,ffffffff", "9" * 100_000 + ",ffffffff", "99999,ff",
    ],
    "wrong_length": [
        "7,8040000", "7,804000010", "7,8",
    ],
    "malformed_record": [
        "7,", "7,8040000A", "7,8040000g", "7,8040000`", "+5,80400001", "-5,80400001", "1_6,80400001", "07,80400001",
        "00,80400001", "\u0667,80400001", "\uff17,80400001", "7\x00,80400001", "7,8040000\x00", "\x007,80400001",
        " 7,80400001", "7 ,80400001", "7, 0400001", "7,80400001\n", "7,80400001 ", "7,,0400001", ",7,8040000",
        "7,80400001,", "7,8,400001", ",80400001", "80400001", "7;80400001", "7,0x400001", "/,80400001", ":,80400001",
        "7,804000\ud800", "", None, 7, True, b"7,80400001", ["7", "80400001"], {"7": "80400001"},
    ],
}  # fmt: skip
COORDINATE_LINES: dict[str | None, list[Any]] = {
    None: [
        "7,31,1", "0,0,-1", "2047,31,-1",
    ],
    "row_out_of_range": [
        "2048,31,1", "2048,32,1", "12345678,1,1", "123456789,1,1", "4294967296,1,1", "18446744073709551616,1,1",
        "9" * 100_000 + ",1,-1",
    ],
    "coordinate_out_of_range": [
        "7,32,1", "7,33554432,-1", "7,4294967296,-1", "7," + "9" * 100_000 + ",-1",
    ],
    "malformed_record": [
        "7,1,0", "7,1,-0", "7,1,1.0", "7,1,+1", "7,1,2", "7,1,-2", "7,1,11", "7,1,01", "7,1,--1", "7,1,-", "7,1,",
        "7,1", "7,1,1,", "7,1,1,1", ",1,1", "7,,1", "07,1,1", "00,1,1", "7,01,1", "7,00,1", "-7,1,1", "-0,1,1",
        "7,-1,1", "7-,1,1", "+7,1,1", "7,1_0,1", "7,1.0,1", "7,1e1,1", "7,0x1,1", " 7,1,1", "7,1,1 ", "7, 1,1",
        "7,1,1\n", "\n7,1,1", "7,1,1\n7,1,1", "7\n1,1", "7,1,1\x00", "\x007,1,1", "\u0667,1,1", "7,\uff11,1",
        "7,1,\u0661", "7,1,\u22121", "7,1,1\ud800", "7;1;1", "/,1,1", ":,1,1", "7,80400001", "7,00000001",
        "1,5,40000000,6,20000000", "-" * 5, "", "\n", None, 7, True, b"7,1,1", [7, 1, 1], {"j": 7, "l": 1, "w": 1},
    ],
}  # fmt: skip
FRAGMENT_LINES: dict[str | None, list[Any]] = {
    None: [
        "3,7,8040,17,80400001", "1,0,0000,0,00000000", "9,39,ffff,2047,ffffffff",
    ],
    "malformed_record": [
        "0,7,8040,17,80400001", "2,7,8040,17,80400001", "11,7,8040,17,80400001", "13,7,8040,17,80400001",
        "257,7,8040,17,80400001", "01,7,8040,17,80400001", "+1,7,8040,17,80400001", "-1,7,8040,17,80400001",
        "1.0,7,8040,17,80400001", "\u0661,7,8040,17,80400001", "\uff11,7,8040,17,80400001", " 1,7,8040,17,80400001",
        ",7,8040,17,80400001", "a,7,8040,17,80400001", "/,7,8040,17,80400001", "1" * 100_000 + ",7,8040,17,80400001",
        "2,40,8040,17,80400001", "3,07,8040,17,80400001", "3,7,8040,017,80400001", "3,-7,8040,17,80400001",
        "3,7,8040,+17,80400001", "3,7,8040,1e1,80400001", "3,\u0667,8040,17,80400001", "3,,8040,17,80400001",
        "3,7,8040,,80400001", "3,7,,17,80400001", "3,7,8040,17,", "3,7,80A0,17,80400001", "3,7,8040,17,8040000F",
        "3,7,80g0,17,80400001", "3,7,8040,17,8040000`", "3,7,80 0,17,80400001", "3,7,8040,17,8040\u0660001",
        "3,7,0x40,17,80400001", "7,80a0,17,8040000f,3", "7,80a0,3,17,80400001", "7,8040,17,80400001", "3,7,8040",
        "3,7,8040,17", "7,8040", "3,7,8040,17,80400001,", ",3,7,8040,17,80400001", "3,7,8040,17,80400001,1",
        "3,3,7,8040,17,80400001", "3,7,8040,17,8040,001", "3,7,8,40,17,80400001", "3;7;8040;17;80400001",
        "3,7,8040,17,80400001\n", "\n3,7,8040,17,80400001", "3,7,8040\n,17,80400001",
        "3,7,8040,17,80400001\n3,7,8040,17,80400001", "3,7,8040,17,80400001\r", "3,7,8040,17,80400001\x00",
        "3,7,8040,17,8040000\ud800", "", ",,,,", None, 3, True, b"3,7,8040,17,80400001",
        ["3", "7", "8040", "17", "80400001"], {"3": "7,8040,17,80400001"},
    ],
    "row_out_of_range": [
        "3,40,8040,17,80400001", "3,7,8040,2048,80400001", "3," + "9" * 100_000 + ",8040,17,80400001",
        "3,7,8040," + "9" * 100_000 + ",80400001", "3,4294967303,8040,17,80400001",
        "3,18446744073709551623,8040,17,80400001", "3,7,804,2048,80400001", "3,40,8040,17,8040000",
        "3,2047,80400001,7,8040", "7,8040,17,80400001,3", "3,8040,7,80400001,17",
    ],
    "wrong_length": [
        "3,7,804,17,80400001", "3,7,80401,17,80400001", "3,7,8040,17,8040000", "3,7,8040,17,804000010",
        "3,7,80400,17,8040000", "3,7,80400001,17,8040", "3,17,80400001,7,8040",
    ],
}  # fmt: skip
FORMATS = {
    "vectors": Format(
        (("row", 2048), ("bits", 32)),
        ["1,00000000", "1023,12345678"],
        VECTOR_LINES,
        [["1,2,0000000", "300000000", "4", ",00000000"]],
        ["9" * SIZE + ",00000000", "1," + "a" * SIZE, "," * SIZE],
        others=[(1, 8), (10, 64), (2048, 64)],
    ),
    "coordinates": Format(
        (("row", 2048), ("coordinate", 32), ("sign", None)),
        ["1,0,1", "1023,12,-1"],
        COORDINATE_LINES,
        [
            ["1,2,1\n3,4,1", "", "5,6,1"],
            ["1", "2,1,2,1"],
            ["1,2", "1,2,1,1"],
            ["1-,2,1", "1,2,1"],
            ["-1,2,1", "3,4,1"],
        ],
        ["9" * SIZE + ",1,1", "1," + "9" * SIZE + ",1", "1,2," + "1" * SIZE, "1" * SIZE],
        "0,1-+_. \n\x00\u0665/:e",
        [(1, 8, None), (10, 64, None), (2048, 2**20 // 8, None)],
    ),
    "fragments": Format(
        (("position", POSITIONS), ("row", 40), ("bits", 16), ("row", 2048), ("bits", 32)),
        ["1,0,0000,1023,12345678", "9,39,abcd,5,00000000"],
        FRAGMENT_LINES,
        [
            ["3,7,8040,17,80400001,5", "7,8040,17,80400001"],
            ["3,7,8040", "17,80400001,5,1,0000,2,00000000"],
            ["3,7,8040,17,80400001" * 2, ""],
            ["3,7,804,17,80400001", "3,7,80400,17,80400001"],
            ["3,7,8040,17,8040000", "13,7,8040,17,80400001"],
            [",,,,", "3,7,8040,17,80400001"],
            ["37,,8040,17,80400001", "3,7,8040,17,80400001"],
        ],
        [
            f"{'1' * SIZE},7,8040,17,80400001",
            f"3,{'9' * SIZE},8040,17,80400001",
            f"3,7,{'a' * SIZE},17,80400001",
            f"3,7,8040,17,{'a' * SIZE}",
            "," * SIZE,
        ],
        others=[
            (range(1, 2, 2), 2048, 32, 40, 16),
            (range(1, 4, 2), 1, 16, 10, 32),
            (range(1, 12, 2), 2048, 16, 2048, 32),
        ],
    ),
}
each = pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))


@each
def test_lines_are_refused_for_the_reason_that_goes_first(form: Format) -> None:
    for reason, line in ((reason, line) for reason, lines in form.reasons.items() for line in lines):
        good = form.good
        for lines, place in (([line], 0), ([*good, line], 2), ([line, *good], 0), ([good[0], line, good[1]], 1)):
            found, rejected = read(lines, form.fields)
            assert rejected == ([] if reason is None else [(place, reason)]), shown(line)
            assert found == [own for i, own in enumerate(lines) if reason is None or i != place], shown(line)
            assert (found, rejected) == reference(lines, form.fields), shown(line)


@each
def test_faults_that_make_up_for_each_other_do_not(form: Format) -> None:
    for lines in form.balanced:
        assert read(lines, form.fields) == reference(lines, form.fields)


@each
def test_long_lines_cost_what_reading_them_costs(form: Format) -> None:
    """A megabyte each, refused for the right reason; in quadratic time this test would take hours."""
    lines = [form.good[0], *form.long, form.good[1]]
    tracemalloc.start()
    try:
        found = read(lines, form.fields)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == reference(lines, form.fields)
    assert found[0] == form.good
    assert peak < 3 * len(form.long) * SIZE


def text_of(draw: st.DrawFn, kind: str, bound: Any) -> str:
    if kind == "sign":
        return draw(st.sampled_from(["1", "-1"]))
    if kind == "bits":
        return draw(st.binary(min_size=bound // 8, max_size=bound // 8)).hex()
    if kind == "position":
        return str(draw(st.sampled_from([*list(bound) * 4, 0, 2, 11])))
    return str(draw(st.integers(0, bound - 1) | st.integers(0, bound + 5) | st.sampled_from([10**8, 10**9, 10**30])))


def mutated(draw: st.DrawFn, fields: Sequence[Field], characters: str) -> Any:
    texts = [text_of(draw, *own) for own in fields]
    kind = draw(st.sampled_from(["good"] * 8 + ["insert", "delete", "replace", "swap", "other"]))
    line = ",".join(draw(st.permutations(texts)) if kind == "swap" else texts)
    if kind == "other":
        return draw(st.one_of(st.text(), st.text("0139,a-\n"), st.integers(), st.none()))
    if kind in {"good", "swap"}:
        return line
    at = draw(st.integers(0, len(line) - 1))
    new = "" if kind == "delete" else draw(st.sampled_from(characters))
    return line[:at] + new + line[at + (kind != "insert") :]


@each
@settings(UNHURRIED, max_examples=50)
@given(data=st.data())
def test_reading_agrees_with_the_definition(form: Format, data: st.DataObject) -> None:
    bounds = data.draw(st.sampled_from([tuple(bound for _, bound in form.fields), *form.others]))
    fields = [(kind, bound) for (kind, _), bound in zip(form.fields, bounds, strict=True)]
    one = st.composite(lambda draw: mutated(draw, fields, form.characters))()
    lines = data.draw(st.lists(one, max_size=12))
    assert read(lines, fields) == reference(lines, fields)


def test_encodings_are_those_of_the_report_formats_vectors() -> None:
    def packed(m: int, ones: list[int]) -> Any:
        bits = np.zeros(m, np.uint8)
        bits[ones] = 1
        return np.packbits(bits)

    cms, hcms, sfp = (VECTORS["encodings"][name] for name in ("cms", "hcms", "sfp"))
    assert bit_vector_line(cms["j"], packed(cms["m"], cms["plus_one_at"])) == cms["record"]
    assert coordinate_line(hcms["j"], hcms["l"], hcms["sign"]) == hcms["record"]
    fragment, word = (
        bit_vector_line(sfp[part]["j"], packed(sfp["m"], sfp[part]["plus_one_at"])) for part in ("fragment", "word")
    )
    assert fragment_line(sfp["position"], fragment, word) == sfp["record"]


RNG = np.random.default_rng(0)
PARTS = [
    *((count_mean("4", 12345, m), {"element": random_records(RNG, 1000, 12345, m)}) for m in (8, 64, 1024)),
    (count_mean("4", 2**25, 8), {"element": random_records(RNG, 1000, 2**25, 8)}),
    *((hadamard_count_mean("4", 256, m), {"element": random_coordinates(RNG, 1000, 256, m)}) for m in (8, 2**20)),
    (hadamard_count_mean("4", 2**25, 8), {"element": random_coordinates(RNG, 1000, 2**25, 8)}),
    (
        fragment_puzzle("2", "6", (40, 16), (2048, 32), length=10),
        {
            "position": RNG.choice(np.array(POSITIONS, np.uint8), 1000),
            "fragment": random_records(RNG, 1000, 2048, 32),
            "element": random_records(RNG, 1000, 40, 16),
        },
    ),
]


@pytest.mark.parametrize(("mechanism", "parts"), PARTS, ids=lambda each: getattr(each, "algorithm", ""))
def test_what_is_written_is_read_back_over_several_blocks(
    mechanism: Any, parts: dict[str, NDArray[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_lines, "BLOCK", 100)
    lines: list[Any] = mechanism.format_records(parts)
    wrong = {0: None, 150: "x", 151: "1" * 40 + lines[151][lines[151].index(",") :], 999: lines[999] + "\n"}
    # The first field is a row, or of fragments a position.
    reasons = {151: "malformed_record" if "position" in parts else "row_out_of_range"}
    for places in ({}, wrong):
        for place, line in places.items():
            lines[place] = line
        found = mechanism.parse_records(lines)
        assert found.rejected == [(place, reasons.get(place, "malformed_record")) for place in places]
        kept = mechanism.split({name: np.delete(part, list(places)) for name, part in parts.items()})
        for stream, records in kept.items():
            assert found.streams[stream].dtype == records.dtype
            assert found.streams[stream].tobytes() == records.tobytes()
            assert found.streams[stream].flags.c_contiguous, "no view that keeps more in memory"


def test_an_empty_document_has_no_records() -> None:
    for line_format, dtype in ((bits.line_format, bit_vector_dtype(32)), (signs.line_format, coordinate_dtype())):
        (records,), rejected = line_format(2048, 32).parse([])
        assert (len(records), records.dtype, rejected) == (0, dtype, [])
    parts, rejected = parse_fragments([], POSITIONS, (40, 16), (2048, 32))
    assert rejected == []
    assert {name: (len(part), part.dtype) for name, part in parts.items()} == {
        "position": (0, np.uint8),
        "fragment": (0, bit_vector_dtype(16)),
        "element": (0, bit_vector_dtype(32)),
    }
