"""The difference of two published lists of words, read out of the sketches that they name."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from aggregation.discovery import Sketches, read_words
from aggregation.estimation import Side, compare
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import Histogram, HistogramEntry, ReadOut, Version
from reports.results.comparison.counts import Counts, as_rows, as_sides, read_outs_of, reports_in
from reports.results.comparison.rows import FALSE_DISCOVERY_RATE, Compared, Row, Share, Verdict
from reports.results.names import unpadded
from reports.storage import open_array


def compare_words(
    version: Version,
    mechanism: SequenceFragmentPuzzle,
    first: Histogram,
    second: Histogram,
    fdr: float = FALSE_DISCOVERY_RATE,
) -> Compared | None:
    """Those on either list, counted on both sides: that they exist is known, and their cells are kept."""
    found = read_outs_of(version, None, first, second)
    if found is None:
        return None
    entries = HistogramEntry.objects.filter(histogram__in=(first, second)).order_by("element")
    words = dict(entries.values_list("element", "display"))
    both = sorted(word for word in words if all(_is_reported(version, each, word) for each in (first, second)))
    parts = [(_count(mechanism, read_outs, both), reports_in(read_outs)) for read_outs in found]
    (left, right), shared = as_sides(parts)
    left, right = _of_words(left, version, mechanism, first), _of_words(right, version, mechanism, second)
    differences = compare(version.mechanism.debiased, left, right, alpha=first.alpha, fdr=fdr, shared=shared)
    listed = np.flatnonzero(differences.listed).tolist()
    result = as_rows(
        differences, ((place, both[place], words[both[place]], "") for place in listed), overlapping=shared is not None
    )
    return result._replace(rows=(*result.rows, *_of_one_alphabet(first, second, set(words) - set(both))))


def _is_reported(version: Version, histogram: Histogram, word: str) -> bool:
    """Whether devices of the locale report the word, if somebody types it."""
    if version.element(unpadded(version, word), histogram.locale) == word:
        return True
    return histogram.entries.filter(element=word).exists()


def _count(mechanism: SequenceFragmentPuzzle, read_outs: Collection[ReadOut], words: Sequence[str]) -> Counts:
    # All days at once, so that each word is hashed once. They stay in their files but for the rows that are looked at.
    days = [Sketches.from_flat(mechanism, open_array(each.file_name)["cells"][0]) for each in read_outs]
    total: Counts = read_words(mechanism, days, words).sum(axis=0)
    return total


def _of_words(side: Side, version: Version, mechanism: SequenceFragmentPuzzle, histogram: Histogram) -> Side:
    """With what the list of words was thresholded by."""
    entries = histogram.entries.order_by("rank")
    f2 = histogram.f2
    if f2 is None and (entry := entries.last()) is not None:
        f2 = _f2_behind(mechanism, histogram.n, entry)
    size = entries.count() + histogram.below_threshold
    return replace(side, f2=f2, size=size, prescribed_threshold=histogram.prescribed_threshold)


def _f2_behind(mechanism: SequenceFragmentPuzzle, n: int, entry: HistogramEntry) -> float:
    """F2 of a list that was published before it was kept: from the square of a count on, variances are lines in it."""
    estimate = np.array([entry.estimate])
    low, high = max(float(n), entry.estimate**2), float(n) ** 2
    if high <= low:
        return high
    ends = [float(mechanism.words.debiased.variance(estimate, n, f2)[0]) for f2 in (low, high)]
    found = low + (entry.standard_error**2 - ends[0]) * (high - low) / (ends[1] - ends[0])
    return min(max(found, low), high)


def _of_one_alphabet(first: Histogram, second: Histogram, words: Collection[str]) -> list[Row]:
    """Words of which devices of one of the locales report nothing: with what was published of the other."""
    rows = []
    for histogram in (first, second):
        for entry in histogram.entries.filter(element__in=words).order_by("rank"):
            bounds = (entry.estimate, entry.adjusted_lower, entry.adjusted_upper)
            share = Share(*(bound / histogram.n for bound in bounds))
            shares = (share, Share()) if histogram is first else (Share(), share)
            texts = (entry.element, entry.display, "")
            rows.append(Row(*texts, *shares, None, None, None, Verdict.NOT_COMPARABLE))
    return rows
