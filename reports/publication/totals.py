"""Sums of periods. Those of calendar months and years that are over are kept, so that a window costs no history."""

import logging
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from reports.models import DictionaryRevision, PeriodTotal, ReadOut, Version
from reports.models.uploads import utc_today
from reports.pending_files import commit, delete_after_commit, reserved
from reports.publication.revisions import positions_in
from reports.publication.windows import Days, Released, Window, calendar_units, digest_of
from reports.storage import StorageUnavailable, new_name, open_array, store_array

logger = logging.getLogger(__name__)

Counts = NDArray[np.int64]


class _Total(NamedTuple):
    counts: Counts
    # The key of the revision whose elements these are.
    revision: int


def sum_of_window(window: Window, revision: DictionaryRevision) -> Counts:
    """Add up the support counts of a window in the elements of a revision. Those not counted in all of it are wrong.

    Raises FileNotFoundError if counts are replaced meanwhile.
    """
    counts = np.zeros(revision.size, np.int64)
    rest: Sequence[Released] = window.periods
    for unit, months in calendar_units(window, utc_today()):
        inside, others = _split(rest, unit)
        if len(inside) > 1:
            total = _total(window.version, window.locale, unit, inside, months)
            _add(counts, total.counts, total.revision, revision)
            rest = others
    _add_periods(counts, rest, revision)
    return counts


def _split(periods: Sequence[Released], unit: Days) -> tuple[list[Released], list[Released]]:
    """Part periods into those inside some days and the others."""
    inside: list[Released] = []
    others: list[Released] = []
    for each in periods:
        (inside if unit[0] <= each.first_day and each.last_day <= unit[1] else others).append(each)
    return inside, others


def _add(counts: Counts, further: Counts, own_revision: int, revision: DictionaryRevision) -> None:
    if own_revision == revision.pk:
        counts += further
        return
    positions = positions_in(own_revision, revision)
    there = positions >= 0
    counts[there] += further[positions[there]]


def _add_periods(counts: Counts, periods: Sequence[Released], revision: DictionaryRevision) -> None:
    """Add the counts of single periods; one file is held at a time."""
    rows = ReadOut.objects.filter(period__in=[period.pk for period in periods]).order_by()
    for name, own_revision in rows.values_list("file_name", "revision_id"):
        _add(counts, open_array(name), own_revision, revision)


def _total(
    version: Version, locale: str, unit: Days, periods: Sequence[Released], months: Sequence[Days] = ()
) -> _Total:
    """The sum of periods, which are all inside a month or year; it is kept, unless that cannot be done just now.

    In the elements of the newest revision that they are counted by: those it lacks are not counted in all of them.
    """
    made_of = digest_of([(period.pk, *period.revisions) for period in periods])
    key = {"version": version, "locale": locale, "first_day": unit[0], "last_day": unit[1]}
    kept = PeriodTotal.objects.filter(**key, made_of=made_of).first()
    if kept is not None:
        return _Total(open_array(kept.file_name), kept.revision_id)
    revision = DictionaryRevision.objects.get(pk=max(key for period in periods for key in period.revisions))
    counts = np.zeros(revision.size, np.int64)
    rest = periods
    for month in months:
        inside, others = _split(rest, month)
        if len(inside) > 1:
            total = _total(version, locale, month, inside)
            _add(counts, total.counts, total.revision, revision)
            rest = others
    _add_periods(counts, rest, revision)
    try:
        _keep(PeriodTotal(**key, made_of=made_of, revision=revision), counts)
    except (StorageUnavailable, OSError) as error:
        logger.warning("A total of periods could not be kept (%s)", type(error).__name__)
    return _Total(counts, revision.pk)


def _keep(total: PeriodTotal, counts: Counts) -> None:
    total.file_name = new_name("totals")
    with reserved([total.file_name]):
        store_array(counts, total.file_name, total.last_day)
        with transaction.atomic():
            _replace(total)


def _replace(total: PeriodTotal) -> None:
    there = PeriodTotal.objects.filter(
        version=total.version, locale=total.locale, first_day=total.first_day, last_day=total.last_day
    )
    stale = there.select_for_update().first()
    if stale is not None:
        delete_after_commit([stale.file_name])
        stale.delete()
    PeriodTotal.objects.bulk_create([total], ignore_conflicts=True)
    if PeriodTotal.objects.filter(file_name=total.file_name).exists():
        commit([total.file_name])
    else:  # another had it just now
        delete_after_commit([total.file_name])
