"""Comparing versions that discover words: two published lists, read out of the sketches that they name."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from django.db.models import Exists, OuterRef

from aggregation import estimation
from aggregation.discovery import read_words
from aggregation.estimation import compare
from aggregation.registry import DiscoveryMechanism
from reports.day_sketches import open_sketches
from reports.kinds import puzzle_of
from reports.models import Histogram, ReadOut, Version
from reports.models.histograms import HistogramQuerySet
from reports.results.availability import State
from reports.results.comparison.comparison_rows import Compared, ComparisonRow, Share, Verdict, as_rows
from reports.results.comparison.query import OTHER, ComparisonQuery
from reports.results.comparison.sides import LONGEST, Side, Sides, dated, days_before
from reports.results.names import unpadded
from reports.results.query import HistogramQuery, refuse_days_of_words
from reports.results.word_lists import discovered_histogram, state_without_words
from reports.words import rejected_words

# So many lists that end on the same day are looked at.
_LOOKED_AT = 50


class DiscoverySides(Sides):
    @staticmethod
    def check(query: ComparisonQuery) -> None:
        refuse_days_of_words(query.first)
        refuse_days_of_words(query.second, OTHER)

    def find(self, locale: str, query: HistogramQuery) -> Side:
        for version in self.alike:
            histogram = discovered_histogram(version, locale, query)
            if histogram is not None:
                return Side(locale, query, version, State.SHOWN, histogram)
        return self.nothing(locale, query, state_without_words(self.version, locale, query))

    def before(self, histogram: Histogram) -> Side:
        for version in self.alike:
            earlier = earlier_list(version, histogram)
            if earlier is not None:
                days = dated(earlier.first_day, earlier.last_day)
                return Side(histogram.locale, days, version, State.SHOWN, earlier)
        return self.find(histogram.locale, dated(*days_before(histogram)))

    def newest_of_one(self) -> tuple[Side, Side]:
        known = self.find(self.locales[0], HistogramQuery())
        return known, (known if known.histogram is None else self.before(known.histogram))

    def newest_of_both(self) -> HistogramQuery | None:
        first, second = (_lists(self.version, locale) for locale in self.locales)
        same = second.filter(first_day=OuterRef("first_day"), last_day=OuterRef("last_day"))
        found = first.filter(Exists(same)).newest_first()
        windows = list(found.values_list("first_day", "last_day")[:_LOOKED_AT])
        if not windows:
            return None
        last = windows[0][1]
        newest = [begin for begin, end in windows if end == last]
        recent = [begin for begin in newest if (last - begin).days < LONGEST]
        return dated(min(recent) if recent else max(newest), last)

    def compare(self, first: Side, second: Side, fdr: float) -> Compared | None:
        if first.histogram is None or second.histogram is None:
            return None
        return _compare(first.histogram, second.histogram, fdr)

    def allowed(self, rows: Collection[ComparisonRow]) -> list[ComparisonRow]:
        rejected = set().union(*(rejected_words(self.version.use_case, locale) for locale in set(self.locales)))
        return [row for row in rows if unpadded(self.version, row.element) not in rejected]


def earlier_list(version: Version, histogram: Histogram) -> Histogram | None:
    """Return the newest list that has no day in common, or else the newest before it."""
    found = _lists(version, histogram.locale).select_related("discovery").order_by("-last_day", "-first_day")
    apart = found.filter(last_day__lt=histogram.first_day)
    return apart.first() or found.filter(last_day__lt=histogram.last_day).first()


def _lists(version: Version, locale: str) -> HistogramQuerySet:
    return version.histograms.ungrouped().filter(locale=locale)


def _compare(first: Histogram, second: Histogram, fdr: float) -> Compared | None:
    """Count the words on either list on both sides: that they exist is known, and their cells are kept."""
    mechanisms = puzzle_of(first.version), puzzle_of(second.version)
    found = _sketches_of(first, second)
    if found is None:
        return None
    words = {element: display for each in (first, second) for element, display, _category in each.entries.texts}
    both = sorted(word for word in words if all(_is_reported(each, word) for each in (first, second)))
    # Words of the first list alone, of the second alone, and of both, which are then of one version.
    left, right, common = (
        _count(mechanism, read_outs, both)
        for mechanism, read_outs in zip((*mechanisms, mechanisms[0]), found, strict=True)
    )
    shared = common if common.n else None
    second_side = _side(right, common, second)
    if first.version != second.version:
        # Reports and hash functions of another version are others: the two errors are independent.
        second_side = replace(second_side, estimator=mechanisms[1].words.debiased)
    differences = compare(
        mechanisms[0].words.debiased,
        _side(left, common, first),
        second_side,
        alpha=first.alpha,
        fdr=fdr,
        shared=shared,
    )
    listed = np.flatnonzero(differences.listed).tolist()
    texts = ((place, both[place], words[both[place]], "") for place in listed)
    result = as_rows(differences, texts, overlapping=shared is not None)
    return result._replace(rows=(*result.rows, *_of_one_alphabet(first, second, set(words) - set(both))))


def _sketches_of(first: Histogram, second: Histogram) -> tuple[list[ReadOut], list[ReadOut], list[ReadOut]] | None:
    """Return those of the first list alone, of the second alone, and of both; None if some of them are not kept."""
    left, right = ({(each.locale, sealing) for sealing in each.discovery.sealings} for each in (first, second))
    rows = ReadOut.objects.filter(
        version__in={first.version_id, second.version_id},
        locale__in={first.locale, second.locale},
        sealing__in={sealing for _locale, sealing in left | right},
    ).order_by("day", "sealing_id")
    kept = {(row.locale, row.sealing_id): row for row in rows}
    if not left or not right or not left | right <= kept.keys():
        return None
    return (
        [row for key, row in kept.items() if key in left - right],
        [row for key, row in kept.items() if key in right - left],
        [row for key, row in kept.items() if key in left & right],
    )


def _is_reported(histogram: Histogram, word: str) -> bool:
    """Tell whether devices of the version and locale report the word when it is typed."""
    version = histogram.version
    if version.element(unpadded(version, word), histogram.locale) == word:
        return True
    return word in histogram.entries.place_of


def _count(mechanism: DiscoveryMechanism, read_outs: Collection[ReadOut], words: Sequence[str]) -> estimation.Side:
    # All days at once, so that each word is hashed once. They stay in their files but for the rows that are looked at.
    kept = [open_sketches(mechanism, read_out.file_name) for read_out in read_outs]
    n, drawn = sum(read_out.n for read_out in read_outs), 0
    for read_out, each in zip(read_outs, kept, strict=True):
        drawn += mechanism.word_reports(read_out.n, each.reports.tolist())
    counts = read_words(mechanism, [each.sketches for each in kept], words).sum(axis=0)
    return estimation.Side(counts, n, drawn=drawn)


def _side(own: estimation.Side, common: estimation.Side, histogram: Histogram) -> estimation.Side:
    """Return a side with what its list of words was thresholded by."""
    return estimation.Side(
        own.read_out + common.read_out,
        own.n + common.n,
        f2=histogram.f2,
        size=histogram.entries.size + histogram.below_threshold,
        prescribed_threshold=histogram.prescribed_threshold,
        drawn=(own.drawn or 0) + (common.drawn or 0),
    )


def _of_one_alphabet(first: Histogram, second: Histogram, words: Collection[str]) -> list[ComparisonRow]:
    """Return words of which devices of one locale report nothing: with what was published of the other."""
    rows = []
    for histogram in (first, second):
        for entry in (entry for entry in histogram.entries if entry.element in words):
            bounds = (entry.estimate, entry.adjusted_lower, entry.adjusted_upper)
            share = Share(*(bound / histogram.n for bound in bounds))
            shares = (share, Share()) if histogram is first else (Share(), share)
            texts = (entry.element, entry.display, "")
            rows.append(ComparisonRow(*texts, *shares, None, None, None, Verdict.NOT_COMPARABLE))
    return rows
