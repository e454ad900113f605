"""Publishing windows: the sum of their days' read-outs, if nobody can learn about a handful of reports from it."""

import datetime
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from aggregation.estimation import GroupSummary, Summary, summarize, summarize_groups
from reports.locks import Lock, lock_until_commit, try_lock_until_commit
from reports.models import DictionaryRevision, Histogram, HistogramEntry, UseCase, Version
from reports.results.completing import complete, consistent_estimates, consistent_groups
from reports.results.groupings import Group, Grouping, groupings, load_groups
from reports.results.known import Known, Window, sum_of

_ONLY_SHOWN: ContextVar[bool] = ContextVar("only_shown", default=False)


@contextmanager
def nothing_new() -> Iterator[None]:
    """Meanwhile nothing is published, whatever is asked for: what is published once rules out other windows for good.

    For those whom nobody knows: the only place that all publications pass is here.
    """
    before = _ONLY_SHOWN.set(True)
    try:
        yield
    finally:
        _ONLY_SHOWN.reset(before)


def may_publish() -> bool:
    """Whether what is asked for may be published now, as far as it depends on who asks."""
    return not _ONLY_SHOWN.get()


def lock_publications(version: Version) -> None:
    """Until the transaction ends nobody else publishes for this version: what may be shown depends on what was."""
    lock_until_commit(Lock.PUBLICATIONS, [version.pk])


@transaction.atomic
def publish_window(
    version: Version, locale: str, first: datetime.date, last: datetime.date, *, wait: bool = True
) -> Histogram | None:
    """The histogram of a window, made or replaced if need be; None if the window may not be shown.

    It may not when it has fewer reports than the use case's minimum, or when, subtracted from histograms that were
    published before, it would single out fewer than that, or as long as some of its sealed reports are not read out.
    An earlier publication of the same window then stays as it is; so it does, without `wait`, while somebody else
    publishes. Of a version that finds words there is none: runs alone publish those.
    """
    if not may_publish() or (not wait and not try_lock_until_commit(Lock.PUBLICATIONS, version.pk)):
        window = version.histograms.filter(locale=locale, first_day=first, last_day=last)
        return window.filter(grouping="", replaced=False).first()
    return publish_windows(version, [(locale, first, last)])[0]


@transaction.atomic
def publish_windows(version: Version, windows: Iterable[Window]) -> list[Histogram | None]:
    """The same for many windows, one after the other; those that have not changed cost no query."""
    if not may_publish():
        raise RuntimeError("Nothing may be published here.")
    lock_publications(version)
    wanted = list(windows)
    revision = version.current_dictionary()
    if revision is None:
        return [None] * len(wanted)
    revision.version = version
    known = Known(version, revision, wanted)
    before = dict(known.current)
    published = [_publish(known, revision, window) for window in wanted]
    if known.current != before:
        UseCase.renew_generation(version.use_case_id)
    return published


def _publish(known: Known, revision: DictionaryRevision, window: Window) -> Histogram | None:
    version = known.version
    current = known.current.get(window)
    read_outs = known.within(window)
    sealings = [read_out.sealing_id for read_out in read_outs]
    n = sum(read_out.n for read_out in read_outs)
    alpha, prescribed = version.use_case.false_positive_rate, known.prescribed_threshold
    if current is not None and _made_of(current) == (sealings, revision.pk, alpha, prescribed):
        if current.f2 is None:
            current.version = version
            complete(current, revision, sum_of(read_outs, revision.size))
        return current
    minimum = version.use_case.minimum_reports
    if n < minimum or not known.is_all_read(window) or known.singles_out(window, minimum):
        return current
    locale, first, last = window
    if current is not None:
        replace(current)
    counts = sum_of(read_outs, revision.size)
    summary = summarize(version.mechanism.debiased, counts, n, alpha, prescribed_threshold=prescribed)
    consistent = consistent_estimates(version, summary)
    histogram = Histogram.objects.create(
        version=version,
        revision=revision,
        locale=locale,
        first_day=first,
        last_day=last,
        sealings=sealings,
        n=n,
        alpha=alpha,
        threshold=summary.threshold,
        prescribed_threshold=prescribed,
        below_threshold=revision.size - int(summary.above.sum()),
        f2=summary.f2,
        generated_at=timezone.now(),
    )
    _create_entries(histogram, revision, summary, consistent)
    for grouping in groupings(revision):
        _create_grouped(histogram, revision, grouping, counts, summary.f2, consistent)
    known.add(histogram)
    return histogram


def _made_of(histogram: Histogram) -> tuple[list[int], int | None, float, int | None]:
    return histogram.sealings, histogram.revision_id, histogram.alpha, histogram.prescribed_threshold


def replace(histogram: Histogram) -> None:
    """Take a histogram's entries, and those of its groups, out of sight. That it was shown is remembered."""
    window = _published_with(histogram)
    HistogramEntry.objects.filter(histogram__in=window).delete()
    window.update(replaced=True)


def _published_with(histogram: Histogram) -> QuerySet[Histogram]:
    """What is published of the same window: elements and groups."""
    return Histogram.objects.filter(
        version=histogram.version_id,
        locale=histogram.locale,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
        replaced=False,
    )


@transaction.atomic
def publish_grouping(histogram: Histogram, grouping: Grouping) -> Histogram | None:
    """The groups of a published histogram of elements, made now if its publication made none.

    They tell nothing of other reports than the elements do, so that there is nothing to decide. None while somebody
    else publishes, for whom a page does not wait, and if the histogram was replaced since it was looked up. Words that
    were found have no dictionary to group them by.
    """
    revision = histogram.revision
    if revision is None:
        return None
    window = _published_with(histogram)
    grouped = window.filter(grouping=grouping.name).select_related("revision")
    found = grouped.first()
    if found is not None or not may_publish() or not try_lock_until_commit(Lock.PUBLICATIONS, histogram.version_id):
        return found
    # Looked at again: whoever had the lock before may have made the groups, or replaced the histogram.
    found = grouped.first()
    current = window.filter(pk=histogram.pk).select_related("version__use_case").first()
    if found is not None or current is None:
        return found
    read_outs = revision.read_outs.filter(locale=current.locale, sealing__in=current.sealings)
    counts = sum_of(read_outs, revision.size)
    summary = summarize(current.version.mechanism.debiased, counts, current.n, current.alpha)
    consistent = consistent_estimates(current.version, summary)
    return _create_grouped(current, revision, grouping, counts, summary.f2, consistent)


def _create_grouped(
    histogram: Histogram,
    revision: DictionaryRevision,
    grouping: Grouping,
    counts: NDArray[np.int64],
    f2: float,
    consistent: NDArray[np.float64] | None,
) -> Histogram:
    """The same reports, sealings and dictionary, with groups for elements."""
    version = histogram.version
    found = load_groups(grouping, revision)
    prescribed = histogram.prescribed_threshold
    summary = summarize_groups(
        version.mechanism.debiased,
        counts,
        histogram.n,
        found.index,
        len(found.groups),
        histogram.alpha,
        f2=f2,
        prescribed_threshold=prescribed,
    )
    grouped = Histogram.objects.create(
        version=version,
        revision=revision,
        locale=histogram.locale,
        grouping=grouping.name,
        first_day=histogram.first_day,
        last_day=histogram.last_day,
        sealings=histogram.sealings,
        n=histogram.n,
        alpha=histogram.alpha,
        threshold=None,
        prescribed_threshold=prescribed,
        below_threshold=len(found.groups) - int(summary.above.sum()),
        f2=f2,
        generated_at=histogram.generated_at,
    )
    sums = None if consistent is None else consistent_groups(consistent, found)
    HistogramEntry.objects.bulk_create(
        entry_of(grouped, rank, number, found.groups[number], summary, sums) for rank, number in ranked(summary)
    )
    return grouped


def _create_entries(
    histogram: Histogram, revision: DictionaryRevision, summary: Summary, consistent: NDArray[np.float64] | None
) -> None:
    shown = ranked(summary)
    found = revision.entries.filter(position__in=[position for _rank, position in shown])
    texts = {
        position: Group(*texts) for position, *texts in found.values_list("position", "element", "display", "category")
    }
    HistogramEntry.objects.bulk_create(
        entry_of(histogram, rank, position, texts[position], summary, consistent) for rank, position in shown
    )


def ranked(summary: Summary | GroupSummary) -> list[tuple[int, int]]:
    """Rank and index of what is above the threshold."""
    shown: NDArray[np.int64] = np.flatnonzero(summary.above)
    # Equal estimates in the order of the dictionary, so that the ranking is a function of the data.
    shown = shown[np.argsort(-summary.estimate[shown], kind="stable")]
    return list(enumerate(shown.tolist(), 1))


def entry_of(
    histogram: Histogram,
    rank: int,
    index: int,
    texts: Group,
    summary: Summary | GroupSummary,
    consistent: NDArray[np.float64] | None = None,
) -> HistogramEntry:
    entry = HistogramEntry(
        histogram=histogram,
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
        entry.members = int(summary.members[index])
        entry.threshold = float(summary.threshold[index])
    return entry
