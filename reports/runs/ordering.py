"""Ordering runs: which days a run is over, and when one is due by itself."""

import datetime

from django.contrib.auth.models import User
from django.db import transaction

from reports.clock import database_time
from reports.collection.devices import enough_days
from reports.jobs import enqueue
from reports.models import ReadOut, Run, Version
from reports.models.shards import in_window
from reports.models.uploads import utc_today
from reports.runs.available import NothingToAggregate
from reports.runs.ending import forget_failed_before
from reports.runs.run_kinds import RUNS


def start_run(
    version: Version,
    first: datetime.date | None = None,
    last: datetime.date | None = None,
    *,
    user: User | None = None,
    ring: bool = True,
) -> Run:
    """Order a run over a window (all days by default) and, with `ring`, call workers to it.

    An unfinished run that will do the same is returned instead of a second one. Raises `NothingToAggregate`.
    """
    kind = RUNS.of(version)
    revision = kind.dictionary(version)
    with transaction.atomic():
        Version.objects.select_for_update(no_key=True).get(pk=version.pk)
        # Records of single devices become reports when these days are sealed.
        waiting = set(enough_days(version, first, last))
        days = kind.days(version, first, last, waiting)
        if not days:
            raise NothingToAggregate.within(version, first, last)
        shards = version.shards.filter(in_window(min(days), max(days)))
        counts = ReadOut.objects.filter(revision=revision)
        same = {"version": version, "revision": revision, "first_day": min(days), "last_day": max(days)}
        for running in Run.objects.unfinished().filter(**same):
            if running.planned_at is None or not (waiting or shards.unread(counts).exclude(runs=running).exists()):
                return running
        run = Run.objects.create(requested_by=user, **same)
        if ring:
            transaction.on_commit(lambda: enqueue(run))
    return run


def start_runs_of_finished_days() -> None:
    """Order a run for every version that has days which are over and were never read out.

    After one that failed not before its time, which is later with each failure. The new one does all that is left.
    """
    yesterday = utc_today() - datetime.timedelta(days=1)
    for version in Version.objects.filter(shards__day__lte=yesterday).distinct():
        latest = version.runs.first()
        if latest is not None and not _may_be_followed(latest):
            continue
        if RUNS.of(version).is_due(version, yesterday):
            with transaction.atomic():
                forget_failed_before(start_run(version, last=yesterday))


def _may_be_followed(latest: Run) -> bool:
    if latest.state == Run.State.FAILED:
        return latest.not_before is None or latest.not_before <= database_time()
    return latest.state == Run.State.FINISHED
