"""Elements of a histogram's dictionary that a search means although they are not shown, or nearly means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from reports.models import DictionaryEntry, DictionaryRevision, Histogram, Version
from reports.results.dictionary_texts import dictionary_texts, words_of
from reports.results.estimating import window_estimator
from reports.results.groupings import GROUPINGS, load_groups
from reports.results.histogram_rows import matches
from reports.results.histogram_view import HistogramView
from reports.results.names import folded
from reports.results.trend import Element, bounds_below, elements_of

# Entries listed at most, and entries looked at to choose the best.
MOST_BELOW = 20
MOST_NEAR = 5
_LOOKED_AT = 1_000


@dataclass(frozen=True)
class Near:
    """An element that is written almost as was searched for; its share if it is above the threshold."""

    element: Element
    share: float | None


@dataclass(frozen=True)
class Beside:
    """Search results in the dictionary beside the rows of the histogram."""

    # The best of what is below the threshold, and whether there is more.
    below: tuple[Element, ...]
    has_more: bool
    # The largest share that anything below the threshold may have, with 95 % confidence.
    at_most: float
    # Only if nothing is written or called as was searched for.
    near: tuple[Near, ...]


def beside_rows(view: HistogramView) -> Beside | None:
    """Search the dictionary that was counted; None where no element is searched for.

    It says of an element what its own page says: whether it is in the dictionary, and the bound of all that is below
    the threshold of a published window.
    """
    version, histogram, query = view.version, view.histogram, view.query
    if version is None or view.window is None or histogram is None or histogram.revision is None:
        return None
    if histogram.threshold is None or not query.search:
        return None
    histogram.revision.version = version
    estimator = window_estimator(version, view.window.revisions, histogram.revision)
    search = _Search(version, histogram, histogram.revision, query.search, query.category)
    below = search.below()
    return Beside(
        below=tuple(elements_of(version, below[:MOST_BELOW])),
        has_more=len(below) > MOST_BELOW,
        at_most=bounds_below(estimator, [histogram])[histogram.pk] / histogram.n,
        near=() if below or view.rows else search.near(),
    )


class _Search:
    def __init__(
        self, version: Version, histogram: Histogram, revision: DictionaryRevision, wanted: str, category: str
    ) -> None:
        self._version, self._histogram, self._revision, self._wanted = version, histogram, revision, wanted
        self._texts = dictionary_texts(revision)
        self._among = _members(revision, category) if category else None

    def below(self) -> list[tuple[str, str, str]]:
        """Return matching elements below the threshold; names that begin with the search first, short ones leading."""
        wanted = folded(self._wanted)
        having = self._entries(self._having(wanted.split())).values_list("element", "display", "category")
        found = [
            row
            for row in having
            if row[0] not in self._histogram.entries.place_of and matches(self._version, row[0], row[1], self._wanted)
        ]
        return sorted(found, key=lambda row: (not folded(row[1]).startswith(wanted), len(row[1]), row[1]))

    def near(self) -> tuple[Near, ...]:
        """Return what has all the words in it, some put right; the fewest letters first, of these what is above T."""
        distances: dict[int, int] = {}
        for words, distance in self._texts.readings(list(words_of(folded(self._wanted)))):
            for position in self._having(words):
                distances.setdefault(position, distance)
        nearest = sorted(distances, key=lambda position: distances[position])[:_LOOKED_AT]
        rows = list(self._entries(nearest).values_list("position", "element", "display", "category"))
        above = self._histogram.entries
        shares = dict(zip(above.elements, (above.column("estimate") / self._histogram.n).tolist(), strict=True))
        rows.sort(key=lambda row: (distances[row[0]], -shares.get(row[1], 0.0), len(row[2]), row[0]))
        elements = elements_of(self._version, [row[1:] for row in rows[:MOST_NEAR]])
        return tuple(Near(element, shares.get(element.element)) for element in elements)

    def _having(self, words: Sequence[str]) -> list[int]:
        return self._texts.having(words, _LOOKED_AT, self._among)

    def _entries(self, positions: Iterable[int]) -> QuerySet[DictionaryEntry]:
        return self._revision.entries.filter(position__in=list(positions)).order_by("position")


def _members(revision: DictionaryRevision, category: str) -> NDArray[np.bool_]:
    """Mark the positions in a category."""
    groups = load_groups(GROUPINGS["category"], revision)
    numbers = [number for number, group in enumerate(groups.groups) if group.element == category]
    return np.isin(groups.index, numbers)
