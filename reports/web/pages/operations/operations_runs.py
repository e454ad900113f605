"""Runs for those who see to it that they go on, under way, failed, and the last ones; and the hosts of workers."""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.access import may_define
from reports.formatting import day_range, duration, whole
from reports.jobs import SILENCE, Progress, is_nearly_full, is_silent, last_heartbeat, progress_by_job, worker_hosts
from reports.models import Run, UseCase, Version
from reports.web.pages.tables import Cell, Heading, Row, Table, number

LISTED = 20


@dataclass(frozen=True)
class Workers:
    """Workers that live, as far as the database tells."""

    words: str
    are_missing: bool


@dataclass(frozen=True)
class Runs:
    """Progress of runs, and the work for the workers."""

    under_way: list[Progress]
    failed: list[Progress]
    last: Table | None
    # Parts that no worker has taken yet, runs of which none has, and for how long the oldest run has been here.
    parts: int
    waiting: int
    longest: datetime.timedelta
    workers: Workers


def runs_of(use_cases: QuerySet[UseCase]) -> Runs:
    """Runs of use cases that the user owns; a fixed number of queries."""
    of_theirs = Run.objects.filter(version__use_case__in=use_cases.order_by().values("pk"))
    theirs = of_theirs.select_related("version__use_case")
    of_concern = theirs.filter(Q(state__in=Run.UNFINISHED) | Q(state=Run.State.FAILED, pk__in=_latest(use_cases)))
    concerning = list(of_concern.order_by("created_at"))
    under_way = [run for run in concerning if run.state != Run.State.FAILED]
    failed = [run for run in reversed(concerning) if run.state == Run.State.FAILED]
    last = list(theirs.order_by("-created_at")[:LISTED])
    runs = {run.pk: run for run in (*under_way, *failed, *last)}
    found = progress_by_job(runs.values())
    # No worker helps those that wait for the storage or the database.
    queued = [found[run.pk] for run in under_way if run.waits_until is None]
    return Runs(
        under_way=[found[run.pk] for run in under_way],
        failed=[found[run.pk] for run in failed],
        last=_last([found[run.pk] for run in last]),
        parts=sum(each.total - each.done - each.held for each in queued),
        waiting=sum(not each.held for each in queued),
        longest=max((each.took for each in queued), default=datetime.timedelta()),
        workers=_workers(timezone.now(), last_heartbeat()),
    )


def _latest(use_cases: QuerySet[UseCase]) -> list[uuid.UUID]:
    """The latest run of each version: failures before it need no action any more."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    versions = Version.objects.filter(use_case__in=use_cases.order_by().values("pk")).order_by()
    found = versions.annotate(newest=Subquery(newest)).exclude(newest=None)
    return list(found.values_list("newest", flat=True))


def _last(found: Sequence[Progress]) -> Table | None:
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
    rows: list[Row] = []
    for each in found:
        run: Any = each.job
        stages = [f"{stage.label} {duration(stage.took)}" for stage in each.begun if stage.is_over]
        rows.append(
            [
                Cell(run.version.use_case.title, reverse("run", args=[run.pk])),
                day_range(run.first_day, run.last_day),
                run.get_state_display(),
                date_format(run.created_at, "DATETIME_FORMAT"),
                " · ".join(stages) or "–",
                duration(each.took),
            ]
        )
    return Table(words % {"listed": LISTED}, headings, rows) if rows else None


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


def hosts(operator: User) -> list[tuple[str, str, bool]]:
    """Return the names of hosts and what is known of them, those that need attention first.

    None to owners, who cannot look after machines.
    """
    found = []
    for host in worker_hosts() if may_define(operator) else ():
        if silent := is_silent(host):
            last = date_format(timezone.localtime(host.seen_at), "SHORT_DATETIME_FORMAT")
            words = _("no heartbeat since %(time)s UTC") % {"time": last}
        else:
            words = _("alive, %(percent)s %% of its disk is free") % {"percent": whole(int(100 * host.free_disk_share))}
        found.append((host.name, words, silent or is_nearly_full(host)))
    return sorted(found, key=lambda each: not each[2])
