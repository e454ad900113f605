"""Rows of what changed: each element of a locale in both windows, and which of the changes are clear."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from aggregation.estimation import benjamini_hochberg, beside_intervals, compare
from reports.results.changes.pairs import Pair
from reports.results.comparison import FALSE_DISCOVERY_RATE, ComparisonRow, as_rows


class Change(StrEnum):
    """Kind of a change. `new` and `gone` are below the threshold in one of the windows, which is not zero."""

    UP = "up"
    DOWN = "down"
    NEW = "new"
    GONE = "gone"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True)
class ChangeRow:
    """Element of a locale: in `row`, the first side is the newer window, the second the one before."""

    locale: str
    row: ComparisonRow
    p_value: float
    change: Change = Change.UNCERTAIN

    @property
    def is_clear(self) -> bool:
        return self.change != Change.UNCERTAIN

    @property
    def rank(self) -> tuple[bool, float]:
        """Sort key of importance, the larger the more: whether the change is clear, then its shown size."""
        return self.is_clear, self.row.least

    def judged(self, *, clear: bool) -> "ChangeRow":
        row = self.row
        if not clear:
            change = Change.UNCERTAIN
        elif row.second.value is None:
            change = Change.NEW
        elif row.first.value is None:
            change = Change.GONE
        else:
            change = Change.UP if (row.difference or 0.0) > 0 else Change.DOWN
        return replace(self, change=change)


def rows_of(pair: Pair) -> list[ChangeRow]:
    """Return what a locale lists in either window; of nothing it is judged yet whether it is clear."""
    now, before = pair.now, pair.before
    if now is None or before is None:
        return []
    left_out = {each.element for each in pair.not_counted}
    elements = sorted({*now.entries.elements, *before.entries.elements} - left_out)
    if not elements:
        return []
    found = compare(
        now.estimator,
        now.side(elements),
        before.side(elements, None if now.is_counted_like(before) else before.estimator),
        alpha=now.histogram.alpha,
        # Words were selected from candidates that each list has of its own.
        size=None if now.histogram.revision_id is None else max(now.size, before.size),
    )
    texts = {row[0]: row for each in (before, now) for row in each.entries.texts}
    named = ((place, *texts[element]) for place, element in enumerate(elements))
    rows = as_rows(found, named, overlapping=False).rows
    return [ChangeRow(pair.locale, row, p) for row, p in zip(rows, found.p_values.tolist(), strict=True)]


def judged(rows: Sequence[ChangeRow], *, others: int = 0, level: float = FALSE_DISCOVERY_RATE) -> list[ChangeRow]:
    """Tell of all rows together which changes are clear: their intervals exclude 0, at one false discovery rate.

    `others` is how many more were tested whose p-values are above the level, so that none of them is clear.
    """
    columns = [(row.p_value, row.row.lower, row.row.upper) for row in rows] + [(1.0, None, None)] * others
    p_values, lower, upper = np.array(columns, np.float64).reshape(-1, 3).T
    clear = benjamini_hochberg(beside_intervals(p_values, lower, upper), level).tolist()
    return [row.judged(clear=is_clear) for row, is_clear in zip(rows, clear, strict=False)]


def ordered(rows: Iterable[ChangeRow]) -> list[ChangeRow]:
    return sorted(rows, key=lambda row: row.rank, reverse=True)
