"""What is left of ε once nobody can tell whose report is whose: the bound for batches without order or sender."""

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import F

from aggregation.accounting import composed
from reports.models import Histogram, UseCase, Version

# With this probability the bound need not hold.
DELTA: Final = 1e-6
# What every figure is about, however many days a batch has: two batches differ in nothing but this.
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
        """With the central ε, None where the local one is all that holds."""
        of_one = min(self.reports_per_person, self.n)
        window = {}
        if self.first_day is not None and self.last_day is not None:
            window = {
                "locale": self.locale,
                "first_day": self.first_day.isoformat(),
                "last_day": self.last_day.isoformat(),
            }
        return {
            "what": self.what,
            **window,
            "n": self.n,
            "reports_per_person": of_one,
            "local_epsilon": as_number(of_one * per_report),
            "central_epsilon": composed(float(per_report), self.n, of_one, DELTA),
        }


def as_number(epsilon: Decimal) -> int | float:
    """As JSON writes it."""
    return int(epsilon) if epsilon == int(epsilon) else float(epsilon)


def guaranteed(use_case: UseCase) -> list[Batch]:
    """What holds for all that is published together.

    Of all publications nothing can be computed but sums over classes of reports that no two publications tell apart,
    and each class has the minimum of reports. So a report hides among so many others, however often it is counted; and
    one after the other, so do all that a person sends on a day, be they in one class or in many: some may be counted
    on a later day, because they waited. What was sent on other days is among the others.
    """
    single = Batch("report", use_case.minimum_reports, 1)
    limit = use_case.reports_per_day
    return [single] if limit == 1 else [single, Batch("day", use_case.minimum_reports, limit)]


def half_known(use_case: UseCase) -> Batch:
    """What a report hides among if half of the minimum was sent by people who see results, and can subtract it."""
    return Batch("half_known", max(1, use_case.minimum_reports // 2), 1)


def newest_published(version: Version) -> list[Batch]:
    """The newest window and the newest single day that people can look at, each by itself.

    Of its locales the one with the fewest reports. A person may have reports in it from many days, and more than the
    daily limit even in a single day, as some may have waited; of one day of sending there are never more.
    """
    published = Histogram.objects.filter(version=version, replaced=False, grouping="")
    # Of the windows that end on one day the longest.
    window = published.order_by("-last_day", "first_day", "n").first()
    day = published.filter(first_day=F("last_day")).order_by("-last_day", "n").first()
    found = [("published_window", window), ("published_day", day)]
    if window is not None and window.first_day == window.last_day:
        # The newest window is a day, and said once.
        found = found[1:]
    return [_published(what, histogram, version) for what, histogram in found if histogram is not None]


def _published(what: str, histogram: Histogram, version: Version) -> Batch:
    limit = version.use_case.reports_per_day
    return Batch(what, histogram.n, limit, histogram.locale, histogram.first_day, histogram.last_day)
