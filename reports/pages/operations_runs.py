"""Runs for those who see to it that they go on: under way, failed, and the last ones."""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Part, Run, UseCase, Version
from reports.numbers import day_range, duration, whole
from reports.runs.timing import Timed, timed

LISTED = 20
# Longer than it takes until a sweep finds what nobody was called to.
PATIENCE = datetime.timedelta(seconds=60)


@dataclass(frozen=True)
class RunLine:
    """A run in words."""

    timed: Timed
    title: str
    window: str
    # What it is at, of an unfinished run.
    stage: str
    parts: str
    workers: str
    # Of its stages, for those that are over.
    stages: list[tuple[str, str]]
    took: str

    @property
    def run(self) -> Run:
        return self.timed.run


@dataclass(frozen=True)
class Queue:
    """What waits for workers, and whether there are any, as far as the database tells."""

    words: str
    # For how long the oldest unfinished run has been here; empty if nothing waits.
    since: str
    workers: str
    # Something has been waiting for long, and nobody has done anything since.
    is_stuck: bool


@dataclass(frozen=True)
class Runs:
    under_way: list[RunLine]
    failed: list[RunLine]
    last: list[RunLine]
    queue: Queue


def runs_of(use_cases: QuerySet[UseCase]) -> Runs:
    """Those of use cases that somebody owns; a fixed number of queries."""
    theirs = Run.objects.filter(version__use_case__in=use_cases.order_by().values("pk")).select_related(
        "version__use_case", "requested_by"
    )
    under_way = list(theirs.filter(state__in=Run.UNFINISHED).order_by("created_at"))
    failed = list(theirs.filter(state=Run.State.FAILED, pk__in=_latest(use_cases)))
    last = list(theirs.order_by("-created_at")[:LISTED])
    found = timed({run.pk: run for run in (*under_way, *failed, *last)}.values())
    lines = {pk: _line(each) for pk, each in found.items()}
    return Runs(
        under_way=[lines[run.pk] for run in under_way],
        failed=[lines[run.pk] for run in failed],
        last=[lines[run.pk] for run in last],
        queue=_queue([found[run.pk] for run in under_way]),
    )


def _latest(use_cases: QuerySet[UseCase]) -> list[uuid.UUID]:
    """The latest run of each version: what failed before it needs nobody any more."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    versions = Version.objects.filter(use_case__in=use_cases.order_by().values("pk")).order_by()
    found = versions.annotate(newest=Subquery(newest)).exclude(newest=None)
    return list(found.values_list("newest", flat=True))


def _line(found: Timed) -> RunLine:
    run, progress = found.run, found.progress
    parts = ""
    if progress.total:
        words = _("%(done)s of %(total)s parts are done")
        parts = words % {"done": whole(progress.done), "total": whole(progress.total)}
    workers = ngettext("%(count)s part is being worked on", "%(count)s parts are being worked on", found.held)
    return RunLine(
        timed=found,
        title=run.version.use_case.title,
        window=day_range(run.first_day, run.last_day),
        stage=progress.stage,
        parts=parts,
        workers=workers % {"count": whole(found.held)} if found.held else _("nobody is at it now"),
        stages=[(stage.label, duration(stage.took)) for stage in found.stages if stage.is_over],
        took=duration(found.took),
    )


def _queue(under_way: Sequence[Timed]) -> Queue:
    waiting = [each for each in under_way if not each.held]
    parts = sum(each.progress.total - each.progress.done - each.held for each in under_way)
    words = _("Nothing waits.")
    if parts:
        count = {"count": whole(parts)}
        words = ngettext("%(count)s part waits for a worker.", "%(count)s parts wait for a worker.", parts) % count
    elif waiting:
        count = {"count": whole(len(waiting))}
        words = ngettext("%(count)s run waits for a worker.", "%(count)s runs wait for a worker.", len(waiting)) % count
    since = ""
    if parts or waiting:
        since = _("The oldest was ordered %(time)s ago.") % {"time": duration(max(each.took for each in under_way))}
    now, seen = timezone.now(), _last_sign()
    # Orders are signs of people, not of workers.
    idle = waiting and min(now - each.run.created_at for each in waiting) > PATIENCE
    is_stuck = bool(idle) and (seen is None or now - seen > PATIENCE)
    return Queue(words, since, _workers(now, seen), is_stuck)


def _last_sign() -> datetime.datetime | None:
    """When a worker last did anything, of whatever use case: took a part, finished one, or ended a run."""
    now = timezone.now()
    parts = Part.objects.filter(run__state__in=Run.UNFINISHED).aggregate(
        finished=Max("finished_at"), held=Max("lease_expires_at", filter=Q(finished_at=None))
    )
    latest = Run.objects.order_by("-created_at").values_list("finished_at", flat=True)[:LISTED]
    signs = [parts["finished"], *latest]
    if parts["held"] is not None and parts["held"] > now:
        signs.append(now)
    return max((sign for sign in signs if sign is not None), default=None)


def _workers(now: datetime.datetime, seen: datetime.datetime | None) -> str:
    if seen is None:
        return _("No worker has done anything yet.")
    if seen >= now:
        return _("A worker is at work now.")
    return _("A worker last did something %(time)s ago.") % {"time": duration(now - seen)}
