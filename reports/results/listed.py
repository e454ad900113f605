"""Published histograms as sides of a comparison: nothing is used of them but what everybody sees."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aggregation.estimation import Estimator, PublishedSide
from reports.kinds import puzzle_of
from reports.models import DictionaryRevision, Histogram, HistogramEntry, Version
from reports.publication import Days, Window
from reports.results.estimating import window_estimator
from reports.results.histograms import histograms_of_each


class Entry(NamedTuple):
    """Element of a histogram: its estimated count with its adjusted interval, and its texts."""

    estimate: float
    adjusted_lower: float
    adjusted_upper: float
    display: str
    category: str


@dataclass(frozen=True, eq=False)
class Listed:
    """Published histogram with the elements above its threshold, and the estimator that they are counted by."""

    histogram: Histogram
    estimator: Estimator
    entries: Mapping[str, Entry]
    # For a list of words: how many of its reports are about whole words.
    drawn: int | None = None
    # For a dictionary: the periods that it is the sum of.
    window: Window | None = None

    @property
    def version(self) -> Version:
        return self.histogram.version

    @property
    def size(self) -> int:
        """From how many elements those above the threshold were selected."""
        return len(self.entries) + self.histogram.below_threshold

    @property
    def days(self) -> Days:
        """The first and the last day of what is published."""
        return self.histogram.first_day, self.histogram.last_day

    def side(self, elements: Sequence[str], estimator: Estimator | None = None) -> PublishedSide:
        """Return what is published of these elements; `estimator` is its own, if it differs from that of both sides."""
        nothing = Entry(0.0, 0.0, 0.0, "", "")
        return PublishedSide(
            count=np.array([self.entries.get(element, nothing).estimate for element in elements], np.float64),
            above=np.array([element in self.entries for element in elements], bool),
            n=self.histogram.n,
            threshold=self.histogram.threshold or 0.0,
            f2=self.histogram.f2,
            size=self.size,
            drawn=self.drawn,
            estimator=estimator,
        )

    def is_counted_like(self, other: "Listed") -> bool:
        """Tell whether both are estimates by one mechanism, over the same hash functions."""
        return self.version == other.version and self.estimator.name == other.estimator.name


def listed_windows(windows: Sequence[tuple[Window, DictionaryRevision]]) -> list[Listed]:
    """Return the histograms of windows, each with the dictionary of its version: two queries, if all are kept."""
    histograms = histograms_of_each(windows)
    entries = _entries_of(histograms)
    return [
        Listed(
            histogram,
            window_estimator(window.version, window.revisions, revision),
            entries[histogram.pk],
            window=window,
        )
        for (window, revision), histogram in zip(windows, histograms, strict=True)
    ]


def listed_words(histograms: Sequence[tuple[Version, Histogram]]) -> list[Listed]:
    """Return lists of words, each with its version: one query."""
    entries = _entries_of(histogram for _version, histogram in histograms)
    found = []
    for version, histogram in histograms:
        histogram.version, mechanism = version, puzzle_of(version)
        drawn = mechanism.word_reports(histogram.n, histogram.discovery.reports)
        found.append(Listed(histogram, mechanism.words.debiased, entries[histogram.pk], drawn))
    return found


def _entries_of(histograms: Iterable[Histogram]) -> dict[int, dict[str, Entry]]:
    found: dict[int, dict[str, Entry]] = {histogram.pk: {} for histogram in histograms}
    entries = HistogramEntry.objects.filter(histogram__in=found).order_by()
    for pk, element, *entry in entries.values_list("histogram", "element", *Entry._fields):
        found[pk][element] = Entry._make(entry)
    return found
