"""Reports that wait to be counted, and for what: a run, the end of their day, or a decision."""

import datetime
from collections.abc import Collection, Mapping
from enum import IntEnum
from typing import cast

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.formatting import day_range
from reports.models import QuarantinedShard, Run, UseCase
from reports.models.uploads import utc_today
from reports.models.use_cases import WAITING_DAYS
from reports.results import cached_each
from reports.retention import how_many
from reports.runs import Uncounted, uncounted
from reports.web.pages.operations.operations_runs import Runs
from reports.web.pages.tables import Cell, Heading, Row, Table, number

# So old may numbers be: what arrives renews nothing that they are kept under, only what is counted does.
KEPT_SECONDS = 60


def waiting(use_cases: Mapping[int, UseCase], runs: Runs) -> Table | None:
    """Reports that no run has counted yet, and what has to happen before that: first those that wait for a person."""
    found = cached_each(list(use_cases.values()), "uncounted", "", uncounted, seconds=KEPT_SECONDS)
    under_way, failed = ({cast(Run, each.job).version_id for each in those} for those in (runs.under_way, runs.failed))
    there = [(use_cases[pk], each, _cause(each, under_way, failed)) for pk, each in found.items() if each is not None]
    there.sort(key=lambda one: (one[2], one[0].title))
    rows: list[Row] = [
        [
            Cell(use_case.title, reverse("use_case", args=[use_case.slug])),
            how_many(each.reports, use_case.minimum_reports, each.fewest),
            day_range(each.first_day, each.last_day),
            str(_UNTIL[cause]),
        ]
        for use_case, each, cause in there
    ]
    headings = [Heading(_("Use case")), number(_("Reports")), Heading(_("Days")), Heading(_("What comes next"))]
    return Table(_("Reports that no run has counted yet, by use case"), headings, rows) if rows else None


class _Cause(IntEnum):
    """Cause of not being counted yet: those that need a person come before those that only take time."""

    FAILED = 0
    NO_DICTIONARY = 1
    DUE = 2
    TODAY = 3
    UNDER_WAY = 4


_UNTIL = {
    _Cause.FAILED: gettext_lazy(
        "The last run failed. Another will start automatically; you can also retry this one now."
    ),
    _Cause.NO_DICTIONARY: gettext_lazy("Nothing is counted before there is a dictionary: add one."),
    _Cause.DUE: gettext_lazy("Days that are over are counted within ten minutes, if a worker and its schedule run."),
    _Cause.TODAY: gettext_lazy("They are counted when the day is over (UTC), or when an owner aggregates."),
    _Cause.UNDER_WAY: gettext_lazy("A run is under way."),
}


def _cause(there: Uncounted, under_way: Collection[int], failed: Collection[int]) -> _Cause:
    if not there.versions.isdisjoint(failed):
        return _Cause.FAILED
    if not there.versions.isdisjoint(under_way):
        return _Cause.UNDER_WAY
    if not there.countable:
        return _Cause.NO_DICTIONARY
    return _Cause.TODAY if there.first_day >= utc_today() else _Cause.DUE


# --- What waits for a decision ---


def in_quarantine(use_cases: Mapping[int, UseCase]) -> list[tuple[UseCase, int, datetime.date]]:
    """Batches of each use case that wait for a decision, and the first day on which some are deleted, undecided."""
    shards = QuarantinedShard.objects.filter(version__use_case__in=list(use_cases)).order_by()
    rows = shards.values("version__use_case").annotate(waiting=Count("batch", distinct=True), since=Min("held_since"))
    return [
        (use_cases[pk], waiting, since + datetime.timedelta(days=WAITING_DAYS))
        for pk, waiting, since in rows.order_by("since").values_list("version__use_case", "waiting", "since")
    ]
