"""Disclosure of deletions."""

import datetime
from dataclasses import dataclass

from django.db.models import Count, Max, Min, Q, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from reports.formatting import whole
from reports.models import Deletion, UseCase
from reports.retention.inventory import DayHoldings, Totals


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
    # The smallest of the parts that were published by themselves, and of those that no run had counted. Zero where that
    # is not known: a part may have been of any size.
    fewest: int
    fewest_uncounted: int
    # The name of the person who asked for it; empty if time did, or a command.
    deleted_by: str


def never_counted(use_case: UseCase) -> bool:
    """Tell whether some reports of a use case were deleted before a run counted them."""
    return Deletion.objects.filter(version__use_case=use_case, never_counted__gt=0).exists()


def deletions(use_case: UseCase) -> list[Deleted]:
    """Return the deletions of a use case, the newest first."""
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


def in_words(what: DayHoldings | Totals | Deleted | Deletion, minimum: int) -> tuple[str, str]:
    """Describe the number of reports, and of those that no run counted; none of these may be disclosed."""
    uncounted = how_many(what.never_counted, minimum, what.fewest_uncounted or 0)
    return how_many(
        what.reports, minimum, what.fewest or 0
    ), "0" if what.reports and not what.never_counted else uncounted


def may_be_disclosed(reports: int, minimum: int, fewest: int | None = None) -> bool:
    """Tell whether disclosing a number reveals no number below the minimum, directly or by subtraction.

    From a sum whose smallest part, `fewest`, is below it the others, disclosed by themselves, could be subtracted.
    """
    return min(reports, reports if fewest is None else fewest) >= minimum


def how_many(reports: int, minimum: int, fewest: int | None = None) -> str:
    """Put a number of reports into words, which say it only if it may be disclosed."""
    if may_be_disclosed(reports, minimum, fewest):
        return whole(reports)
    words = _("fewer than %(minimum)s") if reports < minimum else _("at least %(minimum)s")
    return words % {"minimum": whole(minimum)}
