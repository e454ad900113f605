"""The difference of two published lists of words, read out of the sketches that they name."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from aggregation.discovery import Sketches, read_words
from aggregation.estimation import Side, compare
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.models import Histogram, HistogramEntry, ReadOut, Version
from reports.results.comparison.comparison_rows import FALSE_DISCOVERY_RATE, Compared, ComparisonRow, Share, Verdict
from reports.results.comparison.counts import Counts, as_rows, as_sides
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
    found = _sketches_of(version, first, second)
    if found is None:
        return None
    entries = HistogramEntry.objects.filter(histogram__in=(first, second)).order_by("element")
    words = dict(entries.values_list("element", "display"))
    both = sorted(word for word in words if all(_is_reported(version, each, word) for each in (first, second)))
    parts = [(_count(mechanism, read_outs, both), sum(read_out.n for read_out in read_outs)) for read_outs in found]
    (left, right), shared = as_sides(parts)
    left, right = _of_words(left, first), _of_words(right, second)
    differences = compare(version.mechanism.debiased, left, right, alpha=first.alpha, fdr=fdr, shared=shared)
    listed = np.flatnonzero(differences.listed).tolist()
    result = as_rows(
        differences, ((place, both[place], words[both[place]], "") for place in listed), overlapping=shared is not None
    )
    return result._replace(rows=(*result.rows, *_of_one_alphabet(first, second, set(words) - set(both))))


def _sketches_of(
    version: Version, first: Histogram, second: Histogram
) -> tuple[list[ReadOut], list[ReadOut], list[ReadOut]] | None:
    """Those of the first list alone, of the second alone, and of both; None if some of them are not kept."""
    left, right = ({(each.locale, sealing) for sealing in each.discovery.sealings} for each in (first, second))
    rows = version.read_outs.filter(
        locale__in={first.locale, second.locale}, sealing__in={sealing for _locale, sealing in left | right}
    ).order_by("day", "sealing_id")
    kept = {(row.locale, row.sealing_id): row for row in rows}
    if not left or not right or not left | right <= kept.keys():
        return None
    return (
        [row for key, row in kept.items() if key in left - right],
        [row for key, row in kept.items() if key in right - left],
        [row for key, row in kept.items() if key in left & right],
    )


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


def _of_words(side: Side, histogram: Histogram) -> Side:
    """With what the list of words was thresholded by."""
    size = histogram.entries.count() + histogram.below_threshold
    return replace(side, f2=histogram.f2, size=size, prescribed_threshold=histogram.prescribed_threshold)


def _of_one_alphabet(first: Histogram, second: Histogram, words: Collection[str]) -> list[ComparisonRow]:
    """Words of which devices of one of the locales report nothing: with what was published of the other."""
    rows = []
    for histogram in (first, second):
        for entry in histogram.entries.filter(element__in=words).order_by("rank"):
            bounds = (entry.estimate, entry.adjusted_lower, entry.adjusted_upper)
            share = Share(*(bound / histogram.n for bound in bounds))
            shares = (share, Share()) if histogram is first else (Share(), share)
            texts = (entry.element, entry.display, "")
            rows.append(ComparisonRow(*texts, *shares, None, None, None, Verdict.NOT_COMPARABLE))
    return rows
