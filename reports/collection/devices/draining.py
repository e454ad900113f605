"""Draining: portions become a batch, or records are dropped when they have waited too long."""

import datetime
import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Sum

from reports.collection.devices.portions import mix_records, sorted_records
from reports.collection.devices.waiting_records import enough_days, first_carried
from reports.collection.ingest.content import Content
from reports.collection.ingest.screening import screened
from reports.collection.ingest.store import commit_batch
from reports.locks import Lock, advisory_lock
from reports.models import Batch, DeviceKey, MixedKeys, MixedRecords, Version
from reports.models.uploads import utc_today
from reports.pending_files import stored
from reports.record_files import Records, write_records
from reports.storage import spool_folder

# From so much on, what waits of a version is stored while its day goes on.
STORED_BYTES = 16 << 20

_READ = """
SELECT %s::date, locale, stream, records FROM reports_mixedrecords
WHERE version_id = %s AND day BETWEEN %s AND %s AND locale = ANY(%s) AND (%s OR portion = ANY(%s))
"""
_TAKE = """
WITH gone AS (
    DELETE FROM reports_mixedrecords
    WHERE version_id = %s AND day BETWEEN %s AND %s AND locale = ANY(%s) AND (%s OR portion = ANY(%s))
    RETURNING size
)
SELECT coalesce(sum(size), 0) FROM gone
"""
_DROP = """
WITH gone AS (
    DELETE FROM reports_mixedrecords WHERE version_id = %(version)s AND day <= %(day)s RETURNING locale, stream, size
)
INSERT INTO reports_droppedreports (version_id, locale, day, reports)
SELECT %(version)s, locale, %(today)s, sum(size) FROM gone WHERE stream = ANY(%(streams)s) GROUP BY locale
ON CONFLICT (version_id, locale, day) DO UPDATE SET reports = reports_droppedreports.reports + EXCLUDED.reports
"""


def drain(version: Version, day: datetime.date) -> Batch | None:
    """Make an ordinary batch of a day out of what waits, in those locales that have enough; None if there is none.

    Rows go and the batch comes in one transaction. Memory does not grow with the rows.
    """
    with advisory_lock(Lock.WAITING, 0):
        locales = enough_days(version, day, day).get(day)
        if not locales:
            return None
        mix_records(version)
        return _batch(version, first_carried(version, day), day, locales)


def drain_early(version: Version) -> Batch | None:
    """Make a batch of portions of today, if they are much.

    In each locale some stay that make up the minimum: with them, what comes until the day is over is counted on it.
    """
    today = utc_today()
    rows = MixedRecords.objects.filter(version=version, day=today).exclude(portion=None)
    sizes: dict[str, dict[uuid.UUID, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for locale, portion, stream, size in rows.values_list("locale", "portion", "stream").annotate(Sum("size")):
        sizes[locale][portion][stream] += size
    gone: dict[str, list[uuid.UUID]] = {}
    size_of_all = 0
    for locale, portions in sizes.items():
        leaving = _leaving(version, portions)
        if leaving:
            gone[locale] = leaving
            size_of_all += sum(
                number * version.mechanism.record_dtype(stream).itemsize
                for portion in leaving
                for stream, number in portions[portion].items()
            )
    if size_of_all < STORED_BYTES:
        return None
    return _batch(version, today, today, list(gone), [portion for portions in gone.values() for portion in portions])


def _leaving(version: Version, portions: Mapping[uuid.UUID, Mapping[str, int]]) -> list[uuid.UUID]:
    """Return all but the first portions that make up the minimum, if the others do as well; the keys are random."""
    left, leaving, reports = version.use_case.minimum_reports, [], 0
    for portion in sorted(portions):
        number = sum(portions[portion].get(stream, 0) for stream in version.mechanism.report_streams)
        if left > 0:
            left -= number
        else:
            leaving.append(portion)
            reports += number
    return leaving if reports >= version.use_case.minimum_reports else []


def _batch(
    version: Version,
    first: datetime.date,
    day: datetime.date,
    locales: Collection[str],
    portions: Sequence[uuid.UUID] | None = None,
) -> Batch:
    """Store what waits, then let its rows go and the batch come. Call while no other takes records of devices."""
    values = [version.pk, first, day, list(locales), portions is None, list(portions or ())]
    with spool_folder() as folder:
        read = sorted_records(version, folder, (_READ, [day, *values])).finish()
        file = write_records(
            folder / "taken.npy", version, [Records(group.locale, group.stream, found) for group, found in read]
        )
        accepted = sum(each.size for each in file.slices if each.stream in version.mechanism.report_streams)
        # Had no worker been down, it would have been made when the day was over: it is kept no longer for that.
        since = day + datetime.timedelta(days=1)
        batch = Batch(accepted=accepted, rejected={})
        # No device sends what another has sent, so that nothing is kept to recognise it by.
        content = Content()
        own = screened([file], content)
        # No row is locked while the file is on its way, which a bucket that hangs makes long.
        with stored([file.path], "shards", day) as names, transaction.atomic():
            _take(values, sum(each.size for each in file.slices))
            return commit_batch([file], names, day, batch, content, own, held_since=since)


def _take(values: Sequence[Any], expected: int) -> None:
    """Delete the rows that were read. Raises RuntimeError if they are others by now."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, values)
        (taken,) = cursor.fetchone()
    if taken != expected:
        raise RuntimeError(f"{taken} records wait, of {expected} that were stored.")


def drop_overdue(version: Version, day: datetime.date) -> None:
    """Drop what the day after could not count any more, and count it. Call when what the day can count was drained."""
    a_day = datetime.timedelta(days=1)
    overdue = first_carried(version, day + a_day) - a_day
    values: dict[str, Any] = {"version": version.pk, "day": overdue, "today": utc_today()}
    with advisory_lock(Lock.WAITING, 0):
        mix_records(version)
        with connection.cursor() as cursor:
            cursor.execute(_DROP, values | {"streams": list(version.mechanism.report_streams)})


def forget_old_keys(today: datetime.date) -> None:
    """Forget keys of days before yesterday: a device whose clock is slow sends again when its day is over here."""
    yesterday = today - datetime.timedelta(days=1)
    with advisory_lock(Lock.WAITING, 0):
        DeviceKey.objects.filter(day__lt=yesterday).delete()
        MixedKeys.objects.filter(day__lt=yesterday).delete()
