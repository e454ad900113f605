"""The read-outs of days, and the files of those from which pages compare or make histograms."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages import definitions
from benchmarks.pages.binary import Copy
from benchmarks.pages.estimates import MONTH
from benchmarks.pages.sizes import REPORTS_PER_DAY, Size, Year
from benchmarks.pages.sketches import day_of_sketches
from reports.models import ReadOut
from reports.storage import local_path

# Of words: so many days have sketches of their own, which the others have again.
SKETCHED = 3


def copy_read_outs(size: Size, years: list[Year]) -> None:
    days = np.array(size.all_days, dtype="datetime64[D]")
    columns = ("version_id", "revision_id", "locale", "day", "sealing_id", "period_id", "n", "file_name")
    with Copy(ReadOut, *columns) as copy:
        for year in years:
            copy.write(
                version_id=year.version.pk,
                revision_id=year.revision and year.revision.pk,
                locale=year.locale,
                day=days,
                sealing_id=year.first_sealing + np.arange(size.days),
                period_id=year.first_period + np.arange(size.days),
                n=REPORTS_PER_DAY,
                file_name=np.array([_name_of(year, day).encode() for day in range(size.days)]),
            )


def _name_of(year: Year, day: int) -> str:
    place = year.first_period + day
    return f"read-outs/{place % 256:02x}/{place:032x}.npy"


def write_counts(year: Year, size: Size, integers: NDArray[np.int64]) -> None:
    """Of a dictionary; days with the same integers share a file."""
    written: dict[int, Path] = {}
    for day in range(size.days):
        path = _place_of(year, day)
        if day % MONTH in written:
            os.link(written[day % MONTH], path)
        else:
            np.save(path, integers[day], allow_pickle=False)
            written[day % MONTH] = path


def write_sketches(years: list[Year], size: Size) -> None:
    """Of those that find words: a few days, which all locales have again and again."""
    written: dict[tuple[int, int], Path] = {}
    for year in years:
        mechanism = year.version.discovery
        if mechanism is None:
            continue
        for day in range(size.days):
            path, key = _place_of(year, day), (year.number, day % SKETCHED)
            if key in written:
                os.link(written[key], path)
            else:
                drawn = day_of_sketches(mechanism, definitions.words(), np.random.default_rng(key))
                np.save(path, drawn, allow_pickle=False)
                written[key] = path


def _place_of(year: Year, day: int) -> Path:
    path = local_path(_name_of(year, day))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
