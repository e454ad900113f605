"""The days that the form warns of: reports for them would count on another day than the one that is chosen."""

import datetime
from collections.abc import Iterable
from typing import NamedTuple

from reports.collection.ingest import closed_days
from reports.formatting import day_range
from reports.models import UseCase

A_DAY = datetime.timedelta(days=1)


class Closed(NamedTuple):
    """Days in words, and of which use cases they are closed."""

    days: str
    titles: str


def closed(use_cases: Iterable[UseCase]) -> list[Closed]:
    """A line for all use cases of which the same days are closed."""
    titles: dict[tuple[datetime.date, ...], list[str]] = {}
    for use_case, days in closed_days(use_cases).items():
        titles.setdefault(tuple(days), []).append(use_case.title)
    return [Closed(_in_words(days), ", ".join(of_days)) for days, of_days in titles.items()]


def _in_words(days: Iterable[datetime.date]) -> str:
    """Days in their order, those that follow one another as a range."""
    ranges: list[list[datetime.date]] = []
    for day in days:
        if ranges and day - ranges[-1][1] == A_DAY:
            ranges[-1][1] = day
        else:
            ranges.append([day, day])
    return "; ".join(day_range(first, last) for first, last in ranges)
