"""The rows of a histogram that a query asks for. Only those are read: there may be thousands beside them."""

from dataclasses import dataclass

from django.db.models import F

from reports.models import Histogram, HistogramEntry, Version
from reports.results.histogram_document import threshold_of
from reports.results.names import colourful, element_name, folded, is_called, unpadded
from reports.results.query import HistogramQuery
from reports.results.word_lists import Word, Words

# Words without a day come last, either way round.
_ORDERS = {
    "first-seen": (F("first_day").asc(nulls_last=True), "rank"),
    "-first-seen": (F("first_day").desc(nulls_last=True), "rank"),
}


@dataclass(frozen=True)
class HistogramRow:
    """A line of the table and a bar of the chart."""

    entry: HistogramEntry
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
    found = _ranks(version, histogram, query, words)
    matching = len(found) if query.is_narrow else None
    ranks = found[: query.top]
    # With the neighbours of each.
    wanted = {rank + step for rank in ranks for step in (-1, 0, 1)}
    entries = {entry.rank: entry for entry in histogram.entries.filter(rank__in=wanted)}
    rows = [_row(version, histogram, entries, rank, words, query.values) for rank in ranks]
    if query.sort in ("name", "-name"):
        rows.sort(key=lambda row: ((row.name or row.display).casefold(), row.entry.rank))
    return tuple(rows[::-1] if query.sort in ("-rank", "-name") else rows), matching


def _ranks(version: Version, histogram: Histogram, query: HistogramQuery, words: Words | None) -> list[int]:
    """The ranks of all that matches; if everything does, only the top N are read."""
    found = histogram.entries.order_by(*_ORDERS.get(query.sort, ("rank",)))
    if words is not None:
        found = words.asked_for(query, found)
    if query.category:
        found = found.filter(category=query.category)
    if not query.search:
        return list(found.values_list("rank", flat=True)[: None if query.is_narrow else query.top])
    texts = found.values_list("rank", "element", "display")
    return [rank for rank, element, display in texts if matches(version, element, display, query.search)]


def _row(
    version: Version,
    histogram: Histogram,
    entries: dict[int, HistogramEntry],
    rank: int,
    words: Words | None,
    values: str,
) -> HistogramRow:
    entry, before, after = entries[rank], entries.get(rank - 1), entries.get(rank + 1)
    tied = before is not None and entry.adjusted_upper > before.adjusted_lower
    tied = tied or (after is not None and after.adjusted_upper > entry.adjusted_lower)
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
