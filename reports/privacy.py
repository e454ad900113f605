"""What the reports of a use case cost the privacy of the person who sends them."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from reports.models import UseCase, Version
from reports.models.uploads import utc_today


@dataclass(frozen=True)
class Loss:
    """Privacy loss ε, added up over the most that one device may send."""

    per_report: Decimal
    reports_per_day: int
    per_day: Decimal
    retention_days: int
    over_retention: Decimal
    # The other use cases among which the reports of a day are divided.
    shared_with: tuple[UseCase, ...] = ()

    @property
    def others_cost_more(self) -> bool:
        """Whether a day's reports may be of another version, or use case, whose reports cost more."""
        return self.per_day > self.reports_per_day * self.per_report


def privacy_loss(use_case: UseCase, version: Version) -> Loss:
    """The loss under a version of a use case.

    Reports of one person add up. All of a day's reports may be for the version whose reports cost the most: one that
    is superseded but still accepts them, or one of another use case that shares the daily limit.
    """
    others: tuple[UseCase, ...] = ()
    if use_case.budget_group is not None:
        others = tuple(use_case.budget_group.use_cases.exclude(pk=use_case.pk))
    versions = Version.objects.filter(use_case__in=[use_case, *others])
    open_versions = versions.filter(state__in=[Version.State.ACTIVE, Version.State.SUPERSEDED])
    per_report = version.mechanism.report_epsilon
    per_day = use_case.reports_per_day * max(per_report, largest_epsilon(open_versions) or per_report)
    return Loss(
        per_report=per_report,
        reports_per_day=use_case.reports_per_day,
        per_day=per_day,
        retention_days=use_case.retention_days,
        over_retention=per_day * use_case.retention_days,
        shared_with=others,
    )


def largest_epsilon(versions: Iterable[Version]) -> Decimal | None:
    """The most that one report costs which is taken in today under one of the versions; None if none takes any in."""
    today = utc_today()
    costs = (version.mechanism.report_epsilon for version in versions if version.accepts_reports(today))
    return max(costs, default=None)
