"""The threshold that owners prescribe holds for what is published already, from the moment it is raised."""

from collections.abc import Iterable

import numpy as np
from django.db.models import Count, F, Q, QuerySet

from aggregation.discovery import Cut, smallest_share
from aggregation.estimation import adjusted_level, intervals
from reports.locks import Lock, lock_until_commit
from reports.models import Discovery, Histogram, HistogramEntry, UseCase, Version
from reports.results.provenance import CONFIDENCE


def lock_publications_of(use_cases: Iterable[UseCase]) -> None:
    """Wait for publications of these use cases, and let none begin until the transaction ends.

    To be called before rows of use cases are locked, which whoever publishes does last.
    """
    versions = Version.objects.filter(use_case__in=use_cases)
    lock_until_commit(Lock.PUBLICATIONS, versions.values_list("pk", flat=True))


def hide_below_prescribed(use_case: UseCase) -> None:
    """Take out of sight what is published below the threshold that the use case now prescribes.

    To be called in the transaction that raised it, with publications locked (those of versions that are newer than that
    are locked here). What a publication from now on would make
    of the same reports is left: fewer entries, with intervals that are adjusted for so few, and higher bounds of all
    others. Lowered, it changes nothing here: windows are replaced when they are next published.
    """
    prescribed = use_case.prescribed_threshold
    if prescribed is None:
        return
    lock_publications_of([use_case])
    published = Histogram.objects.filter(version__use_case=use_case, replaced=False)
    lower = published.filter(Q(prescribed_threshold=None) | Q(prescribed_threshold__lt=prescribed))
    lower = Histogram.objects.filter(pk__in=list(lower.values_list("pk", flat=True)))
    if not lower.exists():
        return
    _hide_entries(lower, prescribed)
    entries = HistogramEntry.objects.filter(histogram__in=lower)
    # That a word stood out on a day by itself says that it reached that day's own threshold, which may be lower.
    entries.exclude(first_day=None).update(first_day=None, last_day=None)
    # Groups have thresholds of their own.
    entries.filter(threshold__lt=prescribed).update(threshold=prescribed)
    _raise_smallest_shares(lower.filter(threshold__lt=prescribed), prescribed)
    lower.filter(threshold__lt=prescribed).update(threshold=prescribed)
    lower.update(prescribed_threshold=prescribed)
    UseCase.renew_generation(use_case.pk)


def _hide_entries(histograms: QuerySet[Histogram], prescribed: int) -> None:
    below = Count("entries", filter=Q(entries__estimate__lt=prescribed))
    found = histograms.order_by().annotate(listed=Count("entries"), hidden=below).filter(hidden__gt=0)
    for histogram in found:
        _hide(histogram, histogram.listed, histogram.hidden, prescribed)


def _hide(histogram: Histogram, listed: int, hidden: int, prescribed: int) -> None:
    """The largest stay, so that their ranks do."""
    level = adjusted_level(CONFIDENCE, listed - hidden, listed + histogram.below_threshold)
    (below,), (above,) = intervals(np.zeros(1), np.ones(1), level)
    histogram.entries.filter(estimate__lt=prescribed).delete()
    histogram.entries.update(
        adjusted_lower=F("estimate") + below * F("standard_error"),
        adjusted_upper=F("estimate") + above * F("standard_error"),
    )
    Histogram.objects.filter(pk=histogram.pk).update(below_threshold=F("below_threshold") + hidden)


def _raise_smallest_shares(histograms: QuerySet[Histogram], prescribed: int) -> None:
    """How rare a word may be and still be found depends on the threshold."""
    for discovery in Discovery.objects.filter(histogram__in=histograms).select_related("histogram__version"):
        histogram, reports = discovery.histogram, np.array(discovery.reports)
        mechanism = histogram.version.discovery
        if mechanism is None or histogram.f2 is None:
            continue
        # Where it was not kept, the most that it can be: then all reports of a position were of one fragment.
        f2 = np.array(discovery.f2 or reports.astype(np.float64) ** 2)
        cut = Cut([], [], reports, np.array(discovery.cuts), f2, np.full(len(reports), discovery.capped))
        discovery.smallest_share = smallest_share(mechanism, histogram.n, histogram.f2, prescribed, cut)
        discovery.save(update_fields=["smallest_share"])
