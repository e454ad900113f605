"""The window of pages about the newest days: a range up to the newest day, and its neighbours of the same length."""

import datetime
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from reports.models.uploads import utc_today
from reports.publication import Days
from reports.results.changes import ChangesQuery
from reports.web.pages.choices import Choice, neighbour
from reports.web.pages.windows import WindowControl, relative, window_control

Query = TypeVar("Query", bound=ChangesQuery)

_LENGTHS: Final = (1, 7, 28)
_DAY: Final = datetime.timedelta(days=1)


def range_control(query: Query, shown: Days | None, link: Callable[[Query], str]) -> WindowControl:
    """Return the ranges, and the windows of the same length before and after what is shown."""
    is_range = query.length is not None and query.last is None
    lengths = {*_LENGTHS, *([query.length] if is_range and query.length else [])}
    newest = shown[1] if shown is not None and is_range else None
    ranges = [Choice(str(days), relative(days, newest), is_range and days == query.length) for days in sorted(lengths)]
    if shown is None:
        return window_control(query, ranges, (query.first, query.last))
    first, last = shown
    moved = last - first + _DAY
    before, after = (first - moved, last - moved), (first + moved, last + moved)
    earlier = neighbour(link(replace(query, first=before[0], last=before[1], days=None)), *before)
    later = None
    if not is_range and after[0] < utc_today():
        later = neighbour(link(replace(query, first=after[0], last=after[1], days=None)), *after)
    return window_control(query, ranges, shown, earlier=earlier, later=later)
