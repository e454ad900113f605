"""Central ε: the bound for batches of reports without order or sender, by amplification."""

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from aggregation.accounting import composed
from reports.models import UseCase

# The bound fails with at most this probability.
DELTA: Final = 1e-6
# The privacy unit: neighbouring batches differ in this alone, however many days they have.
UNIT: Final = "what one person sends on one day"


@dataclass(frozen=True)
class Batch:
    """Reports that are seen only together, and how many of them one person may have sent on one day."""

    what: str
    n: int
    reports_per_person: int
    locale: str | None = None
    first_day: datetime.date | None = None
    last_day: datetime.date | None = None

    def document(self, per_report: Decimal) -> dict[str, Any]:
        """Return the batch with its central ε, None where only the local one holds."""
        of_one = min(self.reports_per_person, self.n)
        days = {"first_day": self.first_day, "last_day": self.last_day}
        window = {name: day.isoformat() for name, day in days.items() if day is not None}
        return {
            "what": self.what,
            **({"locale": self.locale} if window else {}),
            **window,
            "n": self.n,
            "reports_per_person": of_one,
            "local_epsilon": as_number(of_one * per_report),
            "central_epsilon": composed(float(per_report), self.n, of_one, DELTA),
        }


def as_number(epsilon: Decimal) -> int | float:
    """Return ε as JSON writes it."""
    return int(epsilon) if epsilon == int(epsilon) else float(epsilon)


def guaranteed(use_case: UseCase) -> list[Batch]:
    """Return the batches in which a report hides, given all publications together.

    Of all publications nothing can be computed but sums over classes of reports that no two publications tell apart,
    and each class has the minimum of reports. So a report hides among so many others, however often it is counted; and
    one after the other, so do all that a person sends on a day, be they in one class or in many: some may be counted
    on a later day, because they waited. What was sent on other days is among the others.
    """
    single = Batch("report", use_case.minimum_reports, 1)
    limit = use_case.reports_per_day
    return [single] if limit == 1 else [single, Batch("day", use_case.minimum_reports, limit)]


def half_known(use_case: UseCase) -> Batch:
    """Return the batch left if people who see results sent half of the minimum and can subtract it."""
    return Batch("half_known", max(1, use_case.minimum_reports // 2), 1)
