"""What was deleted when, for people to see."""

import datetime
from dataclasses import dataclass

from django.db.models import Count, Max, Min, Sum

from reports.models import Deletion, UseCase


@dataclass(frozen=True)
class Deleted:
    """What was deleted of a version on a day for one reason: so many reports of so many days.

    The numbers tell about days that may have fewer reports than the minimum: they are for owners.
    """

    deleted_on: datetime.date
    version: int
    first_day: datetime.date
    last_day: datetime.date
    days: int
    reports: int
    never_counted: int
    reason: Deletion.Reason
    # The name of the person who asked for it; empty if time did, or a command.
    deleted_by: str


def deletions(use_case: UseCase) -> list[Deleted]:
    """The newest first."""
    found = Deletion.objects.filter(version__use_case=use_case).order_by("-deleted_on", "-version__number", "reason")
    rows = found.values("deleted_on", "version__number", "reason", "deleted_by__username").annotate(
        first_day=Min("day"),
        last_day=Max("day"),
        days=Count("day", distinct=True),
        all_reports=Sum("reports"),
        all_never_counted=Sum("never_counted"),
    )
    return [
        Deleted(
            row["deleted_on"],
            row["version__number"],
            row["first_day"],
            row["last_day"],
            row["days"],
            row["all_reports"],
            row["all_never_counted"],
            Deletion.Reason(row["reason"]),
            row["deleted_by__username"] or "",
        )
        for row in rows
    ]
