"""Which shards a run reads, and how its rows are cut into parts."""

import datetime
import logging
import uuid
from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from reports.ingest import seal_days
from reports.locks import Lock, alone
from reports.models import DictionaryRevision, Part, ReadOut, Run, Shard, Version
from reports.models.uploads import utc_today
from reports.windows import in_window

logger = logging.getLogger(__name__)

# Shards that a part reads at most: its result, and a step of publishing, hold one integer for each of them and element,
# 64 MB at 250,000, however many days and locales a run has.
SHARDS_PER_PART = 32
# Small enough that a part takes well under a second, so that a lost worker costs little and two workers share evenly;
# large enough that the task is not sent and the result not written too often.
LOOK_UPS_PER_PART = 1 << 25
REPORTS_PER_PART = 1 << 22
# So many shards more make a look-up cost as much again as the hash of the element does: measured, 3 to 10.
SHARDS_PER_HASH = 8
# Of one group of shards.
MOST_RANGES = 256
# The results of all parts of a group lie in the storage until the run is published, each with an integer for every
# shard and element. There are no more ranges than fit into this many bytes, …
RESULT_BYTES = 1 << 30
# … unless parts would come near to the end of their lease: this many look-ups take some ten seconds. There is then so
# much work in a part that writing its result and reading it again does not count.
MOST_LOOK_UPS_PER_PART = 1 << 32
# The read-out works in blocks of this many rows.
ROW_BLOCK = 16


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
    revision = version.current_dictionary()
    if revision is None or not revision.size:
        raise NothingToAggregate(_("The use case has no dictionary to count. Define one first."))
    with transaction.atomic():
        Version.objects.select_for_update(no_key=True).get(pk=version.pk)
        window = in_window(first, last)
        shards = version.shards.filter(window)
        read_outs = version.read_outs.filter(window)
        days = {*shards.values_list("day", flat=True), *read_outs.values_list("day", flat=True)}
        if not days:
            raise NothingToAggregate(_("There are no reports in this window. Upload some first."))
        same = {"version": version, "revision": revision, "first_day": min(days), "last_day": max(days)}
        for running in Run.objects.filter(state__in=Run.UNFINISHED, **same):
            if running.planned_at is None or not _unread(revision, shards).exclude(runs=running).exists():
                return running
        run = Run.objects.create(requested_by=user, **same)
        if ring:
            transaction.on_commit(lambda: dispatch(run))
    return run


def start_runs_of_finished_days() -> None:
    """Order a run for every version that has days which are over and were never read out.

    Not after a failure: somebody has to look at that first.
    """
    yesterday = utc_today() - datetime.timedelta(days=1)
    for version in Version.objects.filter(shards__day__lte=yesterday).distinct():
        latest, revision = version.runs.first(), version.current_dictionary()
        if revision is None or not revision.size or (latest is not None and latest.state != Run.State.FINISHED):
            continue
        if _unread(revision, version.shards.filter(day__lte=yesterday)).exists():
            start_run(version, last=yesterday)


def _unread(revision: DictionaryRevision, shards: QuerySet[Shard]) -> QuerySet[Shard]:
    done = ReadOut.objects.filter(sealing=OuterRef("sealing"), revision=revision, locale=OuterRef("locale"))
    return shards.filter(~Exists(done))


def plan(run_id: uuid.UUID) -> None:
    """Seal the days of a run, pin the shards that were never read out, and cut the work into parts. Once."""
    with alone(Lock.PLAN, run_id, wait=False) as nobody_else:
        if nobody_else:
            _plan(run_id)


def _plan(run_id: uuid.UUID) -> None:
    run = Run.objects.select_related("version", "revision").get(pk=run_id)
    if run.planned_at is not None or run.state not in Run.UNFINISHED:
        return
    Run.objects.filter(pk=run_id, state=Run.State.WAITING).update(state=Run.State.RUNNING, started_at=timezone.now())
    seal_days(run.version, run.first_day, run.last_day)
    with transaction.atomic():
        sealed = run.version.shards.filter(in_window(run.first_day, run.last_day), batch=None)
        unread = list(_unread(run.revision, sealed))
        run.shards.set(unread)
        Part.objects.bulk_create(_cut(run, [shard.size for shard in run.shards.order_by("pk")]))
        run.planned_at = timezone.now()
        run.save(update_fields=["planned_at"])


def _cut(run: Run, sizes: list[int]) -> Iterator[Part]:
    """The parts of a run, given the sizes of its shards in the order that `Part` counts them in."""
    mechanism = run.version.mechanism
    num_rows = mechanism.num_rows(mechanism.streams[0])
    for start_shard in range(0, len(sizes), SHARDS_PER_PART):
        group = sizes[start_shard : start_shard + SHARDS_PER_PART]
        for start_row, stop_row in row_ranges(num_rows, group, run.revision.size):
            yield Part(
                run=run,
                start_row=start_row,
                stop_row=stop_row,
                start_shard=start_shard,
                stop_shard=start_shard + len(group),
            )


def row_ranges(num_rows: int, sizes: Sequence[int], elements: int) -> Iterator[tuple[int, int]]:
    """Cut the rows of a sketch into ranges of about equal work, for shards of these sizes.

    Work is look-ups, one for each element and row that has reports, and reports to add up.
    """
    reports = sum(sizes)
    look_ups = min(reports, num_rows) * elements * (SHARDS_PER_HASH + len(sizes)) // SHARDS_PER_HASH
    wanted = max(-(-look_ups // LOOK_UPS_PER_PART), -(-reports // REPORTS_PER_PART), 1)
    result_bytes = 8 * elements * len(sizes)
    allowed = max(RESULT_BYTES // max(result_bytes, 1), -(-look_ups // MOST_LOOK_UPS_PER_PART), 1)
    blocks = -(-num_rows // ROW_BLOCK)
    per_part = -(-blocks // min(wanted, allowed, MOST_RANGES, blocks)) * ROW_BLOCK
    for start in range(0, num_rows, per_part):
        yield start, min(start + per_part, num_rows)


def dispatch(run: Run) -> None:
    """Ring for workers: one plans a run that is not planned yet, the others take its parts.

    If no broker answers, the sweep finds the run later.
    """
    from reports.runs import tasks

    try:
        if run.planned_at is None:
            tasks.plan_run.apply_async((str(run.pk),), retry=False)
        for part_id in run.parts.filter(finished_at=None).values_list("pk", flat=True):
            tasks.work_on_part.apply_async((part_id,), retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("No broker to announce a run to (%s); the next sweep will find it.", type(error).__name__)


def retry(run: Run) -> None:
    """Give a failed run another chance; what is done stays done."""
    with transaction.atomic():
        revived = Run.objects.filter(pk=run.pk, state=Run.State.FAILED).update(
            state=Run.State.WAITING, failure="", finished_at=None
        )
        if not revived:
            return
        run.parts.filter(finished_at=None).update(attempts=0, lease_expires_at=None)
        transaction.on_commit(lambda: dispatch(Run.objects.get(pk=run.pk)))
