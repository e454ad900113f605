"""Controls of the pages of what changed, and of all locales at once."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self, TypeVar

from reports.kinds import kind_of
from reports.models import Version
from reports.models.uploads import utc_today
from reports.publication import Days
from reports.results.changes import ChangesQuery
from reports.web.pages.choices import Choice, neighbour, top_choices, version_choices
from reports.web.pages.windows import WindowControl, relative, window_control

Query = TypeVar("Query", bound=ChangesQuery)

_LENGTHS: Final = (1, 7, 28)
_DAY: Final = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Controls:
    """Everything the form shows; words are looked for in windows of their runs, and have none to choose."""

    window: WindowControl | None
    versions: list[Choice]
    tops: list[Choice]
    locales: Sequence[Choice] = ()
    # Parameters that are chosen elsewhere on the page, which the form sends along.
    kept: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        version: Version,
        query: Query,
        days: Days | None,
        tops: Sequence[int],
        top: int,
        link: Callable[[Query], str],
    ) -> Self:
        """Choices for a query that shows these days and so many rows; `link` is the address of another one."""
        window = _range_control(query, days, link) if kind_of(version).has_dictionary else None
        return cls(window, version_choices(version), top_choices(tops, top))


def _range_control(query: Query, shown: Days | None, link: Callable[[Query], str]) -> WindowControl:
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
