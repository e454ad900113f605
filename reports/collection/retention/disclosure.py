"""Disclosure of deletions."""

import datetime
from dataclasses import dataclass
from typing import Protocol

from django.db.models import Count, Max, Min, Q, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from reports.formatting import whole
from reports.models import Deletion, UseCase


@dataclass(frozen=True)
class Deleted:
    """A deletion of a version's reports on one day for one reason.

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
    # Of the parts that were published by themselves, the smallest; and of those that no run had counted. Zero where
    # that is not known: a part may have been of any size.
    fewest: int
    fewest_uncounted: int
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
        fewest=Min(Coalesce("fewest", 0)),
        fewest_uncounted=Min(Coalesce("fewest_uncounted", 0), filter=Q(never_counted__gt=0)),
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
            row["fewest"],
            row["fewest_uncounted"] or 0,
            row["deleted_by__username"] or "",
        )
        for row in rows
    ]


class Counted(Protocol):
    """Reports that there are, or that were deleted; a smallest part that is not known is None, or zero."""

    @property
    def reports(self) -> int: ...
    @property
    def never_counted(self) -> int: ...
    @property
    def fewest(self) -> int | None: ...
    @property
    def fewest_uncounted(self) -> int | None: ...


def in_words(what: Counted, minimum: int) -> tuple[str, str]:
    """Describe the number of reports, and of those that no run counted."""
    return (
        how_many(what.reports, minimum, what.fewest or 0),
        how_many_uncounted(what.reports, what.never_counted, minimum, what.fewest_uncounted or 0),
    )


def may_be_told(reports: int, minimum: int, fewest: int | None = None) -> bool:
    """Tell whether disclosing a number reveals no number below the minimum, directly or by subtraction.

    From a sum whose smallest part, `fewest`, is below it the others, told by themselves, could be subtracted.
    """
    return min(reports, reports if fewest is None else fewest) >= minimum


def how_many(reports: int, minimum: int, fewest: int | None = None) -> str:
    """A number of reports in words, which say it only if it may be told."""
    if may_be_told(reports, minimum, fewest):
        return whole(reports)
    words = _("fewer than %(minimum)s") if reports < minimum else _("at least %(minimum)s")
    return words % {"minimum": whole(minimum)}


def how_many_uncounted(reports: int, never_counted: int, minimum: int, fewest: int | None = None) -> str:
    """Describe the number of reports that no run counted. Zero may be disclosed."""
    return "0" if reports and not never_counted else how_many(never_counted, minimum, fewest)
