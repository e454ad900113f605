"""Rows of a comparison: the difference of each element, and how clear it is.

Nothing of what is below its threshold is in it but a bound that follows from the threshold.
"""

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Differences, Summary

Counts: TypeAlias = NDArray[np.int64]

# Expected share, at most, of the differences called clear that are none.
FALSE_DISCOVERY_RATE = 0.05


class Verdict(StrEnum):
    """Verdict on a difference."""

    MORE_IN_FIRST = "more-in-first"
    MORE_IN_SECOND = "more-in-second"
    NO_CLEAR_DIFFERENCE = "no-clear-difference"
    # A word with letters that devices of one of the locales never report.
    NOT_COMPARABLE = "not-comparable"


class Share(NamedTuple):
    """A share of reports with its adjusted 95 % interval; or, below the threshold, what it is at most.

    Nothing of it is known where devices never report the element.
    """

    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    at_most: float | None = None


class ComparisonRow(NamedTuple):
    """An element that is above the threshold on one side at least.

    Where it is below on the other, there is no difference, but still bounds of it.
    """

    element: str
    display: str
    category: str
    first: Share
    second: Share
    difference: float | None
    lower: float | None
    upper: float | None
    verdict: Verdict

    @property
    def least(self) -> float:
        """The size of the difference, or, where only bounds are known, what it is at least."""
        if self.difference is not None:
            return abs(self.difference)
        return max(self.lower or 0.0, -(self.upper or 0.0), 0.0) if self.lower is not None else 0.0

    @property
    def clearness(self) -> tuple[bool, float]:
        """Clearness of the difference, by what is shown of it."""
        clear = self.verdict in (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND)
        if self.lower is None or self.upper is None or self.upper <= self.lower:
            return clear, 0.0
        return clear, abs(self.upper + self.lower) / (self.upper - self.lower)


def sorted_rows(rows: list[ComparisonRow], order: str) -> list[ComparisonRow]:
    """The largest first, by what is shown of them alone: an order must not tell what is below a threshold.

    Words that are on one side only by their letters come last, and equals as the dictionary has them.
    """

    def largest(row: ComparisonRow) -> tuple[bool, float, float]:
        comparable = row.verdict != Verdict.NOT_COMPARABLE
        if order == "significance":
            clear, by = row.clearness
            return comparable, float(clear), by
        if order in ("first", "second"):
            share = row.first if order == "first" else row.second
            return share.value is not None, share.value or 0.0, row.least
        return comparable, row.least, 0.0

    return sorted(rows, key=largest, reverse=True)


class Compared(NamedTuple):
    """Result of comparing two histograms: the listed rows, and bounds of all other elements."""

    rows: tuple[ComparisonRow, ...]
    # At most so large is a share that is below its threshold.
    first_at_most: float
    second_at_most: float
    # Whether some reports are on both sides.
    overlapping: bool


_VERDICTS = {1: Verdict.MORE_IN_FIRST, -1: Verdict.MORE_IN_SECOND, 0: Verdict.NO_CLEAR_DIFFERENCE}


def as_rows(found: Differences, texts: Iterable[tuple[int, str, str, str]], *, overlapping: bool) -> Compared:
    """Make rows of differences at some places, each with its element, display form and category."""
    known = list(texts)
    places = np.array([place for place, *_texts in known], np.intp)
    rows = rows_at(found, (places,), [text for _place, *text in known])
    return Compared(tuple(rows), float(found.bound_first), float(found.bound_second), overlapping)


def rows_at(
    found: Differences, places: tuple[NDArray[np.intp], ...], texts: Sequence[Sequence[str]]
) -> list[ComparisonRow]:
    """Make rows of differences at some indices, each with its element, display form and category."""
    difference, lower, upper = (
        map(number_or_none, column[places].tolist()) for column in (found.difference, found.lower, found.upper)
    )
    first = _shares(found.first, found.bound_first, places)
    second = _shares(found.second, found.bound_second, places)
    verdicts = [_VERDICTS[direction] for direction in found.direction[places].tolist()]
    columns = zip(texts, first, second, difference, lower, upper, verdicts, strict=True)
    return [ComparisonRow(*text, *shown) for text, *shown in columns]


def _shares(side: Summary, bound: Any, places: tuple[NDArray[np.intp], ...]) -> list[Share]:
    n, at_most = (np.broadcast_to(number, side.above.shape)[places] for number in (side.n, bound))
    numbers = ((column[places] / n).tolist() for column in (side.estimate, side.adjusted_lower, side.adjusted_upper))
    columns = zip(side.above[places].tolist(), at_most.tolist(), *numbers, strict=True)
    return [Share(*shown) if is_above else Share(at_most=most) for is_above, most, *shown in columns]


def number_or_none(value: float) -> float | None:
    """Return a number as documents have it."""
    return None if math.isnan(value) else float(value)
