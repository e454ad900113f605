"""Runs for those who see to it that they go on: under way, failed, and the last ones."""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, duration, whole
from reports.jobs import SILENCE, Progress, last_heartbeat, progress_by_job
from reports.models import Run, UseCase, Version
from reports.web.pages.tables import Cell, Heading, Row, Table, number

LISTED = 20


@dataclass(frozen=True)
class RunLine:
    """A run in words."""

    run: Run
    progress: Progress
    title: str
    window: str
    # The stage of an unfinished run.
    stage: str
    parts: str
    workers: str
    # Times of the stages that are over.
    stages: list[tuple[str, str]]
    took: str


@dataclass(frozen=True)
class Queue:
    """Queue of work for the workers."""

    words: str
    # For how long the oldest unfinished run has been here; empty if nothing waits.
    since: str


@dataclass(frozen=True)
class Workers:
    """Workers that live, as far as the database tells."""

    words: str
    are_missing: bool


@dataclass(frozen=True)
class Runs:
    under_way: list[RunLine]
    failed: list[RunLine]
    last: Table | None
    queue: Queue
    workers: Workers


def runs_of(use_cases: QuerySet[UseCase]) -> Runs:
    """Runs of use cases that the user owns; a fixed number of queries."""
    theirs = Run.objects.filter(version__use_case__in=use_cases.order_by().values("pk")).select_related(
        "version__use_case", "requested_by"
    )
    of_concern = theirs.filter(Q(state__in=Run.UNFINISHED) | Q(state=Run.State.FAILED, pk__in=_latest(use_cases)))
    concerning = list(of_concern.order_by("created_at"))
    under_way = [run for run in concerning if run.state != Run.State.FAILED]
    failed = [run for run in reversed(concerning) if run.state == Run.State.FAILED]
    last = list(theirs.order_by("-created_at")[:LISTED])
    runs = {run.pk: run for run in (*under_way, *failed, *last)}
    found = progress_by_job(runs.values())
    lines = {pk: _line(run, found[pk]) for pk, run in runs.items()}
    return Runs(
        under_way=[lines[run.pk] for run in under_way],
        failed=[lines[run.pk] for run in failed],
        last=_last([lines[run.pk] for run in last]),
        queue=_queue([found[run.pk] for run in under_way]),
        workers=_workers(timezone.now(), last_heartbeat()),
    )


def _latest(use_cases: QuerySet[UseCase]) -> list[uuid.UUID]:
    """The latest run of each version: failures before it need no action any more."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    versions = Version.objects.filter(use_case__in=use_cases.order_by().values("pk")).order_by()
    found = versions.annotate(newest=Subquery(newest)).exclude(newest=None)
    return list(found.values_list("newest", flat=True))


def _line(run: Run, progress: Progress) -> RunLine:
    parts = ""
    if progress.total:
        words = _("%(done)s of %(total)s parts are done")
        parts = words % {"done": whole(progress.done), "total": whole(progress.total)}
    workers = ngettext("%(count)s part is being worked on", "%(count)s parts are being worked on", progress.held)
    return RunLine(
        run=run,
        progress=progress,
        title=run.version.use_case.title,
        window=day_range(run.first_day, run.last_day),
        stage=progress.stage,
        parts=parts,
        workers=workers % {"count": whole(progress.held)} if progress.held else _("no worker is on it now"),
        stages=[(stage.label, duration(stage.took)) for stage in progress.begun if stage.is_over],
        took=duration(progress.took),
    )


def _last(lines: Sequence[RunLine]) -> Table | None:
    words = ngettext(
        "The last run, with the time of its stages", "The last %(listed)s runs, with the times of their stages", LISTED
    )
    headings = [
        Heading(_("Use case")),
        Heading(_("Days")),
        Heading(_("State")),
        Heading(_("Ordered (UTC)")),
        Heading(_("Time of each stage")),
        number(_("Altogether")),
    ]
    rows: list[Row] = [
        [
            Cell(line.title, reverse("run", args=[line.run.pk])),
            line.window,
            line.run.get_state_display(),
            date_format(line.run.created_at, "DATETIME_FORMAT"),
            " · ".join(f"{label} {took}" for label, took in line.stages) or "–",
            line.took,
        ]
        for line in lines
    ]
    return Table(words % {"listed": LISTED}, headings, rows) if rows else None


def _queue(under_way: Sequence[Progress]) -> Queue:
    # No worker helps those that wait for the storage or the database.
    under_way = [each for each in under_way if each.job.waits_until is None]
    waiting = [each for each in under_way if not each.held]
    parts = sum(each.total - each.done - each.held for each in under_way)
    words = _("No run waits for a worker.")
    if parts:
        count = {"count": whole(parts)}
        words = ngettext("%(count)s part waits for a worker.", "%(count)s parts wait for a worker.", parts) % count
    elif waiting:
        count = {"count": whole(len(waiting))}
        words = ngettext("%(count)s run waits for a worker.", "%(count)s runs wait for a worker.", len(waiting)) % count
    since = ""
    if parts or waiting:
        since = _("The oldest was ordered %(time)s ago.") % {"time": duration(max(each.took for each in under_way))}
    return Queue(words, since)


def _workers(now: datetime.datetime, seen: datetime.datetime | None) -> Workers:
    if seen is None:
        return Workers(_("No worker has sent a heartbeat yet."), are_missing=True)
    if seen >= now:
        return Workers(_("A worker is at work now."), are_missing=False)
    if now - seen <= SILENCE:
        return Workers(_("The last heartbeat of a worker is less than two minutes old."), are_missing=False)
    # No length of time: it would be another one each time, and be read aloud.
    last = date_format(timezone.localtime(seen), "SHORT_DATETIME_FORMAT")
    return Workers(_("The last heartbeat of a worker: %(time)s UTC.") % {"time": last}, are_missing=True)
