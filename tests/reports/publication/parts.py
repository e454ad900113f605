"""Closed days straight in the database, each with support counts that name it: sums then say what they are of."""

import datetime
from pathlib import Path

import numpy as np

from reports.models import ReadOut, Sealing, Version
from reports.pending_files import commit, reserve
from reports.storage import new_name, spool_folder, store, write_array
from tests.reports.small_fleet import define

FIRST = datetime.date(2025, 12, 20)


def define_parts(most: int, **changes: object) -> Version:
    """A use case whose dictionary has an element for each of so many closed days."""
    return define(dictionary=[f"part{number}" for number in range(most)], **changes)


def close_day(version: Version, locale: str, number: int, day: datetime.date, n: int, *, size: int) -> ReadOut:
    """Count the part of this number: one for the element of its own, none for any other."""
    counts = np.zeros(size, np.int64)
    counts[number] = 1
    name = new_name("read-outs")
    reserve([name])
    with spool_folder() as folder:
        path: Path = folder / "counts.npy"
        write_array(path, counts.dtype, size, [counts])
        store(path, name, day)
    commit([name])
    return ReadOut.objects.create(
        version=version, revision=version.current_dictionary(), locale=locale, day=day, n=n, file_name=name,
        sealing=Sealing.objects.create(version=version, day=day),
    )  # fmt: skip
