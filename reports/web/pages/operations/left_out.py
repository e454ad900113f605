"""Records of the last days' uploads that were left out, and why: for operators.

Numbers of records are words where they are below the minimum, as everywhere.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import BigIntegerField, Count, Max, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from reports.access import batches
from reports.collection.ingest import REASONS
from reports.formatting import whole
from reports.models import DroppedReports, UseCase
from reports.models.uploads import utc_today
from reports.retention import how_many
from reports.web.pages.reasons import Reason, reason_of

# Days, today among them.
RECENT = 7
REMEMBERED = 28
LISTED = 20


def _since(days: int) -> datetime.date:
    return utc_today() - datetime.timedelta(days=days - 1)


@dataclass(frozen=True)
class LeftOut:
    """Records of the last days' uploads for some use cases that were left out for one reason."""

    titles: str
    reason: Reason
    records: str
    # Empty if the records are fewer than may be told.
    share: str
    newest: datetime.date


def left_out(person: User, use_cases: Mapping[int, UseCase]) -> list[LeftOut]:
    """Reasons, the most frequent first, in batches that the user may see; only those that occurred."""
    recent = batches(person).filter(day__gte=_since(RECENT)).exclude(rejected={}).order_by()
    reasons = dict(enumerate(sorted(REASONS)))
    # A sum is NULL if the reason did not occur.
    sums = {f"n{place}": Sum(_count_of(reason)) for place, reason in reasons.items()}
    rows: QuerySet[Any, Any] = recent.values("use_case_ids").annotate(kept=Sum("accepted"), newest=Max("day"), **sums)
    found = [(row[f"n{place}"], reason, row) for row in rows for place, reason in reasons.items() if row[f"n{place}"]]
    found.sort(key=lambda each: (-each[0], each[1], each[2]["use_case_ids"]))
    return [_left_out(count, reason, row, use_cases) for count, reason, row in found[:LISTED]]


def _left_out(count: int, reason: str, row: Mapping[str, Any], use_cases: Mapping[int, UseCase]) -> LeftOut:
    theirs = [use_cases[pk] for pk in row["use_case_ids"] if pk in use_cases]
    minimum = max((use_case.minimum_reports for use_case in theirs), default=0)
    everything = row["kept"] + sum(row[name] or 0 for name in row if name[0] == "n" and name != "newest")
    return LeftOut(
        ", ".join(use_case.title for use_case in theirs) or _("none that exists"),
        reason_of(reason),
        how_many(count, minimum),
        # Beside a total that is known from published reports, a share is a number of them.
        _coarse_percent(count / everything) if count >= minimum else "",
        row["newest"],
    )


def _count_of(reason: str) -> Cast:
    return Cast(KeyTextTransform(reason, "rejected"), BigIntegerField())


def _coarse_percent(share: float) -> str:
    if share < 0.01:
        return _("less than 1 %")
    return _("about %(percent)s %%") % {"percent": whole(100 * share)}


def dropped(use_cases: Mapping[int, UseCase]) -> list[tuple[UseCase, int]]:
    """On how many days something was dropped that devices sent. Never how much: it is less than may be published."""
    recent = DroppedReports.objects.filter(version__use_case__in=list(use_cases), day__gte=_since(REMEMBERED))
    rows = recent.order_by().values("version__use_case").annotate(days=Count("day", distinct=True))
    return [(use_cases[pk], days) for pk, days in rows.order_by("-days").values_list("version__use_case", "days")]
