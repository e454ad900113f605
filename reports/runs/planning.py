"""Ordering runs, and planning them: which shards a run reads, and in which parts."""

import datetime
from collections.abc import Collection, Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.collection.devices import enough_days
from reports.jobs import enqueue
from reports.kinds import first_of_window
from reports.locks import Lock, lock_until_commit
from reports.models import DictionaryRevision, Part, ReadOut, Run, Version
from reports.models.shards import in_window
from reports.models.uploads import utc_today
from reports.results import days_to_search, is_searched, searched_window
from reports.runs.abort import forget_failed_before
from reports.runs.cutting import dictionary_parts, ordered_shards
from reports.runs.discovery_plan import sketch_parts


class NothingToAggregate(Exception):
    """There is nothing to read out; the message says what is missing and what to do."""


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
    revision = _dictionary(version)
    if revision is None and version.discovery is None:
        raise NothingToAggregate(_("The use case has no dictionary to count. Define one first."))
    with transaction.atomic():
        Version.objects.select_for_update(no_key=True).get(pk=version.pk)
        waiting = set(enough_days(version, first, last))
        days = _days(version, first, last, waiting)
        if not days:
            raise NothingToAggregate(_nothing(version, first, last))
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


def _nothing(version: Version, first: datetime.date | None, last: datetime.date | None) -> str:
    """What is missing: perhaps only somebody's decision."""
    waiting = quarantined(version, first, last)
    if not waiting:
        return _("There are no reports in this window. Upload some first.")
    words = ngettext(
        "There are no reports in this window that may be counted, but %(count)d batch waits in quarantine: release it"
        " first.",
        "There are no reports in this window that may be counted, but %(count)d batches wait in quarantine: release"
        " them first.",
        waiting,
    )
    return words % {"count": waiting}


def quarantined(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> int:
    """How many batches with reports for a version and window wait in quarantine."""
    shards = version.quarantined_shards.annotate(day=F("batch__day")).filter(in_window(first, last))
    return shards.order_by().values("batch").distinct().count()


def _dictionary(version: Version) -> DictionaryRevision | None:
    """What a version counts; None if there is nothing, or if it finds words."""
    revision = version.current_dictionary() if version.discovery is None else None
    return revision if revision is not None and revision.size else None


def _days(
    version: Version,
    first: datetime.date | None,
    last: datetime.date | None,
    waiting: Collection[datetime.date] = (),
) -> set[datetime.date]:
    """The days of a window that have reports. Words are found in the last few if no first day is given.

    `waiting` are those that will have some, of single devices, when they are sealed.
    """
    if version.discovery is not None and first is None and last is None:
        days = {*days_to_search(version), *waiting}
    else:
        window = in_window(first, last)
        shards = version.shards.filter(window).values_list("day", flat=True)
        days = {*shards, *version.read_outs.filter(window).values_list("day", flat=True), *waiting}
    if version.discovery is None or first is not None or not days:
        return days
    return {day for day in days if day >= first_of_window(max(days))}


def start_runs_of_finished_days() -> None:
    """Order a run for every version that has days which are over and were never read out.

    After one that failed not before its time, which is later with each failure. The new one does all that is left.
    """
    yesterday = utc_today() - datetime.timedelta(days=1)
    for version in Version.objects.filter(shards__day__lte=yesterday).distinct():
        latest = version.runs.first()
        if latest is not None and not _may_be_followed(latest):
            continue
        if _is_due(version, yesterday):
            with transaction.atomic():
                forget_failed_before(start_run(version, last=yesterday))


def _may_be_followed(latest: Run) -> bool:
    if latest.state == Run.State.FAILED:
        return latest.not_before is None or latest.not_before <= timezone.now()
    return latest.state == Run.State.FINISHED


def _is_due(version: Version, last: datetime.date) -> bool:
    """Whether a run up to a day would read something out, or publish what is."""
    revision, over = _dictionary(version), version.shards.filter(day__lte=last)
    if version.discovery is None:
        return revision is not None and over.unread(ReadOut.objects.filter(revision=revision)).exists()
    first = min(_days(version, None, last))
    # A run seals the days of its own window only; older ones wait until they are.
    if over.filter(in_window(first, last) | Q(batch=None)).unread(ReadOut.objects.all()).exists():
        return True
    windows = (searched_window(version, locale, first, last) for locale in version.locales)
    return any(window is not None and not is_searched(window) for window in windows)


def parts_of(run: Run) -> Iterable[Part]:
    """Pin the sealed shards that were never read out, and cut the work on them into parts. Call in a transaction."""
    # Retention deletes shards under the same lock: what is pinned is there, and a run that pins it is found.
    lock_until_commit(Lock.DAYS, [run.version_id], shared=True)
    mechanism = run.version.discovery
    sealed = run.version.shards.filter(batch=None)
    if mechanism is None:
        sealed = sealed.filter(in_window(run.first_day, run.last_day))
    unread = list(sealed.unread(ReadOut.objects.filter(revision=run.revision)))
    run.shards.set(unread)
    if mechanism is not None:
        return sketch_parts(run, mechanism, unread)
    return dictionary_parts(run, [shard.size for shard in ordered_shards(run)])
