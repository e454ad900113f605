"""Working on parts: lease, read out, hand in. Any number of workers may try; each result is stored once."""

import datetime
import logging
import time
import uuid

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Greatest
from django.utils import timezone

from reports.models import Part, Run
from reports.runs.commit import commit_result
from reports.runs.discovery_plan import NoAlphabet
from reports.runs.enqueue import dispatch
from reports.runs.failing import WorkersLost, fail, passes_by_itself, postpone, resume
from reports.runs.leases import LEASE, heartbeat
from reports.runs.planning import plan
from reports.runs.publishing import publish_if_complete
from reports.runs.ready import due, ready
from reports.runs.steps import result_of

logger = logging.getLogger(__name__)

# Parts that nobody has ever taken are picked up by the sweep after this long: their message may be lost.
UNCLAIMED = datetime.timedelta(seconds=30)
# Of a part, or of planning and publishing a run. What passes by itself is none of them.
MOST_ERRORS = 3
# Workers that end in the middle of a part: upgrades and power cuts hardly meet the same one so often.
MOST_LOST = 6
ORDER = ("step", "locale", "start_shard", "start_row", "pk")
# Less than any broker's visibility timeout.
SWEEP_SECONDS = 10


def _available(now: datetime.datetime) -> Q:
    return ready() & (Q(lease_expires_at=None) | Q(lease_expires_at__lt=now))


def claim(part_id: int) -> Part | None:
    """Take the lease of a part. None if it is done, or somebody else is at it."""
    return _claim(Q(pk=part_id))


def _claim(which: Q) -> Part | None:
    """Take the lease of the first of these parts that may be had."""
    now = timezone.now()
    parts = Part.objects.select_related("run__version", "run__revision").filter(_available(now) & which)
    with transaction.atomic():
        # Locked before it is looked at: of two that come at once, one finds it locked or leased.
        part = parts.order_by(*ORDER).select_for_update(of=("self",), skip_locked=True).first()
        if part is None:
            return None
        part.lease_expires_at = now + LEASE
        part.attempts += 1
        part.save(update_fields=["lease_expires_at", "attempts"])
    if part.run.state == Run.State.WAITING:
        Run.objects.filter(pk=part.run_id, state=Run.State.WAITING).update(state=Run.State.RUNNING, started_at=now)
    return part


def stale_parts(run_id: uuid.UUID | None = None) -> list[int]:
    """Parts whose worker is gone, or whose message never arrived."""
    now = timezone.now()
    stale = Q(lease_expires_at__lt=now) | Q(lease_expires_at=None, run__created_at__lt=now - UNCLAIMED)
    parts = Part.objects.filter(_available(now) & stale)
    if run_id is not None:
        parts = parts.filter(run_id=run_id)
    return list(parts.order_by("run__created_at", *ORDER).values_list("pk", flat=True))


def work_on(part_id: int) -> None:
    """Read out a part and hand in the result; publish the run if it was the last one.

    Safe to call at any time and by anybody: a part that is done, or leased to somebody else, is left alone.
    """
    part = claim(part_id)
    if part is not None:
        _do(part)


def work_on_several(part_id: int) -> None:
    """The same, and go on with parts of the run that nobody has begun, for a while.

    Each has its own message on the way; but asking the database is faster than waiting for a message, and of workers
    that fetch some in advance none is idle while another has them.
    """
    started = time.monotonic()
    part = claim(part_id)
    while part is not None:
        _do(part)
        _ring_for_next_step(part)
        if time.monotonic() - started > SWEEP_SECONDS:
            return
        part = _claim(Q(run=part.run_id, attempts=0))


def _do(part: Part) -> None:
    if part.attempts - part.errors > MOST_LOST:
        fail(part.run_id, WorkersLost())
        return
    try:
        with heartbeat(part):
            commit_result(part, result_of(part))
    except Exception as error:
        connection.close_if_unusable_or_obsolete()
        if passes_by_itself(error):
            _give_back(part, attempts=Greatest(F("attempts") - 1, 0))
            postpone(part.run_id, error)
        elif Part.objects.filter(pk=part.pk).exists():
            logger.exception("A part of run %s failed", part.run_id)
            _give_back(part, errors=F("errors") + 1)
            if part.errors + 1 >= MOST_ERRORS:
                fail(part.run_id, error)
        else:
            logger.info("A part of run %s was dropped, for its reports were deleted", part.run_id)
        return
    if resume(part.run):
        dispatch(part.run)  # the others waited as well
    complete(part.run_id, wait=True)


def _give_back(part: Part, **changes: Combinable) -> None:
    """End the lease of a part that is not done."""
    Part.objects.filter(pk=part.pk, finished_at=None).update(lease_expires_at=None, **changes)


def _ring_for_next_step(part: Part) -> None:
    """Call the other workers, who found nothing more to do, if this part was the last of its step and others follow."""
    if part.step == Part.Step.READ_OUT or part.run.parts.filter(step=part.step, finished_at=None).exists():
        return
    dispatch(part.run)


def begin(run_id: uuid.UUID) -> list[int]:
    """Plan a run; returns the parts to begin with. A run of none, because all days are read out, is published."""
    try:
        plan(run_id)
    except Exception as error:
        if _counts(run_id, error):
            logger.exception("Run %s could not be planned", run_id)
        return []
    complete(run_id)
    return list(Part.objects.filter(ready(), run=run_id).order_by(*ORDER).values_list("pk", flat=True))


def complete(run_id: uuid.UUID, *, wait: bool = False) -> None:
    """Publish the run if all its parts are done; if that cannot be done, the sweep tries it again."""
    try:
        publish_if_complete(run_id, wait=wait)
    except Exception as error:
        if _counts(run_id, error):
            logger.exception("Run %s could not be published", run_id)


def _counts(run_id: uuid.UUID, error: Exception) -> bool:
    """Whether an error in planning or publishing is the run's own: it fails with the third. Otherwise let it wait."""
    connection.close_if_unusable_or_obsolete()
    if passes_by_itself(error):
        postpone(run_id, error)
        return False
    unfinished = Run.objects.filter(pk=run_id, state__in=Run.UNFINISHED)
    # It may have ended meanwhile, because its reports were deleted.
    counts = bool(unfinished.update(errors=F("errors") + 1))
    if isinstance(error, NoAlphabet) or unfinished.filter(errors__gte=MOST_ERRORS).exists():
        fail(run_id, error)
    return counts


def sweep() -> None:
    """Take up what lies about: lost messages, parts of dead workers, complete runs that nobody published.

    Stops in time for its own message not to be delivered again; the next sweep goes on.
    """
    horizon = timezone.now() - UNCLAIMED
    until = time.monotonic() + SWEEP_SECONDS
    for run in Run.objects.filter(due(), created_at__lt=horizon):
        if time.monotonic() > until:
            break
        if run.planned_at is None or not run.parts.filter(finished_at=None).exists():
            begin(run.pk)
    # With a time of their own: a run that takes long and fails each time would keep every sweep from them.
    until = time.monotonic() + SWEEP_SECONDS
    for part_id in stale_parts():
        if time.monotonic() > until:
            break
        part = claim(part_id)
        if part is not None:
            _do(part)
            _ring_for_next_step(part)
