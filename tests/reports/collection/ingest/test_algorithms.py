"""Two algorithms side by side: each has its own records and shards, and nothing of one passes for the other's."""

import random
from typing import Any

import numpy as np
import pytest

from aggregation.encoding import sort_records
from aggregation.mechanisms import MECHANISMS, mechanism_for
from aggregation.registry import parameter_types
from reports.collection.ingest.transport import SHORTEST_RECORD
from reports.models import Shard, Version
from reports.storage import open_array
from tests.reports.collection.ingest.bad_records import assert_each_dropped_alone
from tests.reports.collection.ingest.doors import DOORS, Door, through_core
from tests.reports.factories import (
    SLUG,
    WIRE,
    assert_nothing_left,
    document,
    make_version,
    memory_below,
    ndjson,
    of_records,
    record_lines,
    segment,
    send,
    slices_of,
)

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("version", "hadamard")]

ALGORITHM = "HadamardCountMeanSketch"
WEB = "web-energy"
WEB_WIRE = WIRE | {"k": 64, "m": 256}


@pytest.fixture
def hadamard(db: None) -> Version:
    parameters = {name: value for name, value in WEB_WIRE.items() if name != "hash"}
    return make_version(slug=WEB, algorithm=ALGORITHM, parameters=parameters)


def web_lines(count: int, seed: int = 0) -> list[str]:
    mechanism = mechanism_for(ALGORITHM, WEB_WIRE)
    rng = np.random.default_rng(seed)
    return mechanism.format_records(mechanism.privatize_fleet(["a.org", "b.org"], rng.integers(0, 2, count), rng))


def web(records: list[Any], **changes: Any) -> dict[str, Any]:
    return segment(records, **{"use_case": WEB, "algorithm": ALGORITHM, "parameters": WEB_WIRE} | changes)


GOOD = web_lines(5)
BIT_VECTOR = record_lines(1)[0]

# One for each reason, and what only JSON can bring; all lines are tested where they are parsed, in tests/aggregation.
BAD_RECORDS: dict[str, tuple[object, str]] = {
    "row k": ("64,0,1", "row_out_of_range"),
    "coordinate of 5,000 digits": (f"0,{'9' * 5000},-1", "coordinate_out_of_range"),
    "row k and coordinate m": ("64,256,1", "row_out_of_range"),
    "w -0": ("0,0,-0", "malformed_record"),
    "w with a typographic minus": ("0,0,\u22121", "malformed_record"),
    "bit vector": (BIT_VECTOR, "malformed_record"),
    "list": ([0, 0, 1], "malformed_record"),
    "true": (True, "malformed_record"),
}


def test_each_bad_record_is_dropped_alone() -> None:
    accepted = assert_each_dropped_alone(BAD_RECORDS, GOOD, web)
    assert sum(len(open_array(shard.file_name)) for shard in Shard.objects.all()) == accepted


# --- One algorithm in the other's place ---


def test_the_name_of_one_with_the_parameters_of_the_other() -> None:
    swapped = [
        web(GOOD, algorithm="CountMeanSketch"),
        web(GOOD, parameters=WIRE),
        segment(record_lines(2), algorithm=ALGORITHM),
        segment(record_lines(2), parameters=WEB_WIRE),
        web(GOOD, use_case=SLUG),
        segment(record_lines(2), use_case=WEB),
        web(GOOD, parameters=WEB_WIRE | {"fragment_k": 64}),
        web(GOOD, algorithm="SequenceFragmentPuzzle"),
    ]
    outcome = through_core(ndjson(document(*swapped)))
    assert outcome.refused_as("nothing-usable")
    assert outcome.rejected == {"parameters_mismatch": 5 * 5 + 3 * 2}
    assert_nothing_left()


def test_the_parameters_of_all_mechanisms_may_be_in_a_document_and_no_others() -> None:
    fragments = ["fragment_epsilon", "fragment_k", "fragment_m", "length"]
    assert list(parameter_types()) == [
        "epsilon",
        "k",
        "m",
        "g",
        "w",
        "other",
        *fragments,
        "fragment_g",
        "fragment_share",
    ]


@pytest.mark.parametrize("algorithm", MECHANISMS)
def test_no_record_is_shorter_than_what_a_large_document_is_measured_by(algorithm: str) -> None:
    least: dict[str, float] = {"epsilon": 4, "k": 2, "m": 8, "g": 2, "w": 2, "other": False, "length": 2}
    least |= {f"fragment_{name}": least[name] for name in ("epsilon", "k", "m", "g")} | {"fragment_share": 0.5}
    own = {name: least[name] for name in MECHANISMS[algorithm].parameter_types}
    known, dictionary = MECHANISMS[algorithm], ["ab", "cd", "ef"]
    wire = known.for_dictionary(own | ({"seed": WIRE["seed"]} if known.has_seed else {}), dictionary)
    mechanism = mechanism_for(algorithm, wire).with_dictionary(dictionary)
    rng = np.random.default_rng(0)
    lines = mechanism.format_records(mechanism.privatize_fleet(["ab"], np.zeros(500, np.intp), rng))
    assert min(len(f'"{line}",') for line in lines) >= SHORTEST_RECORD


def test_an_upload_of_both_goes_to_the_shards_of_each(version: Version, hadamard: Version) -> None:
    sent: dict[tuple[Version, str], list[Any]] = {
        (owner, locale): lines
        for owner, make in ((version, record_lines), (hadamard, web_lines))
        for locale, lines in (("en_US", make(40, seed=1)), ("fr_FR", make(30, seed=2)))
    }
    segments = [
        (segment if owner == version else web)(lines[start : start + 7], locale=locale)
        for (owner, locale), lines in sent.items()
        for start in range(0, len(lines), 7)
    ]
    random.Random(0).shuffle(segments)
    receipt = send(ndjson(*(document(*segments[start : start + 4]) for start in range(0, len(segments), 4))))
    assert (receipt.accepted, receipt.rejected) == (140, {})
    stored = {shard.version: slices_of(shard) for shard in Shard.objects.all()}
    assert len(stored) == Shard.objects.count() == 2
    for (owner, locale), lines in sent.items():
        records = owner.mechanism.parse_records(lines).streams["element"]
        found = stored[owner][locale, "element"]
        assert found.dtype == owner.mechanism.record_dtype("element")
        assert found.tobytes() == sort_records(records).tobytes()


# --- Megabytes in one place ---

LONG = 4 << 20
MARK = "Zq8longqZ"
LONG_TEXT = MARK + "7" * LONG
LONG_LINES: dict[str, tuple[bytes, str, dict[str, int]]] = {
    "record": (ndjson(document(web([LONG_TEXT]))), "nothing-usable", {"malformed_record": 1}),
    "row": (ndjson(document(web(["7" * LONG + ",0,1"]))), "nothing-usable", {"row_out_of_range": 1}),
    "coordinate": (ndjson(document(web([f"0,{'7' * LONG},1"]))), "nothing-usable", {"coordinate_out_of_range": 1}),
    "sign": (ndjson(document(web(["0,0,-" + "1" * LONG]))), "nothing-usable", {"malformed_record": 1}),
    "commas": (ndjson(document(web(["," * LONG]))), "nothing-usable", {"malformed_record": 1}),
    "bit vector": (of_records([f"0,{'7' * LONG}"]), "nothing-usable", {"wrong_length": 1}),
    "field": (ndjson(document(web(GOOD), **{LONG_TEXT: 1})), "nothing-usable", {"unknown_field": 5}),
    "parameter": (
        ndjson(document(web(GOOD, parameters=WEB_WIRE | {LONG_TEXT: 1}))),
        "nothing-usable",
        {"unknown_field": 5},
    ),
    "seed": (
        ndjson(document(web(GOOD, parameters=WEB_WIRE | {"seed": LONG_TEXT}))),
        "nothing-usable",
        {"parameters_mismatch": 5},
    ),
    "algorithm": (ndjson(document(web(GOOD, algorithm=LONG_TEXT))), "nothing-usable", {"parameters_mismatch": 5}),
    "number": (
        ndjson(document(web(GOOD))).replace(b'"epsilon": 4', b'"epsilon": ' + b"7" * LONG),
        "broken-upload",
        {"malformed_document": 1},
    ),
    "no JSON": (LONG_TEXT.encode() + b"\n", "broken-upload", {"malformed_document": 1}),
    "invalid UTF-8": (b"{" + b"\xff" * LONG + b"\n", "broken-upload", {}),
}


@pytest.mark.parametrize(
    ("door", "name", "strict"),
    [
        *((DOORS["core"], name, False) for name in LONG_LINES),
        *((door, "record", True) for door in DOORS.values()),
    ],
)
def test_long_lines_are_refused_in_bounded_memory(door: Door, name: str, strict: bool) -> None:
    body, kind, rejected = LONG_LINES[name]
    # Some copies of the line: its bytes, its text, the record in it, and the block that it is checked in.
    with memory_below(12 * LONG):
        outcome = door(body, strict=strict)
    assert outcome.refused_as("strict-upload-refused" if strict else kind)
    assert outcome.rejected == rejected
    assert "line 1" in outcome.said or outcome.errors[0]["line"] == 1
    assert MARK not in outcome.said
    assert len(outcome.said) < 5000
    assert_nothing_left()
