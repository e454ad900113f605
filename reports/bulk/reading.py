"""Objects as uploads: what the names of objects tell, and what is taken in of each at once."""

import datetime
from collections.abc import Iterator

from reports.bulk.parquet_reports import ParquetReports
from reports.bulk.places import Found, Place, opened
from reports.collection.ingest import SUFFIXES, Upload, known_suffix

PARQUET = ".parquet"


def is_readable(found: Found) -> bool:
    return known_suffix(found.name) is not None or found.name.endswith(PARQUET)


def day_in(name: str) -> datetime.date | None:
    """Return the day that a name says, as engines write it: ``day=2026-11-26/part-0001.parquet``."""
    days = (part.removeprefix("day=") for part in name.split("/") if part.startswith("day="))
    try:
        return next((datetime.date.fromisoformat(day) for day in days), None)
    except ValueError:
        return None


def uploads(place: Place, found: Found, start: int) -> Iterator[Upload]:
    """Yield an object as uploads, from the block of this number on.

    A block is the object, or some row groups of a Parquet file. Raises `UploadRefused` for an object that holds none,
    `MissingPackage`, and where one is read, `StorageUnavailable` and `Gone`.
    """
    with opened(place, found) as source:
        if suffix := known_suffix(found.name):
            if not start:
                yield Upload(source, *SUFFIXES[suffix], length=found.size)
            return
        reports = ParquetReports(source)
        for groups in reports.blocks()[start:]:
            yield Upload(reports.documents(groups), "ndjson")
