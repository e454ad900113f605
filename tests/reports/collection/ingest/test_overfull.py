"""Memory that a document may cost: a large one is dropped unread if it has more in it than any document has."""

import json

import pytest

from reports.collection.ingest.transport import LARGE_TEXT, MOST_PARTS
from tests.reports.collection.ingest.doors import ALL_DOORS, Door, through_core
from tests.reports.factories import assert_nothing_left, document, memory_below, of_records, record_lines, segment

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("version")]

SIZE = 2 * LARGE_TEXT
GOOD = record_lines(5)


def filled(items: str, size: int = SIZE, before: str = "") -> bytes:
    """An NDJSON upload of a document whose records are these, again and again."""
    text = json.dumps(document(segment(["HERE"]))).replace('"HERE"', (items + ",") * (size // len(items)) + "0")
    return before.encode() + text.encode() + b"\n"


OVERFULL = {
    "empty lists": filled("[]"),
    "empty objects": filled("{}"),
    "objects": filled('{"a":1}'),
    "short lists": filled("[7]"),
    "integers": filled("999"),
    "decimals": filled("0.1"),
    "exponents": filled("1e1"),
    "short texts": filled('"ab"'),
    "fields": b"{" + b",".join(b'"%x":1' % number for number in range(SIZE // 11)) + b"}\n",
    "no JSON": b"[" * SIZE + b"\n",
    "a key twice, then integers": b'{"x":{"a":1,"a":1},' + filled("999")[1:],
    "a key twice, then lists": b'{"x":{"a":1,"a":1},' + filled("[]")[1:],
}


@pytest.mark.parametrize("body", OVERFULL.values(), ids=OVERFULL.keys())
def test_it_is_dropped_before_it_fills_the_memory(body: bytes) -> None:
    # Its bytes and its text, and room to take them apart; decoded, these take from 8 to 35 times their size.
    with memory_below(7 * SIZE):
        outcome = through_core(body + of_records(GOOD))
    assert (outcome.kind, outcome.accepted) == ("stored", 5)
    assert outcome.rejected == {"malformed_document": 1}
    assert [(error["line"], error["pointer"]) for error in outcome.errors] == [(1, "")]


@ALL_DOORS
def test_alone_it_refuses_the_upload(door: Door) -> None:
    outcome = door(OVERFULL["empty lists"])
    assert outcome.refused_as("nothing-usable")
    assert outcome.rejected == {"malformed_document": 1}
    assert_nothing_left()


def test_what_is_no_text_does_not_wait_for_its_block() -> None:
    """Many small documents, whose records are checked in blocks."""
    lines = [of_records([*GOOD, [0.1] * 100_000]) for _ in range(6)]
    with memory_below(30 << 20):
        outcome = through_core(b"".join(lines))
    assert (outcome.accepted, outcome.rejected) == (30, {"malformed_record": 6})


def test_a_large_document_of_the_shortest_records_is_read() -> None:
    items = document(*[segment(["0,00"] * 10_000)] * 64)
    body = json.dumps(items, separators=(",", ":")).encode() + b"\n"
    assert len(body) > 4 * LARGE_TEXT
    # Read to the end: the vector is too short here, but there are sketches for it.
    assert through_core(body + of_records(GOOD)).rejected == {"wrong_length": 640_000}


def test_a_large_document_may_have_some_bad_records() -> None:
    records = [*GOOD * (LARGE_TEXT // 10), *[[]] * 100, *[{}] * 100, *[1] * 100, *[0.5] * 100, *["x"] * 100]
    outcome = through_core(of_records(records))
    assert outcome.accepted == len(records) - 500
    assert outcome.rejected == {"malformed_record": 500}


def test_a_small_document_is_read_whatever_is_in_it() -> None:
    outcome = through_core(of_records([*GOOD, *[[]] * (MOST_PARTS + 1)]))
    assert (outcome.accepted, outcome.rejected) == (5, {"malformed_record": MOST_PARTS + 1})


def test_a_key_that_stands_twice_in_a_large_document() -> None:
    text = of_records(GOOD * (LARGE_TEXT // 10)).replace(b'"version": 1', b'"version": 1, "version": 1')
    outcome = through_core(text + of_records(GOOD))
    assert outcome.rejected == {"malformed_document": 5 * (LARGE_TEXT // 10)}
