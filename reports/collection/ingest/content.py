"""Content digests that recognise an upload by its records, however these were sent."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import BinaryIO

import numpy as np
from django.conf import settings

from aggregation.screening import COMPARED, SAMPLED, can_be_recognised, is_distinctive, rank_keys, ranks
from reports.models import Version
from reports.models.record_files import Slice
from reports.record_files import RecordFile
from reports.storage import start_of_array

# Two honest devices may send equal small documents, and both count. Of fewer records a digest could also be guessed by
# a holder of the key.
RECOGNISED_RECORDS = 1000
READ_BYTES = 1 << 18
FINGERPRINT_BYTES = 8
_NO_BOUND = 1 << 32


@dataclass(frozen=True)
class Sample:
    """Fingerprints of the records of a version that rank lowest, in this order."""

    compared: list[bytes]

    @property
    def kept(self) -> list[bytes]:
        return self.compared[:SAMPLED]


@dataclass(frozen=True)
class Content:
    """Keyed digests of an upload by version, and samples where records are long. Empty if the upload is small."""

    # The digest of the version's records; if these are few, of all that the upload has.
    digests: dict[Version, bytes] = field(default_factory=dict)
    samples: dict[Version, Sample] = field(default_factory=dict)
    # Records by version.
    records: dict[Version, int] = field(default_factory=dict)


def content_of(files: Iterable[RecordFile]) -> Content:
    """Read the records of an upload once more, in memory that does not grow with them."""
    found = sorted(
        ((file.version, each, file.path) for file in files for each in file.slices),
        key=lambda item: (item[0].pk, item[1].locale, item[1].stream),
    )
    sizes: dict[Version, int] = {}
    for version, each, _path in found:
        sizes[version] = sizes.get(version, 0) + (each.size if _has_reports(version, each) else 0)
    telling = {version: n for version, n in sizes.items() if can_be_recognised(version.mechanism, RECOGNISED_RECORDS)}
    if sum(telling.values()) < RECOGNISED_RECORDS:
        return Content()
    large = {version for version, n in telling.items() if n >= RECOGNISED_RECORDS}
    own = {version: hmac.new(_key(b"records"), _bytes_of(version), hashlib.sha256) for version in sizes}
    lowest = {version: _Lowest(version) for version in large if is_distinctive(version.mechanism)}
    for path, slices in groupby(found, key=lambda item: item[2]):
        with path.open("rb") as file:
            begin = start_of_array(file)
            for version, each, _path in slices:
                own[version].update(f"{each.locale} {each.stream} {each.size}\n".encode())
                for records in _read(file, begin, version, each):
                    own[version].update(records)
                    if _has_reports(version, each) and version in lowest:
                        lowest[version].add(records)
    whole = b"".join(digest.digest() for digest in own.values())
    return Content(
        {
            version: digest.digest()
            if version in large
            else hmac.digest(_key(b"few") + digest.digest(), whole, "sha256")
            for version, digest in own.items()
        },
        {version: Sample(kept.fingerprints()) for version, kept in lowest.items()},
        sizes,
    )


def _has_reports(version: Version, of: Slice) -> bool:
    return of.stream in version.mechanism.report_streams


def _key(purpose: bytes) -> bytes:
    return hashlib.sha256(b"ldpsite recognised " + purpose + b"\0" + settings.SECRET_KEY.encode()).digest()


def _bytes_of(version: Version) -> bytes:
    return version.pk.to_bytes(8, "big")


def _read(file: BinaryIO, begin: int, version: Version, of: Slice) -> Iterator[bytes]:
    """Yield blocks of whole records. The file is not mapped, because mapped pages count as this process's memory."""
    size = version.mechanism.record_dtype(of.stream).itemsize
    file.seek(begin + of.start)
    block, left = max(1, READ_BYTES // size) * size, of.size * size
    while left:
        records = file.read(min(block, left))
        if not records:
            raise ValueError("The file is shorter than its records.")
        yield records
        left -= len(records)


class _Lowest:
    """Takes in records of a version, and keeps the fingerprints of the different ones that rank lowest."""

    def __init__(self, version: Version) -> None:
        mechanism = version.mechanism
        self._size = mechanism.record_dtype(mechanism.report_streams[0]).itemsize
        self._rank_keys = rank_keys(_key(b"rank") + _bytes_of(version), self._size // 4)
        self._keyed = hmac.new(_key(b"record") + _bytes_of(version), digestmod=hashlib.sha256)
        self._bound = _NO_BOUND
        self._kept: list[tuple[int, bytes]] = []

    def add(self, records: bytes) -> None:
        found = ranks(records, self._rank_keys)
        for place in np.flatnonzero(found < self._bound).tolist():
            digest = self._keyed.copy()  # which is cheaper than to begin with the key
            digest.update(records[place * self._size : (place + 1) * self._size])
            self._kept.append((int(found[place]), digest.digest()[:FINGERPRINT_BYTES]))
        if len(self._kept) > 2 * COMPARED:
            self._keep_lowest()

    def _keep_lowest(self) -> None:
        self._kept = sorted(set(self._kept))[:COMPARED]
        if len(self._kept) == COMPARED:
            self._bound = self._kept[-1][0]

    def fingerprints(self) -> list[bytes]:
        self._keep_lowest()
        return [fingerprint for _rank, fingerprint in self._kept]
