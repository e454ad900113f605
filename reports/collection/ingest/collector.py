"""Records on their way to files: checked in blocks, then sorted, in memory that does not grow with the upload."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from reports.collection.ingest.documents import Segment, Target
from reports.collection.ingest.limits import Effort
from reports.collection.ingest.problems import Refusal, Rejections, UploadRefused
from reports.collection.ingest.reasons import reason_in_words
from reports.collection.ingest.sorting import Sorter
from reports.models import Version
from reports.record_files import RecordFile, Records, Sorted, write_records

# Large enough for the vectorised check to pay, small enough to stay in cache.
CHECKED_RECORDS = 8192
# Bytes of all targets together that wait at most, whatever the length of a record and the number of targets.
UNCHECKED_BYTES = 32 << 20
# A text takes so much beside its characters: a short record is more of this than of them.
BYTES_BESIDE_CHARACTERS = 64


@dataclass(slots=True)
class _Unchecked:
    """Records of one target that wait for the next block, and where they came from."""

    records: list[object] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    sources: list[Segment] = field(default_factory=list)

    def add(self, segment: Segment) -> None:
        self.starts.append(len(self.records))
        self.sources.append(segment)
        self.records.extend(segment.records)

    def place(self, index: int) -> tuple[int, str]:
        """Return line and pointer of a record."""
        source = bisect_right(self.starts, index) - 1
        segment = self.sources[source]
        return segment.line, f"/segments/{segment.position}/records/{index - self.starts[source]}"


def _bytes_of(segment: Segment) -> int:
    return segment.characters + BYTES_BESIDE_CHARACTERS * len(segment.records)


class Collector:
    """Takes segments in, hands out a file for each version. They lie in `folder`, which the caller removes."""

    def __init__(self, folder: Path, rejections: Rejections, effort: Effort) -> None:
        self._folder = folder
        self._rejections = rejections
        self._effort = effort
        self._unchecked: dict[Target, _Unchecked] = {}
        self._unchecked_bytes = 0
        # By version, locale and stream.
        self._sorter: Sorter[tuple[int, str, str]] = Sorter(folder)
        self._versions: dict[int, Version] = {}
        self.accepted = 0

    def collect(self, found: Iterable[Segment]) -> list[RecordFile]:
        try:
            self._take(found)
            self._check_all()
        except UploadRefused as refusal:
            if refusal.refusal is Refusal.NOT_STRICT:
                self._look_before(refusal)
            raise
        return [self._write(pk, found) for pk, found in groupby(self._sorter.finish(), key=lambda each: each[0][0])]

    def _write(self, pk: int, found: Iterable[tuple[tuple[int, str, str], Sorted]]) -> RecordFile:
        records = [Records(locale, stream, each) for (_pk, locale, stream), each in found]
        return write_records(self._folder / f"{pk}.npy", self._versions[pk], records)

    def _take(self, found: Iterable[Segment]) -> None:
        for segment in found:
            target = segment.target
            unchecked = self._unchecked.get(target)
            if unchecked is None:
                unchecked = self._unchecked[target] = _Unchecked()
            unchecked.add(segment)
            self._unchecked_bytes += _bytes_of(segment)
            if len(unchecked.records) >= CHECKED_RECORDS:
                self._check(target)
            elif self._unchecked_bytes >= UNCHECKED_BYTES:
                self._check_all()

    def _check_all(self) -> None:
        for target in list(self._unchecked):
            self._check(target)

    def _check(self, target: Target) -> None:
        unchecked = self._unchecked.pop(target)
        self._unchecked_bytes -= sum(map(_bytes_of, unchecked.sources))
        # One document alone may have millions of records, all of them bad.
        for start in range(0, len(unchecked.records), CHECKED_RECORDS):
            self._check_block(target, unchecked, start)

    def _check_block(self, target: Target, unchecked: _Unchecked, start: int) -> None:
        self._effort.check()
        block = unchecked.records[start : start + CHECKED_RECORDS]
        version = self._versions.setdefault(target.version.pk, target.version)
        parsed = version.mechanism.parse_records(block)
        for index, reason in parsed.rejected:
            if self._rejections.enough:
                self._rejections.counts[reason] += 1
            else:
                line, pointer = unchecked.place(start + index)
                self._rejections.add(reason, 1, line, pointer, reason_in_words(reason))
        accepted = len(block) - len(parsed.rejected)
        self.accepted += accepted
        self._effort.add_stored(accepted, sum(records.nbytes for records in parsed.streams.values()))
        for stream, records in parsed.streams.items():
            if len(records):
                self._sorter.add((version.pk, target.locale, stream), records)

    def _look_before(self, refusal: UploadRefused) -> None:
        """Raise the first problem of the upload instead, if a record that is not checked yet has it (strict mode)."""
        earliest = refusal
        for target in list(self._unchecked):
            try:
                self._check(target)
            except UploadRefused as other:
                earliest = min(earliest, other, key=UploadRefused.place)
        if earliest is not refusal:
            raise earliest from None
