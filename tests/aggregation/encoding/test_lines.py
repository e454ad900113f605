"""Record lines: writing, reading, and refusing for the right reason."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.encoding import lines as encoding_lines
from aggregation.encoding import unpack_coordinates
from aggregation.errors import shown
from aggregation.mechanisms.count_mean_sketch.encoding import bit_vector_line, bit_vector_lines, parse_bit_vectors
from aggregation.mechanisms.hadamard_count_mean_sketch.encoding import (
    coordinate_line,
    coordinate_lines,
    parse_coordinates,
)
from aggregation.mechanisms.sequence_fragment_puzzle.encoding import fragment_line
from tests.aggregation.helpers import (
    UNHURRIED,
    VECTORS,
    count_mean,
    hadamard_count_mean,
    random_coordinates,
    random_records,
)

pytestmark = pytest.mark.exact

K, M = 2048, 32


def packed(m: int, ones: list[int]) -> Any:
    bits = np.zeros(m, np.uint8)
    bits[ones] = 1
    return np.packbits(bits)


def reference(lines: list[Any], k: int, m: int) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Read lines as the report format says, one by one; return (row, hex) of the good ones, and the rejected."""
    good, rejected = [], []
    for i, line in enumerate(lines):
        match = re.match(r"\A(0|[1-9][0-9]*),([0-9a-f]+)\Z", line) if isinstance(line, str) else None
        if match is None:
            rejected.append((i, "malformed_record"))
        elif len(match[1]) > 12 or int(match[1]) >= k:
            rejected.append((i, "row_out_of_range"))
        elif len(match[2]) != m // 4:
            rejected.append((i, "wrong_length"))
        else:
            good.append((int(match[1]), match[2]))
    return good, rejected


def reference_coordinates(lines: list[Any], k: int, m: int) -> tuple[list[str], list[tuple[int, str]]]:
    """The same for lines ``j,l,w``; the good ones are returned as they are."""
    good, rejected = [], []
    for i, line in enumerate(lines):
        match = re.match(r"\A(0|[1-9][0-9]*),(0|[1-9][0-9]*),(1|-1)\Z", line) if isinstance(line, str) else None
        if match is None:
            rejected.append((i, "malformed_record"))
        elif len(match[1]) > 12 or int(match[1]) >= k:
            rejected.append((i, "row_out_of_range"))
        elif len(match[2]) > 12 or int(match[2]) >= m:
            rejected.append((i, "coordinate_out_of_range"))
        else:
            good.append(line)
    return good, rejected


def parsed(lines: list[Any], k: int, m: int) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    records, rejected = parse_bit_vectors(lines, k, m)
    return [(int(record["row"]), record["bits"].tobytes().hex()) for record in records], rejected


def test_encodings() -> None:
    cms, hcms, sfp = (VECTORS["encodings"][name] for name in ("cms", "hcms", "sfp"))
    assert bit_vector_line(cms["j"], packed(cms["m"], cms["plus_one_at"])) == cms["record"]
    assert coordinate_line(hcms["j"], hcms["l"], hcms["sign"]) == hcms["record"]
    fragment, word = (
        bit_vector_line(sfp[part]["j"], packed(sfp["m"], sfp[part]["plus_one_at"])) for part in ("fragment", "word")
    )
    assert fragment_line(sfp["position"], fragment, word) == sfp["record"]


REASONS: dict[str | None, list[Any]] = {
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


def around(line: Any, good: list[Any]) -> tuple[tuple[list[Any], int], ...]:
    """Documents with the line alone, at the end, at the start and in the middle; and where it is."""
    return ([line], 0), ([*good, line], 2), ([line, *good], 0), ([good[0], line, good[1]], 1)


def test_reasons() -> None:
    for reason, line in ((reason, line) for reason, lines in REASONS.items() for line in lines):
        for lines, place in around(line, ["1,00000000", "1023,12345678"]):
            records, rejected = parse_bit_vectors(lines, K, M)
            assert rejected == ([] if reason is None else [(place, reason)]), shown(line)
            assert len(records) == len(lines) - len(rejected), shown(line)


def test_faults_that_make_up_for_each_other_do_not() -> None:
    lines = ["1,2,0000000", "300000000", "4", ",00000000"]
    assert parsed(lines, K, M) == ([], [(i, "malformed_record") for i in range(4)])


def mutated(draw: st.DrawFn) -> Any:
    row = draw(st.one_of(st.integers(0, K + 5), st.sampled_from([10**9, 10**30])))
    line = f"{row},{draw(st.binary(min_size=4, max_size=4)).hex()}"
    kind = draw(st.sampled_from(["good"] * 8 + ["insert", "delete", "replace", "other"]))
    if kind == "other":
        return draw(st.one_of(st.text(), st.integers(), st.none()))
    if kind == "good":
        return line
    at = draw(st.integers(0, len(line) - 1))
    new = "" if kind == "delete" else draw(st.sampled_from("0,aAgG+-_ \n\x00\u0665`/:f"))
    return line[:at] + new + line[at + (kind != "insert") :]


@settings(UNHURRIED, max_examples=150)
@given(st.lists(st.composite(mutated)(), max_size=12), st.sampled_from([8, 32, 64]), st.sampled_from([1, 10, K]))
def test_reading_agrees_with_the_definition(lines: list[Any], m: int, k: int) -> None:
    assert parsed(lines, k, m) == reference(lines, k, m)


@settings(UNHURRIED, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 999_999), st.binary(min_size=8, max_size=8)), max_size=30))
def test_what_is_written_is_read_back(content: list[tuple[int, bytes]]) -> None:
    lines = [f"{row},{bits.hex()}" for row, bits in content]
    records, rejected = parse_bit_vectors(lines, 10**6, 64)
    assert rejected == []
    assert [(int(r["row"]), r["bits"].tobytes()) for r in records] == content
    assert bit_vector_lines(records) == lines


@pytest.mark.parametrize("m", [8, 64, 1024])
def test_round_trip_over_several_blocks(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding_lines, "BLOCK", 100)
    mechanism = count_mean("4", 12345, m)
    records = random_records(np.random.default_rng(0), 1000, 12345, m)
    lines: list[Any] = mechanism.format_records({"element": records})
    assert mechanism.parse_records(lines).streams["element"].tobytes() == records.tobytes()
    lines[150], lines[999] = "x", f"12345,{'0' * (m // 4)}"
    again = mechanism.parse_records(lines)
    assert again.rejected == [(150, "malformed_record"), (999, "row_out_of_range")]
    assert again.streams["element"].tobytes() == np.delete(records, [150, 999]).tobytes()
    assert again.streams["element"].dtype == records.dtype


def test_an_empty_document() -> None:
    for parse in (parse_bit_vectors, parse_coordinates):
        records, rejected = parse([], K, M)
        assert len(records) == 0
        assert rejected == []


COORDINATES: dict[str | None, list[Any]] = {
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


def test_reasons_of_coordinates() -> None:
    for reason, line in ((reason, line) for reason, lines in COORDINATES.items() for line in lines):
        for lines, place in around(line, ["1,0,1", "1023,12,-1"]):
            records, rejected = parse_coordinates(lines, K, M)
            assert rejected == ([] if reason is None else [(place, reason)]), shown(line)
            read = [own for i, own in enumerate(lines) if reason is None or i != place]
            assert coordinate_lines(records, M) == read, shown(line)


def test_coordinates_whose_faults_make_up_for_each_other_do_not() -> None:
    for lines in (
        ["1,2,1\n3,4,1", "", "5,6,1"],
        ["1", "2,1,2,1"],
        ["1,2", "1,2,1,1"],
        ["1-,2,1", "1,2,1"],
        ["-1,2,1", "3,4,1"],
    ):
        assert parse_coordinates(lines, K, M)[1] == reference_coordinates(lines, K, M)[1]


def test_long_lines_cost_what_reading_them_costs() -> None:
    """Ten megabytes each, refused for the right reason; in quadratic time this test would take hours."""
    size = 10_000_000
    lines = ["1,2,1", "9" * size + ",1,1", "1," + "9" * size + ",1", "1,2," + "1" * size, "1" * size, "3,4,-1"]
    records, rejected = parse_coordinates(lines, K, M)
    assert coordinate_lines(records, M) == ["1,2,1", "3,4,-1"]
    reasons = ["row_out_of_range", "coordinate_out_of_range", "malformed_record", "malformed_record"]
    assert rejected == list(enumerate(reasons, 1))


def mutated_coordinates(draw: st.DrawFn) -> Any:
    row = draw(st.one_of(st.integers(0, K + 5), st.sampled_from([10**7, 10**8, 10**9, 10**30])))
    coordinate = draw(st.one_of(st.integers(0, 70), st.sampled_from([10**7, 10**8, 2**32, 10**30])))
    line = f"{row},{coordinate},{draw(st.sampled_from(['1', '-1']))}"
    kind = draw(st.sampled_from(["good"] * 8 + ["insert", "delete", "replace", "other"]))
    if kind == "other":
        return draw(st.one_of(st.text(), st.text("01,-\n"), st.integers(), st.none()))
    if kind == "good":
        return line
    at = draw(st.integers(0, len(line) - 1))
    new = "" if kind == "delete" else draw(st.sampled_from("0,1-+_. \n\x00\u0665/:e"))
    return line[:at] + new + line[at + (kind != "insert") :]


@settings(UNHURRIED, max_examples=150)
@given(
    st.lists(st.composite(mutated_coordinates)(), max_size=12),
    st.sampled_from([8, 64, 2**20]),
    st.sampled_from([1, 10, K]),
)
def test_reading_coordinates_agrees_with_the_definition(lines: list[Any], m: int, k: int) -> None:
    records, rejected = parse_coordinates(lines, k, m)
    assert (coordinate_lines(records, m), rejected) == reference_coordinates(lines, k, m)


@settings(UNHURRIED, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 2**25 - 1), st.integers(0, 7), st.booleans()), max_size=30))
def test_coordinates_that_are_written_are_read_back(content: list[tuple[int, int, bool]]) -> None:
    lines = [coordinate_line(row, coordinate, 1 if positive else -1) for row, coordinate, positive in content]
    records, rejected = parse_coordinates(lines, 2**25, 8)
    assert rejected == []
    parts = [part.tolist() for part in unpack_coordinates(records, 8)]
    assert list(zip(*parts, strict=True)) == content
    assert coordinate_lines(records, 8) == lines


@pytest.mark.parametrize("m", [8, 32768, 2**20])
def test_coordinates_over_several_blocks(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding_lines, "BLOCK", 100)
    mechanism = hadamard_count_mean("4", 256, m)
    records = random_coordinates(np.random.default_rng(0), 1000, 256, m)
    lines: list[Any] = mechanism.format_records({"element": records})
    assert mechanism.parse_records(lines).streams["element"].tobytes() == records.tobytes()
    lines[150], lines[998], lines[999] = "x", "256,0,1", f"255,{m},-1"
    again = mechanism.parse_records(lines)
    assert again.rejected == [(150, "malformed_record"), (998, "row_out_of_range"), (999, "coordinate_out_of_range")]
    assert again.streams["element"].tobytes() == np.delete(records, [150, 998, 999]).tobytes()
    assert again.streams["element"].dtype == records.dtype
