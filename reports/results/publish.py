"""Publishing a window: the sum of its days' read-outs, if nobody can learn about a handful of reports from it."""

import datetime

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from aggregation.accuracy import Summary, summarize
from reports.models import DictionaryRevision, Histogram, HistogramEntry, ReadOut, Version
from reports.results.subtraction import singles_out
from reports.storage import open_array

# The first key of the advisory locks taken here, so that they meet no others.
_LOCK_CLASS = 0x6C6470


def lock_publications(version: Version) -> None:
    """Until the transaction ends nobody else publishes for this version: what may be shown depends on what was."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK_CLASS, version.pk % 2**31])


@transaction.atomic
def publish_window(version: Version, locale: str, first: datetime.date, last: datetime.date) -> Histogram | None:
    """The histogram of a window, made or replaced if need be; None if the window may not be shown.

    It may not when it has fewer reports than the use case's minimum, or when, subtracted from histograms that were
    published before, it would single out fewer than that. In the second case an earlier publication of the same
    window stays as it is.
    """
    lock_publications(version)
    revision = version.current_dictionary()
    current = version.histograms.filter(locale=locale, first_day=first, last_day=last, replaced=False).first()
    if revision is None:
        return current
    read_outs = list(revision.read_outs.filter(locale=locale, day__range=(first, last)).order_by("day", "sealing_id"))
    sealings = [read_out.sealing_id for read_out in read_outs]
    n = sum(read_out.n for read_out in read_outs)
    alpha = version.use_case.false_positive_rate
    if current is not None and (current.sealings, current.revision_id, current.alpha) == (sealings, revision.pk, alpha):
        return current
    minimum = version.use_case.minimum_reports
    if n < minimum or _singles_out(version, locale, sealings, minimum):
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
