"""Rows of what changed: each element of a locale in both windows, and which of the changes are clear."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from aggregation.estimation import Estimator, PublishedSide, benjamini_hochberg, beside_intervals, compare
from reports.results.changes.pairs import Pair
from reports.results.comparison import FALSE_DISCOVERY_RATE, ComparisonRow, rows_at
from reports.results.listed import Listed


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


class _Compared(NamedTuple):
    """Two histograms of a locale, with what either lists, and where the rows go."""

    now: Listed
    before: Listed
    locale: str
    elements: list[str]
    rows: list[ChangeRow]

    @property
    def other(self) -> Estimator | None:
        """The estimator of the window before, if that is another one."""
        return None if self.now.is_counted_like(self.before) else self.before.estimator

    @property
    def sides(self) -> tuple[PublishedSide, PublishedSide]:
        return self.now.side(self.elements), self.before.side(self.elements, self.other)

    @property
    def size(self) -> int:
        # Words were selected from candidates that each list has of its own.
        is_of_words = self.now.histogram.revision_id is None
        return self.now.size + self.before.size if is_of_words else max(self.now.size, self.before.size)

    @property
    def texts(self) -> list[tuple[str, str, str]]:
        texts = {text[0]: text for each in (self.before, self.now) for text in each.entries.texts}
        return [texts[element] for element in self.elements]


def rows_of_each(pairs: Sequence[Pair]) -> list[list[ChangeRow]]:
    """Return what each locale lists in either window; of nothing it is judged yet whether it is clear.

    What is counted alike is compared in one computation.
    """
    found: list[list[ChangeRow]] = [[] for _pair in pairs]
    alike: dict[object, list[_Compared]] = defaultdict(list)
    for place, (pair, rows) in enumerate(zip(pairs, found, strict=True)):
        now, before = pair.now, pair.before
        if now is None or before is None:
            continue
        left_out = {each.element for each in pair.not_counted}
        elements = sorted({*now.entries.elements, *before.entries.elements} - left_out)
        if elements:
            compared = _Compared(now, before, pair.locale, elements, rows)
            is_drawn = now.drawn is not None or before.drawn is not None
            alike[now.estimator, compared.other, place if is_drawn else None].append(compared)
    for together in alike.values():
        _add_rows(together)
    return found


def _add_rows(together: Sequence[_Compared]) -> None:
    """Compare what is counted alike; all of it is listed, so that rows come in the order of the elements."""
    now, *_others = together[0]
    first, second = (PublishedSide.stacked(sides) for sides in zip(*(each.sides for each in together), strict=True))
    sizes = [each.size for each in together]
    size = sizes[0] if len(sizes) == 1 else np.array(sizes)[:, None]
    differences = compare(now.estimator, first, second, alpha=now.histogram.alpha, size=size)
    listed = np.nonzero(differences.listed)
    rows = iter(rows_at(differences, listed, [text for each in together for text in each.texts]))
    p_values = iter(differences.p_values[listed].tolist())
    for each in together:
        each.rows.extend(ChangeRow(each.locale, next(rows), next(p_values)) for _element in each.elements)


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
