"""Bad records of any mechanism are dropped alone. That all doors do so is tested with those of one mechanism."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from reports.collection.ingest.problems import DESCRIBED_PROBLEMS
from tests.reports.collection.ingest.doors import through_core
from tests.reports.factories import document, ndjson

# A record, or what stands in the place of one, and the reason for which it is dropped; by a name for it.
BadRecords = Mapping[str, tuple[object, str]]
# Records in, a segment of a document out.
SegmentOf = Callable[[list[Any]], dict[str, Any]]


def assert_each_dropped_alone(bad_records: BadRecords, good: list[str], segment_of: SegmentOf) -> int:
    """Send each between five good records, in a document of its own; return how many were taken in."""
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
