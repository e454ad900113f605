"""Lines of a position and two bit vectors: writing, reading, and refusing for the right reason."""

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.encoding import bit_vector_dtype
from aggregation.encoding import lines as encoding_lines
from aggregation.errors import shown
from aggregation.mechanisms.sequence_fragment_puzzle.encoding import fragment_lines, parse_fragments
from tests.aggregation.helpers import UNHURRIED, random_records

pytestmark = pytest.mark.exact

# Fragment and word differ in everything, so that one passes for the other nowhere.
POSITIONS = range(1, 10, 2)
FRAGMENT, WORD = (40, 16), (2048, 32)
Shape = tuple[int, int]


def reference(
    lines: list[Any], positions: range, fragment: Shape, word: Shape
) -> tuple[list[str], list[tuple[int, str]]]:
    """Read lines as the report format says, one by one; return the good ones as they are, and the rejected."""
    number, bits = "(0|[1-9][0-9]*)", "([0-9a-f]+)"
    known = "|".join(map(str, positions))
    good, rejected = [], []
    for i, line in enumerate(lines):
        pattern = rf"\A(?:{known}),{number},{bits},{number},{bits}\Z"
        match = re.match(pattern, line) if isinstance(line, str) else None
        if match is None:
            rejected.append((i, "malformed_record"))
            continue
        halves = ((match[1], match[2], *fragment), (match[3], match[4], *word))
        if any(len(row) > 12 or int(row) >= k for row, _digits, k, _m in halves):
            rejected.append((i, "row_out_of_range"))
        elif any(4 * len(digits) != m for _row, digits, _k, m in halves):
            rejected.append((i, "wrong_length"))
        else:
            good.append(line)
    return good, rejected


def parsed(
    lines: list[Any], positions: range = POSITIONS, fragment: Shape = FRAGMENT, word: Shape = WORD
) -> tuple[list[str], list[tuple[int, str]]]:
    parts, rejected = parse_fragments(lines, positions, fragment, word)
    return fragment_lines(parts), rejected


def random_parts(n: int, fragment: Shape = FRAGMENT, word: Shape = WORD) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "position": rng.choice(np.array(POSITIONS, np.uint8), n),
        "fragment": random_records(rng, n, *fragment),
        "element": random_records(rng, n, *word),
    }


REASONS: dict[str | None, list[Any]] = {
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


def test_reasons() -> None:
    """A position that is not there goes before a row that is too large, and such a row before a wrong length."""
    good = ["1,0,0000,1023,12345678", "9,39,abcd,5,00000000"]
    for reason, line in ((reason, line) for reason, lines in REASONS.items() for line in lines):
        for lines, place in (([line], 0), ([*good, line], 2), ([line, *good], 0), ([good[0], line, good[1]], 1)):
            read, rejected = parsed(lines)
            assert rejected == ([] if reason is None else [(place, reason)]), shown(line)
            assert read == [own for i, own in enumerate(lines) if reason is None or i != place], shown(line)
            assert (read, rejected) == reference(lines, POSITIONS, FRAGMENT, WORD), shown(line)


def test_faults_that_make_up_for_each_other_do_not() -> None:
    """Together they have as many characters and commas as good lines have."""
    for lines in (
        ["3,7,8040,17,80400001,5", "7,8040,17,80400001"],
        ["3,7,8040", "17,80400001,5,1,0000,2,00000000"],
        ["3,7,8040,17,80400001" * 2, ""],
        ["3,7,804,17,80400001", "3,7,80400,17,80400001"],
        ["3,7,8040,17,8040000", "13,7,8040,17,80400001"],
        [",,,,", "3,7,8040,17,80400001"],
        ["37,,8040,17,80400001", "3,7,8040,17,80400001"],
    ):
        assert parsed(lines) == reference(lines, POSITIONS, FRAGMENT, WORD)


def test_rejected_indices_are_in_order_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding_lines, "BLOCK", 100)
    parts = random_parts(1000)
    lines: list[Any] = fragment_lines(parts)
    assert parsed(lines) == (lines, [])
    wrong: dict[int, tuple[Any, str]] = {
        0: (None, "malformed_record"),
        150: ("x", "malformed_record"),
        151: ("1,40,0000,0,00000000", "row_out_of_range"),
        999: ("1,0,0000,0,0000000", "wrong_length"),
    }
    for place, (line, _reason) in wrong.items():
        lines[place] = line
    read, rejected = parse_fragments(lines, POSITIONS, FRAGMENT, WORD)
    assert rejected == [(place, reason) for place, (_line, reason) in wrong.items()]
    for name, part in parts.items():
        assert read[name].dtype == part.dtype
        assert read[name].tobytes() == np.delete(part, list(wrong)).tobytes()


def test_an_empty_document() -> None:
    parts, rejected = parse_fragments([], POSITIONS, FRAGMENT, WORD)
    assert rejected == []
    assert {name: (len(part), part.dtype) for name, part in parts.items()} == {
        "position": (0, np.uint8),
        "fragment": (0, bit_vector_dtype(16)),
        "element": (0, bit_vector_dtype(32)),
    }


def test_parts_are_whole_in_memory() -> None:
    """None is a view that keeps the others alive as long as it is kept itself."""
    parts, _rejected = parse_fragments(fragment_lines(random_parts(10)), POSITIONS, FRAGMENT, WORD)
    assert all(part.flags.c_contiguous for part in parts.values())


def test_long_lines_cost_what_reading_them_costs() -> None:
    """Ten megabytes each, refused for the right reason; in quadratic time this test would take hours."""
    size = 10_000_000
    long = {
        f"{'1' * size},7,8040,17,80400001": "malformed_record",
        f"3,{'9' * size},8040,17,80400001": "row_out_of_range",
        f"3,7,{'a' * size},17,80400001": "wrong_length",
        f"3,7,8040,17,{'a' * size}": "wrong_length",
        "," * size: "malformed_record",
    }
    good = "3,7,8040,17,80400001"
    tracemalloc.start()
    try:
        read, rejected = parsed([good, *long, good])
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == [good, good]
    assert rejected == list(enumerate(long.values(), 1))
    assert peak < 3 * len(long) * size


NUMBERS = st.integers(0, 50) | st.integers(0, 2050) | st.sampled_from([10**9, 10**30])


def mutated(draw: st.DrawFn) -> Any:
    q = draw(st.sampled_from([1, 3, 5, 7, 9] * 4 + [0, 2, 11]))
    digits, word_digits = (draw(st.sampled_from([size] * 8 + [8 - size])) for size in (2, 4))
    bits, word_bits = (draw(st.binary(min_size=size, max_size=size)).hex() for size in (digits, word_digits))
    line = f"{q},{draw(NUMBERS)},{bits},{draw(NUMBERS)},{word_bits}"
    kind = draw(st.sampled_from(["good"] * 8 + ["insert", "delete", "replace", "swap", "other"]))
    if kind == "other":
        return draw(st.one_of(st.text(), st.text("0139,a\n"), st.integers(), st.none()))
    if kind == "swap":
        return ",".join(draw(st.permutations(line.split(","))))
    if kind == "good":
        return line
    at = draw(st.integers(0, len(line) - 1))
    new = "" if kind == "delete" else draw(st.sampled_from("0,aAgG+-_ \n\x00\u0665`/:f"))
    return line[:at] + new + line[at + (kind != "insert") :]


@settings(UNHURRIED, max_examples=200)
@given(
    st.lists(st.composite(mutated)(), max_size=12),
    st.sampled_from([range(1, 2, 2), range(1, 4, 2), range(1, 12, 2), POSITIONS]),
    st.sampled_from([FRAGMENT, WORD, (1, 16), (2048, 16)]),
    st.sampled_from([FRAGMENT, WORD, (10, 32)]),
)
def test_reading_agrees_with_the_definition(lines: list[Any], positions: range, fragment: Shape, word: Shape) -> None:
    assert parsed(lines, positions, fragment, word) == reference(lines, positions, fragment, word)


VECTORS_OF = st.tuples(
    st.sampled_from(range(1, 16, 2)),
    *[st.integers(0, 99_999), st.binary(min_size=1, max_size=1)],
    *[st.integers(0, 999_999), st.binary(min_size=8, max_size=8)],
)


@settings(UNHURRIED, max_examples=100)
@given(st.lists(VECTORS_OF, max_size=30))
def test_what_is_written_is_read_back(content: list[tuple[int, int, bytes, int, bytes]]) -> None:
    lines = [f"{q},{a},{bits.hex()},{b},{word.hex()}" for q, a, bits, b, word in content]
    parts, rejected = parse_fragments(lines, range(1, 16, 2), (10**5, 8), (10**6, 64))
    assert rejected == []
    pairs = zip(parts["position"], parts["fragment"], parts["element"], strict=True)
    assert content == [
        (int(q), int(own["row"]), own["bits"].tobytes(), int(word["row"]), word["bits"].tobytes())
        for q, own, word in pairs
    ]
    assert fragment_lines(parts) == lines
