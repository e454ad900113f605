"""Published histograms as sides of a comparison: nothing is used of them but what everybody sees."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from aggregation.estimation import Estimator, PublishedSide
from reports.kinds import puzzle_of
from reports.models import DictionaryRevision, Histogram, HistogramEntries, Version
from reports.publication import Days, Window
from reports.results.estimating import window_estimator
from reports.results.histograms import histograms_of


@dataclass(frozen=True, eq=False)
class Listed:
    """Published histogram with the elements above its threshold, and the estimator that they are counted by."""

    histogram: Histogram
    estimator: Estimator
    entries: HistogramEntries
    # For a list of words: how many of its reports are about whole words, if not all are.
    drawn: int | None = None
    # For a dictionary: the periods that it is the sum of.
    window: Window | None = None

    @property
    def version(self) -> Version:
        return self.histogram.version

    @property
    def size(self) -> int:
        """From how many elements those above the threshold were selected."""
        return self.entries.size + self.histogram.below_threshold

    @property
    def days(self) -> Days:
        """The first and the last day of what is published."""
        return self.histogram.first_day, self.histogram.last_day

    def side(self, elements: Sequence[str], estimator: Estimator | None = None) -> PublishedSide:
        """Return what is published of these elements; `estimator` is its own, if it differs from that of both sides."""
        places = np.array([self.entries.place_of.get(element, -1) for element in elements], np.int64)
        return PublishedSide(
            # Behind the estimates a zero for what is not among them.
            count=np.append(self.entries.column("estimate"), 0.0)[places],
            above=places >= 0,
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
    """Return the histograms of windows, each with the dictionary of its version: one query, if all are kept."""
    return listed_histograms(windows, histograms_of(windows))


def listed_histograms(
    windows: Sequence[tuple[Window, DictionaryRevision]], histograms: Sequence[Histogram]
) -> list[Listed]:
    """Return windows by their histograms, which are known."""
    return [
        Listed(
            histogram,
            window_estimator(window.version, window.revisions, revision),
            histogram.entries,
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
        of_all = drawn == histogram.n
        found.append(Listed(histogram, mechanism.words.debiased, entries[histogram.pk], None if of_all else drawn))
    return found


def _entries_of(histograms: Iterable[Histogram]) -> dict[int, HistogramEntries]:
    known = {histogram.pk: histogram for histogram in histograms}
    found = HistogramEntries.objects.in_bulk(known)
    # A histogram may just have been replaced, and then it has none.
    return {pk: found.get(pk) or HistogramEntries.of(histogram, []) for pk, histogram in known.items()}
