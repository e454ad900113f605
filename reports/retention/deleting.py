"""Deleting raw reports of a day, wherever they lie, in one transaction that says so; files go after its commit."""

import datetime
import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from reports.clock import follow_clock
from reports.collection import mark_withdrawn
from reports.collection.ingest import recognition
from reports.locks import Lock, advisory_lock, lock_until_commit
from reports.models import Batch, Deletion, QuarantinedShard, Run, Sealing, UseCase, Version, failures
from reports.models.uploads import utc_today
from reports.pending_files import delete_after_commit
from reports.retention.inventory import DayHoldings, expired, inventory, undecided
from reports.runs import NothingToAggregate, abort_runs_of, start_run
from reports.storage import StorageUnavailable

logger = logging.getLogger(__name__)

# Errors of reading stored files if the storage does not answer.
_UNREAD = (StorageUnavailable, OSError)


class _SealedMeanwhile(Exception):
    """The day got a sealing that may be merging right now."""


def delete_expired(use_case: UseCase | None = None, *, trust_clock: bool = False) -> list[Deletion]:
    """Delete the raw reports whose retention is over, counted or not, of one use case or all.

    And those that are suspicious, if they were not decided about in time. What goes wrong with one version keeps none
    of the others; it is raised in the end. Raises ClockDoubt, and deletes nothing, if the clock has jumped.
    """
    follow_clock(trust=trust_clock)
    versions = Version.objects.select_related("use_case")
    if use_case is not None:
        versions = versions.filter(use_case=use_case)
    done: list[Deletion] = []
    problem: Exception | None = None
    for version in versions:
        try:
            done += _delete(version, expired(version), Deletion.Reason.EXPIRED, None)
            done += _delete_undecided(version, utc_today())
            recognition.forget_days(version, day__lt=version.use_case.first_day_kept(utc_today()))
        except Exception as error:
            logger.exception("%s, version %d: raw reports could not be deleted", version.use_case.slug, version.number)
            problem = problem or error
    if problem is not None:
        raise problem
    return done


def delete_all(use_case: UseCase, person: User | None = None) -> list[Deletion]:
    """Delete all raw reports that a use case has now, on demand."""
    done: list[Deletion] = []
    for version in use_case.versions.select_related("use_case"):
        done += _delete(version, inventory(version), Deletion.Reason.DEMANDED, person)
    return done


def _delete(
    version: Version, days: Iterable[DayHoldings], reason: Deletion.Reason, person: User | None
) -> list[Deletion]:
    done: list[Deletion] = []
    ended: list[Run] = []
    for each in days:
        deletions, runs = _delete_day(version, each.day, reason, person)
        done += deletions
        ended += runs
    _log(version, done, reason)
    for run in ended:
        # Or else finished days would not be counted any more, until a person has looked at the failure.
        try:
            start_run(version, run.first_day, run.last_day, user=run.requested_by)
        except NothingToAggregate:
            continue
    return done


@transaction.atomic
def _delete_undecided(version: Version, today: datetime.date) -> list[Deletion]:
    """Delete what has waited in quarantine for too long; no run or sealing has to do with it."""
    if not undecided(version, today):
        return []  # as nearly always, and then no upload has to wait
    lock_until_commit(Lock.DAYS, [version.pk])  # until the commit none of it is released or withdrawn
    found = undecided(version, today)
    gone = version.quarantined_shards.filter(
        QuarantinedShard.undecided(today), batch__day__in=[there.day for there in found]
    )
    names = list(gone.values_list("file_name", flat=True))
    batches = Batch.objects.filter(pk__in=set(gone.values_list("batch", flat=True))).order_by("pk")
    waited = list(batches.select_for_update(of=("self",)))
    for batch in waited:
        try:
            recognition.forget(batch)
        except _UNREAD:  # whose time is over goes all the same
            recognition.forget_days_of(batch)
    gone.delete()
    for batch in waited:
        with suppress(*_UNREAD):
            recognition.remember_batch(batch)  # what it has for other versions
    _withdraw_empty(waited, None)
    delete_after_commit(names)
    reason = Deletion.Reason.UNDECIDED
    done = [_note(there, reason, None) for there in found]
    _log(version, done, reason)
    return done


def _log(version: Version, done: list[Deletion], reason: Deletion.Reason) -> None:
    """Log a deletion without numbers of reports, which may be below the minimum."""
    if done:
        logger.info(
            "%s, version %d: deleted raw reports of %d days (%s)",
            version.use_case.slug,
            version.number,
            len(done),
            reason.value,
        )


def _delete_day(
    version: Version, day: datetime.date, reason: Deletion.Reason, person: User | None
) -> tuple[list[Deletion], list[Run]]:
    while True:
        sealings = list(_sealings(version, day))
        # Not while one is merged: that reads the files, and would put what was in them back.
        # Nor while records of devices are rewritten, or made a batch: these last, or they would not be mixed meanwhile.
        with ExitStack() as quiet:
            for sealing in sealings:
                quiet.enter_context(advisory_lock(Lock.MERGE, sealing.pk))
            quiet.enter_context(advisory_lock(Lock.WAITING, 0))
            try:
                return _delete_now(version, day, sealings, reason, person)
            except _SealedMeanwhile:
                continue


def _sealings(version: Version, day: datetime.date) -> Iterator[Sealing]:
    """Yield a day's sealings that have shards, in the one order in which all transactions lock them."""
    yield from version.sealings.filter(day=day, shards__isnull=False).order_by("pk").distinct()


@transaction.atomic
def _delete_now(
    version: Version, day: datetime.date, sealings: list[Sealing], reason: Deletion.Reason, person: User | None
) -> tuple[list[Deletion], list[Run]]:
    # Until the commit nothing of the version is stored, withdrawn, sealed or pinned.
    lock_until_commit(Lock.DAYS, [version.pk])
    if not {sealing.pk for sealing in _sealings(version, day)} <= {sealing.pk for sealing in sealings}:
        raise _SealedMeanwhile
    there = next(iter(inventory(version, Q(day=day))), DayHoldings(version, day))
    shards = version.shards.filter(day=day)
    quarantined = version.quarantined_shards.filter(batch__day=day)
    names = [*shards.values_list("file_name", flat=True), *quarantined.values_list("file_name", flat=True)]
    batches = {
        *shards.exclude(batch=None).values_list("batch", flat=True),
        *quarantined.values_list("batch", flat=True),
    }
    ended = abort_runs_of(shards, _words(day, reason))
    # Locked in one order, as when another version that shares them is sealed.
    unsealed = list(Batch.objects.filter(pk__in=batches).order_by("pk").select_for_update())
    recognition.forget_days(version, day=day)  # unread, for the storage may be away
    shards.delete()
    quarantined.delete()
    version.device_records.filter(day=day).delete()
    version.mixed_records.filter(day=day).delete()
    _withdraw_empty(unsealed, person)
    delete_after_commit(names)
    if not there.reports:
        return [], ended  # perhaps a few records of devices, which are not told of
    return [_note(there, reason, person)], ended


def _note(gone: DayHoldings, reason: Deletion.Reason, person: User | None) -> Deletion:
    return Deletion.objects.create(**vars(gone), reason=reason, deleted_by=person)


def _withdraw_empty(batches: Iterable[Batch], person: User | None) -> None:
    """Withdraw batches that have no reports left, unless they were sealed."""
    for batch in batches:
        # It may have reports for another use case, or another version.
        left = batch.shards.exists() or batch.quarantined_shards.exists()
        if batch.state in {Batch.State.OPEN, Batch.State.QUARANTINED} and not left:
            mark_withdrawn(batch, person)


def _words(day: datetime.date, reason: Deletion.Reason) -> str:
    words = failures.DELETED_ON_DEMAND if reason == Deletion.Reason.DEMANDED else failures.RETENTION_OVER
    return words % {"day": day.isoformat()}
