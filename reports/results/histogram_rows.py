"""The rows of a histogram that a query asks for."""

import datetime
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from reports.models import Entry, Histogram, Version
from reports.results.histogram_document import threshold_of
from reports.results.names import colourful, element_name, folded, is_called, unpadded
from reports.results.query import HistogramQuery
from reports.results.word_lists import Word, Words


@dataclass(frozen=True)
class HistogramRow:
    """A line of the table and a bar of the chart."""

    entry: Entry
    display: str
    name: str
    # The shown value in reports, raw estimate or consistent one, and its share of all.
    value: float
    share: float
    # The threshold that it had to reach to be shown.
    threshold: float
    # Whether the interval of the entry before or after reaches into this one's: their order is then not certain.
    tied: bool
    # Set for a discovered word.
    word: Word | None = None


def rows_of(
    version: Version, histogram: Histogram, query: HistogramQuery, words: Words | None = None
) -> tuple[tuple[HistogramRow, ...], int | None]:
    """Return the top N rows that match the query's category, words and search, in the query's order.

    The top N are those of the first ranks, however they are then sorted; but of words sorted by the day on which they
    were first seen, those of the first or of the last days. Beside them how many match, if a search or a category is
    asked for.
    """
    found = _matching(version, histogram, query, words)
    matching = len(found) if query.is_narrow else None
    tied = _tied(histogram)
    rows = [
        _row(version, histogram, entry, words, query.values, tied=bool(tied[entry.rank - 1]))
        for entry in found[: query.top]
    ]
    if query.sort in ("name", "-name"):
        rows.sort(key=lambda row: ((row.name or row.display).casefold(), row.entry.rank))
    return tuple(rows[::-1] if query.sort in ("-rank", "-name") else rows), matching


def _matching(version: Version, histogram: Histogram, query: HistogramQuery, words: Words | None) -> list[Entry]:
    """Return all entries that match, in the order in which the top N are chosen."""
    everything = words is None and not query.is_narrow
    found = list(islice(histogram.entries, query.top if everything else None))
    if words is not None:
        found = words.asked_for(query, found)
    if query.category:
        found = [entry for entry in found if entry.category == query.category]
    if query.search:
        found = [entry for entry in found if matches(version, entry.element, entry.display, query.search)]
    if query.sort in ("first-seen", "-first-seen"):
        newest_first = query.sort == "-first-seen"
        dated = [entry for entry in found if entry.first_day is not None]
        dated.sort(key=lambda entry: entry.first_day or datetime.date.min, reverse=newest_first)
        # Words without a day come last, either way round.
        found = [*dated, *(entry for entry in found if entry.first_day is None)]
    return found


def _tied(histogram: Histogram) -> NDArray[np.bool_]:
    """Tell of each entry whether the adjusted interval of the one before or after reaches into its own."""
    lower, upper = (histogram.entries.column(name) for name in ("adjusted_lower", "adjusted_upper"))
    reaches: NDArray[np.bool_] = upper[1:] > lower[:-1]
    found: NDArray[np.bool_] = np.append(reaches, False) | np.append(False, reaches)
    return found


def _row(
    version: Version, histogram: Histogram, entry: Entry, words: Words | None, values: str, *, tied: bool
) -> HistogramRow:
    value = entry.consistent if values == "consistent" else entry.estimate
    if value is None:
        raise LookupError("The estimates of this histogram were not made consistent.")
    return HistogramRow(
        entry=entry,
        display=colourful(entry.display),
        name=element_name(version, entry.display),
        value=value,
        share=value / histogram.n,
        threshold=threshold_of(histogram, entry),
        tied=tied,
        word=words.of(entry) if words is not None else None,
    )


def matches(version: Version, element: str, display: str, search: str) -> bool:
    """Tell whether a search matches an element by its letters, or by its name in any language.

    Accents need not be typed, and those that are typed need not be right.
    """
    texts, wanted = (display, unpadded(version, element)), folded(search)
    if not wanted.strip():
        return any(search in text for text in texts)  # nothing but marks, which are then what is meant
    return any(wanted in folded(text) for text in texts) or is_called(version, display, search)
