"""What becomes of bad records, whatever the algorithm: they alone are dropped, by every door, and strict names them."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.reports.factories import assert_nothing_left, document, ndjson
from tests.reports.ingest.doors import Door, Outcome, through_core

# A record, or what stands in the place of one, and the reason for which it is dropped; by a name for it.
BadRecords = Mapping[str, tuple[object, str]]
# Records in, a segment of a document out.
SegmentOf = Callable[[list[Any]], dict[str, Any]]


def assert_dropped_alone(bad: object, reason: str, good: list[str], segment_of: SegmentOf) -> None:
    """Five good records come once as they are, and once with the bad one between them."""
    mixed = [*good[:2], bad, *good[2:]]
    outcome = through_core(ndjson(document(segment_of(good)), document(segment_of(mixed))))
    assert (outcome.accepted, outcome.rejected) == (10, {reason: 1})
    assert [(error["line"], error["pointer"]) for error in outcome.errors] == [(2, "/segments/0/records/2")]


def assert_all_dropped(door: Door, bad_records: BadRecords, good: list[str], segment_of: SegmentOf) -> None:
    """By themselves they are nothing usable, and leave nothing; with good ones, those are taken in."""
    bad = [record for record, _reason in bad_records.values()]
    reasons = [reason for _record, reason in bad_records.values()]
    expected = {reason: reasons.count(reason) for reason in set(reasons)}
    refused = door(ndjson(document(segment_of(bad))))
    assert refused.refused_as("nothing-usable")
    assert refused.rejected == expected
    assert_nothing_left()
    outcome = door(ndjson(document(segment_of([*bad, *good]))))
    assert (outcome.accepted, outcome.rejected) == (5, expected)


def assert_refused_strictly(outcome: Outcome, reason: str) -> None:
    """For the sixth record of the second segment in the second line."""
    assert outcome.refused_as("strict-upload-refused")
    assert outcome.rejected == {reason: 1}
    places = [(error["line"], error["pointer"]) for error in outcome.errors]
    assert places == [(2, "/segments/1/records/5")] or "line 2, /segments/1/records/5" in outcome.said
