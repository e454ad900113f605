"""Released days straight in the database: what a trend shows does not depend on how a run counted them."""

import datetime
import uuid
from collections.abc import Mapping

import numpy as np
from django.utils import timezone

from reports.kinds import COUNTING, kind_of
from reports.models import DictionaryRevision, Histogram, HistogramEntries, Period, ReadOut, Sealing, Version
from reports.publication import window_of
from reports.results import histograms
from reports.storage import new_name, spool_folder, store, write_array
from tests.reports.entries import entries_of
from tests.reports.small_fleet import days_ago


def publish_day(
    version: Version,
    back: int,
    counts: Mapping[str, float],
    *,
    locale: str = "en_US",
    first: datetime.date | None = None,
    n: int = 10_000,
    f2: float = 30_000_000.0,
    revision: DictionaryRevision | None = None,
) -> Histogram:
    """A period of a day so many days ago, or of days that end there, with its histogram, or a list of words.

    What is not in it is below the threshold 50. Its support counts say the same, as far as integers do: sums of several
    are made of them.
    """
    version.use_case.refresh_from_db()
    last = days_ago(back)
    days, made_of = (first or last, last), uuid.uuid4().hex
    if kind_of(version) is COUNTING:
        revision = revision or version.current_dictionary()
        assert revision is not None
        release(version, revision, locale, days, counts, n)
        window = window_of(version, locale, *days)
        assert window is not None
        made_of = histograms.made_of(window, revision)
    same = {"version": version, "locale": locale, "grouping": "", "first_day": days[0], "last_day": days[1]}
    Histogram.objects.filter(**same).delete()
    histogram = Histogram.objects.create(
        **same, made_of=made_of, revision=revision, n=n, alpha=0.05, threshold=50.0, below_threshold=2, f2=f2,
        generated_at=timezone.now(),
    )  # fmt: skip
    largest = dict(sorted(counts.items(), key=lambda item: -item[1]))
    rows = entries_of([*largest], [*largest.values()], error=20.0, half=39, adjusted=45)
    HistogramEntries.of(histogram, rows).save()
    return histogram


def release(
    version: Version,
    revision: DictionaryRevision,
    locale: str,
    days: tuple[datetime.date, datetime.date],
    counts: Mapping[str, float],
    n: int,
) -> Period:
    """Close and release days with support counts whose estimates are these; of all other elements they are none."""
    mechanism, wanted = version.mechanism, np.array([counts.get(element, 0.0) for element in revision.elements()])
    none, one = mechanism.debiased.estimate(np.array([0, 1]), n)  # estimates are lines in the counts
    support = np.round((wanted - none) / (one - none)).astype(np.int64)
    period = Period.objects.create(
        version=version, locale=locale, first_day=days[0], last_day=days[1], n=n, revisions=[revision.pk],
        closed_at=timezone.now(),
    )  # fmt: skip
    name = new_name("read-outs")
    with spool_folder() as folder:
        write_array(folder / "counts.npy", support.dtype, len(support), [support])
        store(folder / "counts.npy", name, days[1])
    ReadOut.objects.create(
        version=version, revision=revision, locale=locale, day=days[1], n=n, file_name=name, period=period,
        sealing=Sealing.objects.create(version=version, day=days[1]),
    )  # fmt: skip
    return period
