"""Cells of elements by locales: shares, and which of them stand out against the mean of the other locales."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import Contrasts, Estimator, benjamini_hochberg, contrast, upper_bound_below_threshold
from reports.kinds import kind_of
from reports.models import Entry, Version
from reports.results.changes import Newest
from reports.results.comparison import FALSE_DISCOVERY_RATE, Share, number_or_none
from reports.results.listed import Listed
from reports.results.names import unpadded
from reports.results.provenance import CONFIDENCE


class CellState(StrEnum):
    """State of an element in a locale."""

    SHOWN = "shown"
    BELOW = "below"
    # The dictionary did not have it in all of the window.
    NOT_COUNTED = "not-counted"
    # A word with letters that devices of the locale never report.
    NOT_REPORTED = "not-reported"


class Standing(StrEnum):
    """Verdict on an element in a locale against the mean of the others."""

    MORE = "more"
    LESS = "less"
    NOT_CLEAR = "not-clear"


@dataclass(frozen=True)
class Cell:
    """An element in a locale, and against the mean of the others."""

    locale: str
    state: CellState
    share: Share
    # Rank among those above the threshold, the largest first; None for the others.
    rank: int | None
    # The mean of the others, weighted by their reports; None where one of them is below its threshold.
    others: float | None
    difference: float | None
    lower: float | None
    upper: float | None
    p_value: float
    standing: Standing


@dataclass(frozen=True)
class OfElement:
    """An element through all locales."""

    element: str
    entry: Entry
    cells: tuple[Cell, ...]

    @property
    def largest(self) -> float:
        return max((cell.share.value or 0.0 for cell in self.cells), default=0.0)

    def share_in(self, locale: str) -> float:
        """Return the share in a locale; 0 where it has none that is shown."""
        return next((cell.share.value or 0.0 for cell in self.cells if cell.locale == locale), 0.0)

    def is_in_top(self, locale: str, top: int) -> bool:
        """Tell whether it is among the first so many of a locale."""
        return any(cell.locale == locale and cell.rank is not None and cell.rank <= top for cell in self.cells)


@dataclass(frozen=True)
class Together:
    """The elements that are in the top of some locale, the largest first, and how many cells were tested."""

    elements: tuple[OfElement, ...]
    tested: int
    # The number of elements that are above the threshold somewhere, and of cells that stand out.
    listed: int
    standing_out: int


def together(version: Version, locales: Sequence[Newest], top: int) -> Together:
    """Compare each element that is above the threshold in some locale, and return those in the top of one."""
    shown = [(newest, newest.listed) for newest in locales if newest.listed is not None]
    texts = {entry.element: entry for _newest, listed in reversed(shown) for entry in listed.entries}
    elements = sorted(texts)
    if not elements:
        return Together((), 0, 0, 0)
    columns = [_Column.of(version, newest, listed, elements) for newest, listed in shown]
    first = shown[0][1]
    sides = [listed.side(elements, _own_estimator(listed, first)) for _newest, listed in shown]
    found = contrast(first.estimator, sides, np.array([column.known for column in columns]))
    clear = benjamini_hochberg(found.p_values.ravel(), FALSE_DISCOVERY_RATE).reshape(found.p_values.shape)
    chosen = [
        place
        for place, element in enumerate(elements)
        if any(column.ranks.get(element, top + 1) <= top for column in columns)
    ]
    rows = [
        OfElement(
            elements[place],
            texts[elements[place]],
            tuple(column.cell(place, found, number, clear) for number, column in enumerate(columns)),
        )
        for place in chosen
    ]
    rows.sort(key=lambda row: row.largest, reverse=True)
    return Together(tuple(rows), found.p_values.size, len(elements), int(clear.sum()))


def _own_estimator(listed: Listed, first: Listed) -> Estimator | None:
    return None if listed.is_counted_like(first) else listed.estimator


@dataclass(frozen=True)
class _Column:
    """A locale: what is published of it, of all elements."""

    locale: str
    listed: Listed
    elements: Sequence[str]
    states: Sequence[CellState]
    ranks: Mapping[str, int]
    # Upper bound of a share below the threshold.
    bound: float

    @classmethod
    def of(cls, version: Version, newest: Newest, listed: Listed, elements: Sequence[str]) -> "_Column":
        histogram, side = listed.histogram, listed.side([])
        known = side.threshold, histogram.n, histogram.f2
        bound = float(upper_bound_below_threshold(side.own(listed.estimator), *known, CONFIDENCE)) / histogram.n
        largest = sorted(zip((-listed.entries.column("estimate")).tolist(), listed.entries.elements, strict=True))
        ranks = {element: rank for rank, (_estimate, element) in enumerate(largest, 1)}
        return cls(newest.locale, listed, elements, _states(version, newest, listed, elements), ranks, bound)

    @property
    def known(self) -> list[bool]:
        return [state in (CellState.SHOWN, CellState.BELOW) for state in self.states]

    def cell(self, place: int, found: Contrasts, number: int, clear: NDArray[np.bool_]) -> Cell:
        at = number, place
        standing = Standing.NOT_CLEAR
        if clear[at]:
            standing = Standing.MORE if found.direction[at] > 0 else Standing.LESS
        others, difference, lower, upper = (
            number_or_none(values[at]) for values in (found.others, found.difference, found.lower, found.upper)
        )
        return Cell(
            locale=self.locale,
            state=self.states[place],
            share=self._share(place),
            rank=self.ranks.get(self.elements[place]),
            others=others,
            difference=difference,
            lower=lower,
            upper=upper,
            p_value=float(found.p_values[at]),
            standing=standing,
        )

    def _share(self, place: int) -> Share:
        if self.states[place] == CellState.BELOW:
            return Share(at_most=self.bound)
        if self.states[place] != CellState.SHOWN:
            return Share()
        entry, n = self.listed.entries.at(self.listed.entries.place_of[self.elements[place]]), self.listed.histogram.n
        return Share(entry.estimate / n, entry.adjusted_lower / n, entry.adjusted_upper / n)


def _states(version: Version, newest: Newest, listed: Listed, elements: Sequence[str]) -> list[CellState]:
    lacking = {each.element for each in newest.not_counted}
    has_dictionary = kind_of(version).has_dictionary
    found = []
    for element in elements:
        if element in listed.entries.place_of and element not in lacking:
            found.append(CellState.SHOWN)
        elif element in lacking:
            found.append(CellState.NOT_COUNTED)
        elif has_dictionary or version.element(unpadded(version, element), newest.locale) == element:
            found.append(CellState.BELOW)
        else:
            found.append(CellState.NOT_REPORTED)
    return found
