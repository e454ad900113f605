"""Closing of days: an open day is sealed. (Runs read it out, and retention deletes it.)"""

import datetime
import logging

from django.db import transaction
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


def seal_days(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> None:
    """Seal all reports that have arrived for the days of the window; finishes what an interrupted call left.

    Those of single devices are among them where they are enough to hide among; otherwise they wait for the next day.
    """
    _drain_days(version, first, last)
    unclosed = version.shards.unclosed().filter(in_window(first, last)).order_by("day")
    for day in list(unclosed.filter(sealing=None).values_list("day", flat=True).distinct()):
        _close(version, day)
    for sealing in Sealing.objects.select_related("version__use_case").filter(
        pk__in=unclosed.order_by().values("sealing")
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


@transaction.atomic
def _close(version: Version, day: datetime.date) -> None:
    """Seal a day: after the commit nothing can be added to its shards or taken out of them."""
    lock_until_commit(Lock.DAYS, [version.pk])
    open_shards = version.shards.filter(day=day, sealing=None)
    if open_shards.exists():
        # Locked in one order: another version that shares them may be sealed at the same time.
        batches = Batch.objects.filter(shards__in=open_shards).order_by("pk")
        list(batches.select_for_update(of=("self",)).values_list("pk"))
        sealing = Sealing.objects.create(version=version, day=day)
        open_shards.update(sealing=sealing)
        Batch.objects.filter(shards__sealing=sealing).update(state=Batch.State.SEALED)
        recognition.rewrite(version, day)
