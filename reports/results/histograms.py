"""Histograms of counted dictionaries: a cache of what a window's periods say, made when missing and dropped at will."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from numpy.typing import NDArray

from aggregation.estimation import Estimator, GroupSummary, Summary, consistent_counts, summarize, summarize_groups
from reports.models import DictionaryRevision, Entry, Histogram, HistogramEntries, UseCase
from reports.publication import Window, WindowCounts, made_of_periods
from reports.results.estimating import estimated_counts, window_estimator
from reports.results.groupings import Group, Grouping, load_groups
from reports.statements import array_text


def histograms_of(
    windows: Sequence[tuple[Window, DictionaryRevision]], grouping: Grouping | None = None
) -> list[Histogram]:
    """The histograms of windows by the rules of now, in elements or in groups; made unless they are kept.

    One query for those that are kept, each with its entries and the dictionary of its version.
    """
    for window, revision in windows:
        revision.version = window.version
    wanted = made_of_each(windows)
    known = dict(zip(wanted, (window for window, _revision in windows), strict=True))
    there = {each.made_of: each for each in kept(known, grouping).select_related("stored_entries")}
    found = []
    for key, (window, revision) in zip(wanted, windows, strict=True):
        histogram = there.get(key) or make_histograms(window, revision, [grouping])[0]
        histogram.version, histogram.revision = window.version, revision
        found.append(histogram)
    return found


def kept(wanted: Mapping[str, Window], grouping: Grouping | None = None) -> QuerySet[Histogram]:
    """Histograms that are there already and not stale, of windows by what their histograms are made of."""
    if not wanted:
        return Histogram.objects.none()
    windows = wanted.values()
    # Last days of the windows are among these: to ask each of thousands takes longer.
    last_days = [period.last_day for window in windows for period in window.periods]
    return Histogram.objects.filter(
        version__in={window.version.id for window in windows},
        locale__in={window.locale for window in windows},
        grouping="" if grouping is None else grouping.name,
        last_day__range=(min(last_days), max(last_days)),
        # As one text: of thousands, each by itself takes long to write.
        made_of__in=RawSQL("SELECT unnest(%s::text[])", [array_text(wanted)]),
    ).order_by()


def made_of(window: Window, revision: DictionaryRevision) -> str:
    """A digest of everything that a window's histogram depends on."""
    return made_of_each([(window, revision)])[0]


def made_of_each(windows: Iterable[tuple[Window, DictionaryRevision]]) -> list[str]:
    """The digests of many windows: nearly all are counted by the same dictionaries, and so by the same rules."""
    rules: dict[tuple[int, frozenset[int]], str] = {}
    found = []
    for window, revision in windows:
        key = revision.id  # of thousands, `pk` takes ten times as long
        counted_by = key, window.revisions
        if counted_by not in rules:
            use_case, estimator = window.version.use_case, window_estimator(window.version, window.revisions, revision)
            own = (use_case.false_positive_rate, use_case.prescribed_threshold, use_case.dictionary_complete)
            rules[counted_by] = "".join(f" {each!r}," for each in (key, *own, estimator.name)).removesuffix(",")
        found.append(made_of_periods(window.periods, rules[counted_by]))
    return found


def make_histograms(
    window: Window, revision: DictionaryRevision, groupings: Iterable[Grouping | None]
) -> list[Histogram]:
    """Make and keep the histograms of a window, of elements (None) or groups, in place of others of the same days."""
    making = _Making.of(window, revision)
    return [_keep(*(making.elements() if grouping is None else making.groups(grouping))) for grouping in groupings]


@transaction.atomic
def _keep(histogram: Histogram, entries: Iterable[Entry]) -> Histogram:
    same = Histogram.objects.filter(
        version=histogram.version,
        locale=histogram.locale,
        grouping=histogram.grouping,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
    )
    same.exclude(made_of=histogram.made_of).delete()
    try:
        with transaction.atomic():
            histogram.save(force_insert=True)
    except IntegrityError:  # made by another just now
        return same.get()
    HistogramEntries.of(histogram, entries).save(force_insert=True)
    return histogram


@dataclass(frozen=True, eq=False)
class _Making:
    """Data shared by all histograms of a window, whatever their grouping."""

    window: Window
    revision: DictionaryRevision
    estimator: Estimator
    counted: WindowCounts
    summary: Summary
    # The estimates made consistent, where the dictionary holds everything and all of it is counted.
    consistent: NDArray[np.float64] | None

    @classmethod
    def of(cls, window: Window, revision: DictionaryRevision) -> "_Making":
        use_case = window.version.use_case
        estimator, (counted,) = estimated_counts([window], revision)
        summary = summarize(
            estimator,
            counted.counts,
            window.n,
            use_case.false_positive_rate,
            prescribed_threshold=use_case.prescribed_threshold,
        )
        whole = use_case.dictionary_complete and len(counted.positions) == revision.size
        consistent = consistent_counts(summary.estimate, window.n) if whole else None
        return cls(window, revision, estimator, counted, summary, consistent)

    def _histogram(self, grouping: str, threshold: float | None, below: int) -> Histogram:
        window, use_case = self.window, self.window.version.use_case
        return Histogram(
            version=window.version,
            revision=self.revision,
            locale=window.locale,
            grouping=grouping,
            first_day=window.first_day,
            last_day=window.last_day,
            made_of=made_of(window, self.revision),
            n=window.n,
            alpha=use_case.false_positive_rate,
            threshold=threshold,
            prescribed_threshold=use_case.prescribed_threshold,
            below_threshold=below,
            f2=self.summary.f2,
            other_estimate=self._other(),
            generated_at=window.closed_at,
        )

    def _other(self) -> float | None:
        """Estimate the reports about what is not in the dictionary: those that all of it leaves."""
        counted = self.window.version.mechanism.counts_other and len(self.counted.positions) == self.revision.size
        return float(self.window.n - self.summary.estimate.sum()) if counted else None

    def elements(self) -> tuple[Histogram, list[Entry]]:
        summary, positions = self.summary, self.counted.positions
        shown = ranked(summary)
        histogram = self._histogram("", summary.threshold, len(positions) - len(shown))
        entries = self.revision.entries.filter(position__in=[int(positions[index]) for _rank, index in shown])
        texts = {
            position: Group(*texts)
            for position, *texts in entries.values_list("position", "element", "display", "category")
        }
        return histogram, [
            entry_of(rank, index, texts[int(positions[index])], summary, self.consistent) for rank, index in shown
        ]

    def groups(self, grouping: Grouping) -> tuple[Histogram, list[Entry]]:
        """Groups of what is counted in all of the window: as if the dictionary had no other elements."""
        found = load_groups(grouping, self.revision)
        index = found.index[self.counted.positions]
        there = np.unique(index[index >= 0])
        index = np.where(index >= 0, np.searchsorted(there, index), -1)
        summary = summarize_groups(
            self.estimator,
            self.counted.counts,
            self.window.n,
            index,
            len(there),
            self.window.version.use_case.false_positive_rate,
            f2=self.summary.f2,
            prescribed_threshold=self.window.version.use_case.prescribed_threshold,
        )
        sums = None
        if self.consistent is not None:
            # They need not sum to n: some elements may be in no group.
            sums = np.zeros(len(there))
            np.add.at(sums, index[index >= 0], self.consistent[index >= 0])
        shown = ranked(summary)
        histogram = self._histogram(grouping.name, None, len(there) - len(shown))
        return histogram, [entry_of(rank, number, found.groups[there[number]], summary, sums) for rank, number in shown]


def ranked(summary: Summary | GroupSummary) -> list[tuple[int, int]]:
    """Rank and index of what is above the threshold."""
    shown: NDArray[np.int64] = np.flatnonzero(summary.above)
    # Equal estimates in the order of the dictionary, so that the ranking is a function of the data.
    shown = shown[np.argsort(-summary.estimate[shown], kind="stable")]
    return list(enumerate(shown.tolist(), 1))


def entry_of(
    rank: int,
    index: int,
    texts: Group,
    summary: Summary | GroupSummary,
    consistent: NDArray[np.float64] | None = None,
) -> Entry:
    entry = Entry(
        rank=rank,
        element=texts.element,
        display=texts.display,
        category=texts.category,
        estimate=float(summary.estimate[index]),
        standard_error=float(summary.standard_error[index]),
        consistent=None if consistent is None else float(consistent[index]),
        lower=float(summary.lower[index]),
        upper=float(summary.upper[index]),
        adjusted_lower=float(summary.adjusted_lower[index]),
        adjusted_upper=float(summary.adjusted_upper[index]),
    )
    if isinstance(summary, GroupSummary):
        entry = entry._replace(members=int(summary.members[index]), threshold=float(summary.threshold[index]))
    return entry


def drop_histograms(use_case: UseCase) -> None:
    """Drop what is kept of the counted versions of a use case, because its rules have changed."""
    Histogram.objects.filter(version__use_case=use_case, revision__isnull=False).delete()
