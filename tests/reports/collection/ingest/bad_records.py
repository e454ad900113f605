"""What becomes of bad records, whatever the algorithm: they alone are dropped, by every door, and strict names them."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from reports.collection.ingest.problems import DESCRIBED_PROBLEMS
from tests.reports.collection.ingest.doors import Door, Outcome, through_core
from tests.reports.factories import assert_nothing_left, document, ndjson

# A record, or what stands in the place of one, and the reason for which it is dropped; by a name for it.
BadRecords = Mapping[str, tuple[object, str]]
# Records in, a segment of a document out.
SegmentOf = Callable[[list[Any]], dict[str, Any]]


def assert_each_dropped_alone(bad_records: BadRecords, good: list[str], segment_of: SegmentOf) -> int:
    """Each comes between five good records, in a document of its own. Returns how many were taken in."""
    accepted, records = 0, list(bad_records.values())
    # As many documents in an upload as problems are described.
    for start in range(0, len(records), DESCRIBED_PROBLEMS):
        sent = records[start : start + DESCRIBED_PROBLEMS]
        outcome = through_core(ndjson(*(document(segment_of([*good[:2], bad, *good[2:]])) for bad, _reason in sent)))
        assert outcome.accepted == 5 * len(sent)
        assert outcome.rejected == Counter(reason for _bad, reason in sent)
        places = [(error["line"], error["pointer"]) for error in outcome.errors]
        assert places == [(line, "/segments/0/records/2") for line in range(1, len(sent) + 1)]
        accepted += outcome.accepted
    return accepted


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
