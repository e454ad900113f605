"""Support counts of windows: exact sums over their periods, of what is counted in all of them."""

import datetime
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.models import DictionaryRevision
from reports.publication.revisions import counted_by_all, positions_in
from reports.publication.totals import sum_of_window
from reports.publication.windows import Periods, Window

# Counts that were replaced since the name of their file was read are looked for again, under its new name.
_ATTEMPTS: Final = 3
_DAY: Final = datetime.timedelta(days=1)


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """Exact sums over a window, of the elements of a revision that are counted in all of it, by their positions."""

    positions: NDArray[np.int64]
    counts: NDArray[np.int64]
    n: int


class NotCounted(NamedTuple):
    """An element of the dictionary that is not counted in all of a window."""

    element: str
    display: str
    # The first day from which on every period counts it; None as long as none does.
    since: datetime.date | None


def count_window(window: Window, revision: DictionaryRevision) -> WindowCounts:
    """Add up the support counts of a window's periods, in the elements of a revision."""
    counted = counted_by_all(window.revisions, revision)
    counts = _sum(window, revision)
    return WindowCounts(np.flatnonzero(counted), counts if counted.all() else counts[counted], window.n)


def _sum(window: Window, revision: DictionaryRevision) -> NDArray[np.int64]:
    for _attempt in range(_ATTEMPTS - 1):
        try:
            return sum_of_window(window, revision)
        except FileNotFoundError:
            continue
    return sum_of_window(window, revision)


def not_counted_in(window: Window, periods: Periods, revision: DictionaryRevision) -> list[NotCounted]:
    """List the elements of a revision that some period of a window lacks; `periods` are all of its locale."""
    lacking = np.flatnonzero(~counted_by_all(window.revisions, revision))
    if not len(lacking):
        return []
    since = _since(periods, revision, lacking)
    entries = revision.entries.filter(position__in=lacking.tolist()).order_by("position")
    return [
        NotCounted(element, display, since.get(position))
        for position, element, display in entries.values_list("position", "element", "display")
    ]


def _since(periods: Periods, revision: DictionaryRevision, positions: NDArray[np.int64]) -> dict[int, datetime.date]:
    """Return by position the first day from which on every period counts an element, of those that some lack."""
    ends: dict[int, datetime.date] = {}
    for period in periods.released:
        for key in period.revisions:
            ends[key] = max(ends.get(key, period.last_day), period.last_day)
    last = np.zeros(len(positions), np.int64)
    for key, end in ends.items():
        if key != revision.pk:
            lacks = positions_in(key, revision)[positions] < 0
            last[lacks] = np.maximum(last[lacks], end.toordinal())
    newest = max((period.first_day.toordinal() for period in periods.released), default=0)
    known = zip(positions.tolist(), last.tolist(), strict=True)
    return {position: datetime.date.fromordinal(end) + _DAY for position, end in known if end < newest}
