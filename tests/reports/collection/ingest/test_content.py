"""Bad content drops the smallest unit that contains it, and counts its records under one reason."""

import datetime
import json
from collections import Counter
from itertools import product
from typing import Any

import pytest

from reports.collection.ingest import UploadRefused, ingest, problems
from reports.models import Batch, UseCase, Version
from reports.models.uploads import utc_today
from tests.reports.collection.ingest.bad_records import assert_each_dropped_alone
from tests.reports.collection.ingest.doors import ALL_DOORS, Door, through_api, through_core
from tests.reports.factories import (
    SLUG,
    WIRE,
    apply,
    assert_nothing_left,
    definition,
    document,
    left_in_spool,
    ndjson,
    of_records,
    record_lines,
    segment,
    send,
    stored_files,
    upload,
)

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("version")]

GOOD = record_lines(5)
HEX = GOOD[0].split(",")[1]
TWO = record_lines(2, seed=1)

BAD_DOCUMENTS: dict[str, tuple[object, str, str]] = {
    "field beside": (document(segment(TWO), device_id="x"), "unknown_field", ""),
    "field in a segment": (document(segment(TWO, time="x")), "unknown_field", "/segments/0"),
    "field in the second segment": (
        document(segment(TWO[:1]), segment(TWO[1:], time=1)),
        "unknown_field",
        "/segments/1",
    ),
    "parameter": (document(segment(TWO, parameters=WIRE | {"x": 1})), "unknown_field", "/segments/0/parameters"),
    "version 2": (document(segment(TWO), version=2), "wrong_version", "/version"),
    "version 1.5": (document(segment(TWO), version=1.5), "wrong_version", "/version"),
    "version as text": (document(segment(TWO), version="1"), "malformed_document", "/version"),
    "version true": (document(segment(TWO), version=True), "malformed_document", "/version"),
    "no version": ({"segments": [segment(TWO)]}, "malformed_document", ""),
    "no locale": (
        document({key: value for key, value in segment(TWO).items() if key != "locale"}),
        "malformed_document",
        "/segments/0",
    ),
    "use case no text": (document(segment(TWO, use_case=1)), "malformed_document", "/segments/0/use_case"),
    "locale null": (document(segment(TWO, locale=None)), "malformed_document", "/segments/0/locale"),
    "locale a list": (document(segment(TWO, locale=["en_US"])), "malformed_document", "/segments/0/locale"),
    "parameters a list": (document(segment(TWO, parameters=[])), "malformed_document", "/segments/0/parameters"),
    "parameter true": (
        document(segment(TWO, parameters=WIRE | {"epsilon": True})),
        "malformed_document",
        "/segments/0/parameters/epsilon",
    ),
    "parameter null": (
        document(segment(TWO, parameters=WIRE | {"k": None})),
        "malformed_document",
        "/segments/0/parameters/k",
    ),
    "second segment no object": (document(segment(TWO), 7), "malformed_document", "/segments/1"),
    "65 segments": (document(*[segment(TWO[:1])] * 65), "malformed_document", "/segments"),
}


def records_in(item: Any) -> int:
    return sum(len(found["records"]) for found in item["segments"] if isinstance(found, dict))


def test_bad_documents_are_dropped_whole() -> None:
    """Documents, each between two good ones."""
    documents: list[object] = [document(segment(GOOD))]
    for bad, _reason, _pointer in BAD_DOCUMENTS.values():
        documents += [bad, document(segment(GOOD))]
    outcome = through_core(ndjson(*documents))
    assert (outcome.kind, outcome.accepted) == ("stored", 5 * (len(BAD_DOCUMENTS) + 1))
    expected: Counter[str] = Counter()
    for bad, reason, _pointer in BAD_DOCUMENTS.values():
        expected[reason] += records_in(bad)
    assert outcome.rejected == expected
    pointers = [pointer for _bad, _reason, pointer in BAD_DOCUMENTS.values()]
    assert [(error["line"], error["pointer"]) for error in outcome.errors] == [
        (2 * number, pointer) for number, pointer in enumerate(pointers, 1)
    ]
    batch = Batch.objects.get()
    assert (batch.accepted, batch.rejected) == (outcome.accepted, outcome.rejected)


def test_documents_without_records_still_count() -> None:
    bad = [[], 7, "text", None, {}, {"segments": []}, document(), document(segments={})]
    outcome = through_core(ndjson(*bad, document(segment(GOOD))))
    assert outcome.accepted == 5
    assert outcome.rejected == {"malformed_document": len(bad)}


def test_duplicate_keys() -> None:
    texts = [
        '{"version": 1, "version": 1, "segments": [%s]}',
        '{"version": 1, "segments": [], "segments": [%s]}',
        '{"version": 1, "segments": [%s], "x": {"a": 1, "a": 1}}',
    ]
    whole = json.dumps(document(segment(TWO)))
    twice = [
        *(text % json.dumps(segment(TWO)) for text in texts),
        whole.replace('"locale"', '"locale": "en_US", "locale"'),
        whole.replace('"k"', '"k": 64, "k"'),
    ]
    outcome = through_core("\n".join(twice).encode() + b"\n" + of_records(GOOD))
    assert (outcome.accepted, outcome.rejected) == (5, {"malformed_document": 2 * len(twice)})
    assert [error["line"] for error in outcome.errors] == [1, 2, 3, 4, 5]


# --- Segments ---

WRONG_PARAMETERS: list[dict[str, Any]] = [
    WIRE | {"epsilon": 2},
    WIRE | {"epsilon": 4.0000001},
    WIRE | {"k": 128},
    WIRE | {"m": 128},
    WIRE | {"seed": "ff" * 16},
    WIRE | {"seed": str(WIRE["seed"]).upper()},
    WIRE | {"hash": "other"},
    WIRE | {"k": "64"},
    {name: value for name, value in WIRE.items() if name != "hash"},
    WIRE | {"length": 10},  # of another algorithm
    {},
]


def test_other_parameters() -> None:
    wrong = [segment(TWO, parameters=parameters) for parameters in WRONG_PARAMETERS]
    outcome = through_core(ndjson(document(*wrong, segment(GOOD))))
    assert (outcome.accepted, outcome.rejected) == (5, {"parameters_mismatch": 2 * len(wrong)})
    pointers = [f"/segments/{position}/parameters" for position in range(len(wrong))]
    assert [error["pointer"] for error in outcome.errors] == pointers


def test_a_wrong_segment_leaves_its_neighbours() -> None:
    body = ndjson(
        document(
            segment(TWO, use_case="other"),
            segment(GOOD),
            segment(TWO, locale="de_DE"),
            segment(TWO[:1], locale="en-US"),
            segment(TWO[:1], algorithm="HadamardCountMeanSketch"),
        )
    )
    outcome = through_api(body)
    assert (outcome.kind, outcome.accepted) == ("stored", 5)
    assert outcome.rejected == {"unknown_use_case": 2, "unknown_locale": 3, "parameters_mismatch": 1}
    assert [error["pointer"] for error in outcome.errors] == [
        "/segments/0/use_case",
        "/segments/2/locale",
        "/segments/3/locale",
        "/segments/4/parameters",
    ]


def test_numbers_are_equal_however_they_are_written() -> None:
    bodies = [
        of_records(GOOD).replace(b'"epsilon": 4', b'"epsilon": ' + number)
        for number in (b"4", b"4.0", b"4.000", b"40e-1", b"0.4E+1")
    ]
    outcome = through_core(b"".join(bodies))
    assert (outcome.accepted, outcome.rejected) == (25, {})


def test_fractions_are_compared_exactly() -> None:
    apply(definition(slug="fraction", parameters={"epsilon": 0.1, "k": 64, "m": 64, "seed": WIRE["seed"]}))
    wire = WIRE | {"epsilon": 0.1}
    body = of_records(GOOD, use_case="fraction", parameters=wire)
    assert through_core(body).accepted == 5
    nearly = body.replace(b"0.1,", b"0.1000000000000000055511151231257827,")
    assert nearly != body
    assert through_core(nearly).rejected == {"parameters_mismatch": 5}


def test_a_good_segment_does_not_open_the_door_for_true() -> None:
    """True equals 1 in Python; what was found for 1 must not be found for it."""
    apply(definition(slug="one", parameters={"epsilon": 4, "k": 1, "m": 64, "seed": WIRE["seed"]}))
    wire = WIRE | {"k": 1}
    lines = record_lines(3, k=1)
    good = document(segment(lines, use_case="one", parameters=wire))
    bad = document(segment(lines, use_case="one", parameters=wire | {"k": True}))
    outcome = through_core(ndjson(good, bad, good))
    assert (outcome.accepted, outcome.rejected) == (6, {"malformed_document": 3})


# --- Versions ---


def second_version() -> dict[str, object]:
    """Wire parameters of a new version, which supersedes the first."""
    apply(definition(parameters={"epsilon": 2, "k": 64, "m": 64, "seed": WIRE["seed"]}))
    return WIRE | {"epsilon": 2}


@pytest.mark.parametrize(("days", "accepted"), [(0, True), (-1, False)])
def test_the_last_day_of_grace(version: Version, days: int, accepted: bool) -> None:
    second_version()
    Version.objects.filter(pk=version.pk).update(accepts_until=utc_today() + datetime.timedelta(days=days))
    outcome = through_core(of_records(TWO))
    assert outcome.kind == ("stored" if accepted else "nothing-usable")
    assert outcome.rejected == ({} if accepted else {"version_closed": 2})


def test_a_closed_version(version: Version) -> None:
    wire = second_version()
    Version.objects.filter(pk=version.pk).update(state=Version.State.CLOSED)
    body = ndjson(document(segment(TWO), segment(record_lines(3, epsilon=2), parameters=wire)))
    outcome = through_core(body)
    assert (outcome.accepted, outcome.rejected) == (3, {"version_closed": 2})


def test_a_locale_that_only_the_new_version_has(version: Version) -> None:
    apply(
        definition(
            parameters={"epsilon": 2, "k": 64, "m": 64, "seed": WIRE["seed"]}, locales=["en_US", "fr_FR", "es_ES"]
        )
    )
    assert through_core(of_records(TWO, locale="es_ES")).rejected == {"unknown_locale": 2}


# --- Records ---

# One for each reason, and what only JSON can bring; all lines are tested where they are parsed, in tests/aggregation.
BAD_RECORDS: dict[str, tuple[object, str]] = {
    "row k": (f"64,{HEX}", "row_out_of_range"),
    "row of 5,000 digits": ("9" * 5000 + f",{HEX}", "row_out_of_range"),
    "record of another algorithm": ("5,17,-1", "malformed_record"),
    "one digit too few": (f"3,{HEX[:-1]}", "wrong_length"),
    "upper-case hex": (f"3,{'AB' * 8}", "malformed_record"),
    "newline behind": (f"3,{HEX}\n", "malformed_record"),
    "NUL": (f"3,{HEX[:-1]}\0", "malformed_record"),
    "half a surrogate pair": (f"3,{HEX[:-1]}\ud800", "malformed_record"),
    "empty": ("", "malformed_record"),
    "null": (None, "malformed_record"),
    "a list": ([3, HEX], "malformed_record"),
    "an object": ({"row": 3}, "malformed_record"),
}


def test_each_bad_record_is_dropped_alone() -> None:
    assert_each_dropped_alone(BAD_RECORDS, GOOD, segment)


@ALL_DOORS
def test_all_reasons_at_once(door: Door) -> None:
    """Reasons are counted once, with the records that each cost, and no other is there."""
    records = [value for value, _reason in BAD_RECORDS.values()]
    counts: dict[str, int] = {}
    for _value, reason in BAD_RECORDS.values():
        counts[reason] = counts.get(reason, 0) + 1
    assert set(counts) == {"malformed_record", "row_out_of_range", "wrong_length"}
    body = ndjson(
        document(segment(GOOD), segment(records), segment(TWO, use_case="other")),
        document(segment(TWO), x=1),
        document(segment(GOOD)),
    )
    outcome = door(body)
    assert (outcome.kind, outcome.accepted) == ("stored", 10)
    assert outcome.rejected == counts | {"unknown_use_case": 2, "unknown_field": 2}


@ALL_DOORS
def test_only_bad_content(door: Door) -> None:
    bad, reason, _pointer = BAD_DOCUMENTS["version 2"]
    outcome = door(of_records(["x", f"64,{HEX}"]) + ndjson(bad))
    assert outcome.refused_as("nothing-usable")
    assert outcome.rejected == {"malformed_record": 1, "row_out_of_range": 1, reason: 2}
    assert_nothing_left()


def test_of_many_problems_twenty_are_described_in_order() -> None:
    outcome = through_api(of_records([*GOOD, *["x"] * 50]) + ndjson(7))
    assert problems.DESCRIBED_PROBLEMS == 20
    assert outcome.rejected == {"malformed_record": 50, "malformed_document": 1}
    assert len(outcome.errors) == 20
    places = [(error["line"], error["pointer"]) for error in outcome.errors]
    assert places == [*[(1, f"/segments/0/records/{index}") for index in range(5, 24)], (2, "")]
    assert all(error.keys() == {"line", "pointer", "detail"} and error["detail"] for error in outcome.errors)


def test_records_are_found_across_blocks_and_segments() -> None:
    """Line and pointer are right far into an upload whose records are checked in blocks."""
    lines = record_lines(3000)
    items = [document(segment(lines), segment(lines[:7], locale="fr_FR")) for _ in range(7)]
    items[5]["segments"][0]["records"] = [*lines[:2500], "x", *lines[2500:]]
    items[6]["segments"][1]["records"] = [*lines[:6], None]
    outcome = through_core(ndjson(*items))
    assert outcome.accepted == 7 * 3007 - 1
    assert [(error["line"], error["pointer"]) for error in outcome.errors] == [
        (6, "/segments/0/records/2500"),
        (7, "/segments/1/records/6"),
    ]


# --- Strict ---


@ALL_DOORS
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (of_records(GOOD) + of_records([*GOOD, "x", "y"]), "line 2, /segments/0/records/5"),
        (of_records(GOOD) + ndjson(document(segment(GOOD), version=2)), "line 2, /version"),
        (ndjson(document(segment(GOOD), segment(GOOD, locale="de_DE"))), "line 1, /segments/1/locale"),
    ],
    ids=["record", "document", "segment"],
)
def test_strict_refuses_at_the_first_problem_and_names_it(door: Door, body: bytes, place: str) -> None:
    outcome = door(body, strict=True)
    assert outcome.refused_as("strict-upload-refused")
    line, pointer = place.removeprefix("line ").split(", ")
    if outcome.errors:
        assert [(error["line"], error["pointer"]) for error in outcome.errors] == [(int(line), pointer)]
    else:
        assert place in outcome.said
    assert sum(outcome.rejected.values()) > 0
    assert_nothing_left()


@pytest.mark.parametrize(
    "later", [7, document(segment(GOOD, use_case="other")), document(segment(["x"], locale="fr_FR"))]
)
def test_strict_finds_the_first_problem_though_records_are_checked_in_blocks(later: object) -> None:
    """The record in line 2 still waits for its block when line 3 is read; in line 3 there is one of another locale."""
    body = ndjson(document(segment(GOOD)), document(segment([*GOOD, "x"])), later)
    outcome = through_core(body, strict=True)
    assert [(error["line"], error["pointer"]) for error in outcome.errors] == [(2, "/segments/0/records/5")]
    assert outcome.rejected == {"malformed_record": 1}


def test_strict_across_blocks_of_several_targets() -> None:
    lines = record_lines(9000)
    body = ndjson(
        document(segment(GOOD), segment([*GOOD, None], locale="fr_FR")),
        document(segment([*lines, "x"])),
    )
    outcome = through_core(body, strict=True)
    assert [(error["line"], error["pointer"]) for error in outcome.errors] == [(1, "/segments/1/records/5")]


# --- Nothing of it is repeated ---

SECRET = "Zq8secretqZ"
HIDING_PLACES: dict[str, bytes] = {
    "record": of_records([SECRET]),
    "record beside good ones": of_records([*GOOD, SECRET, f"3,{SECRET}", f"{SECRET},{HEX}"]),
    "key": ndjson(document(segment(GOOD), **{SECRET: 1})),
    "key in a segment": ndjson(document(segment(GOOD, **{SECRET: SECRET}))),
    "parameter": ndjson(document(segment(GOOD, parameters=WIRE | {SECRET: 1}))),
    "value of a parameter": ndjson(document(segment(GOOD, parameters=WIRE | {"seed": SECRET}))),
    "list as a parameter": ndjson(document(segment(GOOD, parameters=WIRE | {"seed": [SECRET]}))),
    "use case": ndjson(document(segment(GOOD, use_case=SECRET))),
    "locale": ndjson(document(segment(GOOD, locale=SECRET))),
    "algorithm": ndjson(document(segment(GOOD, algorithm=SECRET))),
    "version": ndjson(document(segment(GOOD), version=SECRET)),
    "document": ndjson(SECRET),
    "segment": ndjson(document(SECRET)),
    "records": ndjson(document(segment(GOOD) | {"records": SECRET})),
    "duplicate key": f'{{"{SECRET}": 1, "{SECRET}": 2}}\n'.encode(),
    "no JSON": SECRET.encode(),
    "cut": f'{{"version": 1, "{SECRET}'.encode(),
    "behind the JSON": of_records(GOOD).rstrip() + SECRET.encode(),
    "not UTF-8": SECRET.encode() + b"\xff",
    "mark": b"\xef\xbb\xbf" + SECRET.encode(),
    "NaN": f'{{"{SECRET}": NaN}}\n'.encode(),
}


@ALL_DOORS
def test_errors_and_logs_repeat_nothing(
    door: Door, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    # All doors give the first problem that strict gives, in its words.
    for (place, body), strict in product(HIDING_PLACES.items(), [False, True] if door is through_core else [False]):
        assert SECRET.encode() in body
        outcome = door(body, strict=strict)
        written = capfd.readouterr()
        everything = outcome.said + caplog.text + written.out + written.err
        assert outcome.said, place
        assert SECRET.lower() not in everything.lower(), place
        assert HEX not in everything, place
    assert all(SECRET.encode() not in content for content in stored_files().values())
    assert not any(SECRET in str(row) for row in Batch.objects.values())
    assert not left_in_spool()


def test_what_another_use_case_has_is_unknown_to_those_without_right(version: Version) -> None:
    """An uploader who may not send for a use case learns nothing about it."""
    with pytest.raises(UploadRefused) as caught:
        ingest(upload(of_records(GOOD)), UseCase.objects.exclude(slug=SLUG))
    assert caught.value.rejected == {"unknown_use_case": 5}
    assert send(of_records(GOOD)).accepted == 5
