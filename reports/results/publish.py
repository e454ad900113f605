"""Publishing a window: the sum of its days' read-outs, if nobody can learn about a handful of reports from it."""

import datetime

import numpy as np
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from numpy.typing import NDArray

from aggregation.accuracy import Summary, summarize
from reports.locks import Lock, lock_until_commit, try_lock_until_commit
from reports.models import DictionaryRevision, Histogram, HistogramEntry, ReadOut, Version
from reports.results.subtraction import singles_out
from reports.storage import open_array
from reports.windows import in_window


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
    publishes.
    """
    if not wait and not try_lock_until_commit(Lock.PUBLICATIONS, version.pk):
        return _current(version, locale, first, last)
    lock_publications(version)
    current = _current(version, locale, first, last)
    revision = version.current_dictionary()
    if revision is None:
        return current
    window = in_window(first, last) & Q(locale=locale)
    read_outs = list(revision.read_outs.filter(window).order_by("day", "sealing_id"))
    sealings = [read_out.sealing_id for read_out in read_outs]
    n = sum(read_out.n for read_out in read_outs)
    alpha = version.use_case.false_positive_rate
    if current is not None and (current.sealings, current.revision_id, current.alpha) == (sealings, revision.pk, alpha):
        return current
    minimum = version.use_case.minimum_reports
    if n < minimum or not _all_read(version, window, sealings) or _singles_out(version, locale, sealings, minimum):
        return current
    counts = np.zeros(revision.size, dtype=np.int64)
    for read_out in read_outs:
        counts += open_array(read_out.file_name)
    if current is not None:
        current.entries.all().delete()
        current.replaced = True
        current.save(update_fields=["replaced"])
    summary = summarize(version.mechanism, counts, n, alpha)
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
        below_threshold=revision.size - int(summary.above.sum()),
        generated_at=timezone.now(),
    )
    _create_entries(histogram, revision, summary)
    return histogram


def _current(version: Version, locale: str, first: datetime.date, last: datetime.date) -> Histogram | None:
    return version.histograms.filter(locale=locale, first_day=first, last_day=last, replaced=False).first()


def _all_read(version: Version, window: Q, sealings: list[int]) -> bool:
    """Whether these are all that was ever sealed in the window: a part of it must not pass for the whole."""
    sealed = version.shards.filter(window, batch=None).values_list("sealing_id", flat=True)
    # Of any dictionary: the shards of an old day may be gone.
    read = version.read_outs.filter(window).values_list("sealing_id", flat=True)
    return {*sealed, *read} <= set(sealings)


def _singles_out(version: Version, locale: str, sealings: list[int], minimum: int) -> bool:
    reports = dict(ReadOut.objects.filter(version=version, locale=locale).values_list("sealing_id", "n"))
    if all(n >= minimum for n in reports.values()):
        return False  # whatever is subtracted, whole sealings remain
    # Replaced ones count: somebody may have kept them.
    published = version.histograms.filter(locale=locale).values_list("sealings", flat=True)
    return singles_out(map(frozenset, published), frozenset(sealings), reports, minimum)


def _create_entries(histogram: Histogram, revision: DictionaryRevision, summary: Summary) -> None:
    shown: NDArray[np.int64] = np.flatnonzero(summary.above)
    # Equal estimates in the order of the dictionary, so that the ranking is a function of the data.
    shown = shown[np.argsort(-summary.estimate[shown], kind="stable")]
    texts = {
        position: (element, display)
        for position, element, display in revision.entries.filter(position__in=shown.tolist()).values_list(
            "position", "element", "display"
        )
    }
    HistogramEntry.objects.bulk_create(
        HistogramEntry(
            histogram=histogram,
            rank=rank,
            element=texts[position][0],
            display=texts[position][1],
            estimate=float(summary.estimate[position]),
            standard_error=float(summary.standard_error[position]),
            lower=float(summary.lower[position]),
            upper=float(summary.upper[position]),
            adjusted_lower=float(summary.adjusted_lower[position]),
            adjusted_upper=float(summary.adjusted_upper[position]),
        )
        for rank, position in enumerate(shown.tolist(), 1)
    )
