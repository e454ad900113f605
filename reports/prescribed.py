"""Rules of a use case that hold at once for what is shown already: its minimum, and the threshold it prescribes."""

from collections.abc import Collection, Sequence

import numpy as np
from django.db.models import F, Q, QuerySet

from aggregation.discovery import Cut, smallest_share
from aggregation.estimation import adjusted_level, intervals
from reports.export_orders import export_anew
from reports.kinds import puzzle_of
from reports.models import Discovery, Entry, Histogram, HistogramEntries, UseCase
from reports.publication import apply_minimum, lock_publications_of
from reports.results import CONFIDENCE, drop_histograms


def show_anew(use_case: UseCase, changed: Collection[str]) -> None:
    """Apply rules of a use case, of which some fields have just changed, to what is shown.

    To be called in the same transaction, with publications locked (those of versions that are newer than that are
    locked here).
    """
    if "prescribed_threshold" in changed:
        lock_publications_of([use_case])
        drop_histograms(use_case)
        _hide_words(use_case)
        UseCase.renew_generation(use_case.pk)
    if "minimum_reports" in changed:
        apply_minimum(use_case)
    if {"prescribed_threshold", "minimum_reports"} & set(changed):
        export_anew(use_case)


def _hide_words(use_case: UseCase) -> None:
    """Take words out of lists that are below the threshold that the use case now prescribes.

    What a list of now would make of the same reports is left: fewer entries, with intervals that are adjusted for so
    few, and higher bounds of all others. Lowered, it changes nothing here: the next list follows it.
    """
    prescribed = use_case.prescribed_threshold
    if prescribed is None:
        return
    lists = Histogram.objects.filter(version__use_case=use_case, revision=None)
    lower = lists.filter(Q(prescribed_threshold=None) | Q(prescribed_threshold__lt=prescribed))
    lower = Histogram.objects.filter(pk__in=list(lower.values_list("pk", flat=True)))
    if not lower.exists():
        return
    _hide_entries(lower, prescribed)
    # That a word stood out in a period by itself says that it reached its own threshold, which may be lower.
    HistogramEntries.objects.filter(histogram__in=lower).update(first_days=None, last_days=None)
    _raise_smallest_shares(lower.filter(threshold__lt=prescribed), prescribed)
    lower.filter(threshold__lt=prescribed).update(threshold=prescribed)
    lower.update(prescribed_threshold=prescribed)


def _hide_entries(histograms: QuerySet[Histogram], prescribed: int) -> None:
    for histogram in histograms.order_by().select_related("stored_entries"):
        shown = [entry for entry in histogram.entries if entry.estimate >= prescribed]
        hidden = histogram.entries.size - len(shown)
        if hidden:
            _hide(histogram, shown, hidden)


def _hide(histogram: Histogram, shown: Sequence[Entry], hidden: int) -> None:
    """The largest stay, so that their ranks do."""
    level = adjusted_level(CONFIDENCE, len(shown), len(shown) + hidden + histogram.below_threshold)
    estimate, error = (np.array([getattr(entry, name) for entry in shown]) for name in ("estimate", "standard_error"))
    lower, upper = (ends.tolist() for ends in intervals(estimate, error, level))
    entries = [
        entry._replace(adjusted_lower=ends[0], adjusted_upper=ends[1])
        for entry, *ends in zip(shown, lower, upper, strict=True)
    ]
    HistogramEntries.of(histogram, entries).save(force_update=True)
    Histogram.objects.filter(pk=histogram.pk).update(below_threshold=F("below_threshold") + hidden)


def _raise_smallest_shares(histograms: QuerySet[Histogram], prescribed: int) -> None:
    """Raise the smallest shares at which words are found: they depend on the threshold."""
    for discovery in Discovery.objects.filter(histogram__in=histograms).select_related("histogram__version"):
        histogram, reports = discovery.histogram, np.array(discovery.reports)
        mechanism = puzzle_of(histogram.version)
        cut = Cut(
            [], [], reports, np.array(discovery.cuts), np.array(discovery.f2), np.full(len(reports), discovery.capped)
        )
        discovery.smallest_share = smallest_share(mechanism, histogram.n, histogram.f2, prescribed, cut)
        discovery.save(update_fields=["smallest_share"])
