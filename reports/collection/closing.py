"""Closing of days: an open day is sealed. (Runs read it out, and retention deletes it.)"""

import datetime
import logging

from django.db import connection, transaction
from django.db.models import OuterRef, Q

from reports.clock import clock_doubt
from reports.collection.devices import drain, drop_overdue, enough_days, forget_old_keys
from reports.collection.ingest import recognition
from reports.collection.merging import merge_files
from reports.jobs import call_worker
from reports.locks import Lock, lock_until_commit
from reports.models import Batch, Sealing, Shard, Version
from reports.models.devices import has_waiting
from reports.models.shards import in_window
from reports.models.uploads import utc_today

logger = logging.getLogger(__name__)

# A day that is over and has more files is sealed in parts, by several workers. Each part looks through all files, so
# that there must not be a thousand.
SEALED_TOGETHER = 1024
MOST_PARTS = 16
_PUT = """
WITH found AS MATERIALIZED (
    SELECT shard.id, batch_id
    FROM reports_sealing AS sealing
    JOIN reports_shard AS shard ON shard.version_id = sealing.version_id AND shard.day = sealing.day
    JOIN reports_batch AS batch ON batch.id = batch_id
    WHERE sealing.id = %s AND NOT is_complete AND sealing_id IS NULL
    {which}
), batches AS (UPDATE reports_batch SET state = %s WHERE id IN (SELECT batch_id FROM found))
UPDATE reports_shard SET sealing_id = %s WHERE id IN (SELECT id FROM found)
"""
# Locked in one order: another version that shares batches may be sealed at the same time.
_ALL = "ORDER BY batch.id FOR UPDATE OF shard, batch"
# In the order of random keys: in that of the table, parts would tell which uploads came first.
_SOME = "ORDER BY shard.id LIMIT %s FOR UPDATE OF shard, batch SKIP LOCKED"


def seal_days(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> None:
    """Seal all reports that have arrived for the days of the window; finishes what an interrupted call left.

    Those of single devices are among them where they are enough to hide among; otherwise they wait for the next day.
    """
    _drain_days(version, first, last)
    unclosed = version.shards.unclosed().filter(in_window(first, last)).order_by("day")
    unsealed = unclosed.exclude(sealing__is_complete=True).values_list("day", flat=True)
    # All that was to be put into one may have been withdrawn.
    begun = version.sealings.filter(in_window(first, last), is_complete=False).values_list("day", flat=True)
    for day in sorted({*unsealed.distinct(), *begun}):
        _close(version, day)
    for sealing in Sealing.objects.select_related("version__use_case").filter(
        pk__in=unclosed.order_by().values("sealing"), is_complete=True
    ):
        merge_files(sealing)


def _drain_days(version: Version, first: datetime.date | None, last: datetime.date | None) -> None:
    for day in enough_days(version, first, last):
        drain(version, day)


def seal_finished_days() -> None:
    """Seal all days that are over, of all versions, whatever has become of these since.

    What goes wrong with one version keeps none of the others; it is raised in the end. While the clock is in doubt,
    records and keys of devices are not dropped for their age; days are sealed, for a site that was off has to count.
    """
    doubted = clock_doubt() is not None
    today = utc_today()
    problem: Exception | None = None
    yesterday = today - datetime.timedelta(days=1)
    left = set(Shard.objects.unclosed().filter(day__lt=today).order_by().values_list("version", flat=True).distinct())
    waiting = has_waiting(version=OuterRef("pk"), day__lt=today)
    # In any order: others who are at it rarely begin with the same.
    for version in Version.objects.select_related("use_case").filter(Q(pk__in=left) | waiting).order_by("?"):
        try:
            _drain_days(version, None, yesterday)
            if not doubted:
                drop_overdue(version, yesterday)  # whatever becomes of the files
            seal_days(version, last=yesterday)
            if version.pk in left and len(left) > 1:
                # Call one more worker, which calls the next. None is called if nothing can be sealed.
                call_worker("reports.help_sealing")
                left.clear()
        except Exception as error:
            logger.exception("%s, version %d: its days could not be sealed", version.use_case.slug, version.number)
            problem = problem or error
    if not doubted:
        forget_old_keys(today)
    if problem is not None:
        raise problem


def _close(version: Version, day: datetime.date) -> None:
    """Seal a day: after that nothing can be added to its shards or taken out of them."""
    is_called = False
    while begun := _begin_or_complete(version, day):
        while _put_some_into(*begun):
            if not is_called:
                call_worker("reports.help_sealing")
            is_called = True


@transaction.atomic
def _begin_or_complete(version: Version, day: datetime.date) -> tuple[Sealing, int] | None:
    """Seal a day and return None; or only begin, and return its sealing, and how many files to put into it at a time.

    The day must be over: then it takes in no more once its sealing is begun.
    """
    lock_until_commit(Lock.DAYS, [version.pk])
    left = version.shards.filter(day=day, sealing=None)
    sealing = version.sealings.filter(day=day, is_complete=False).first()
    if sealing is None:
        if not left.exists():
            return None  # others have sealed it
        sealing = Sealing.objects.create(version=version, day=day, is_complete=False)
    if day < utc_today() and (number := left.count()) > SEALED_TOGETHER:
        return sealing, max(SEALED_TOGETHER, number // MOST_PARTS)
    _put_into(sealing, _ALL)
    recognition.rewrite(version, day)
    sealing.is_complete = True
    sealing.save(update_fields=["is_complete"])
    return None


@transaction.atomic
def _put_some_into(sealing: Sealing, most: int) -> int:
    # Shared, as uploads hold it: the sealing is not completed meanwhile, nor the day deleted.
    lock_until_commit(Lock.DAYS, [sealing.version_id], shared=True)
    return _put_into(sealing, _SOME, most)


def _put_into(sealing: Sealing, which: str, *values: int) -> int:
    """Put open files of its day into a sealing, with their batches; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(_PUT.format(which=which), [sealing.pk, *values, Batch.State.SEALED, sealing.pk])
        return int(cursor.rowcount)
