"""Facts of the database about use cases now, whatever is published: versions, runs, and what waits."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import JSONObject

from reports.models import Part, QuarantinedShard, Run, Shard, UseCase, Version
from reports.models.devices import has_waiting


@dataclass(frozen=True)
class Facts:
    """Facts of one use case."""

    is_active: bool = False
    # Locales of the active version.
    locales: Sequence[str] = ()
    run: Mapping[str, Any] | None = None
    has_reports: bool = False

    @property
    def run_state(self) -> str | None:
        """State of the latest run of any version."""
        return None if self.run is None else self.run["state"]


def facts_of(found: Sequence[UseCase]) -> dict[int, Facts]:
    """Return each use case's active version, the latest run of any version, and whether any has reports."""
    newest = Run.objects.filter(version=OuterRef("pk")).order_by("-created_at")
    described = JSONObject(pk="pk", state="state", created_at="created_at", last_day="last_day")
    versions = Version.objects.filter(use_case__in=found).frozen().order_by("number")
    rows = versions.values(
        "use_case",
        "state",
        "locales",
        run=Subquery(newest.values(run=described)[:1]),
        has_reports=Exists(Shard.objects.filter(version=OuterRef("pk"))) | has_waiting(version=OuterRef("pk")),
    )
    facts = dict.fromkeys((use_case.pk for use_case in found), Facts())
    for row in rows:
        each = facts[row["use_case"]]
        runs = [run for run in (each.run, row["run"]) if run is not None]
        is_active = row["state"] == Version.State.ACTIVE
        facts[row["use_case"]] = Facts(
            is_active=is_active or each.is_active,
            locales=row["locales"] if is_active else each.locales,
            run=max(runs, key=lambda run: datetime.datetime.fromisoformat(run["created_at"]), default=None),
            has_reports=each.has_reports or row["has_reports"],
        )
    return facts


def percents(facts: Mapping[int, Facts]) -> dict[int, int]:
    """Return the progress of the latest run of each use case where it is not finished, for owners."""
    unfinished = {
        each.run["pk"]: use_case
        for use_case, each in facts.items()
        if each.run is not None and each.run_state in Run.UNFINISHED
    }
    found = dict.fromkeys(unfinished.values(), 0)
    parts = Part.objects.filter(run__in=list(unfinished)).order_by().values("run")
    counted = parts.annotate(total=Count("pk"), done=Count("finished_at")).values_list("run", "total", "done")
    for run, total, done in counted:
        found[unfinished[str(run)]] = 100 * done // (total + 1)
    return found


def quarantined(owned: Collection[int]) -> dict[int, int]:
    """Count the batches with reports for each use case that wait for a decision."""
    shards = QuarantinedShard.objects.filter(version__use_case__in=owned).order_by()
    counted = shards.values("version__use_case").annotate(batches=Count("batch", distinct=True))
    return dict(counted.values_list("version__use_case", "batches"))
