"""What the reports of a use case cost the privacy of the person who sends them."""

from dataclasses import dataclass
from decimal import Decimal

from reports.models import UseCase, Version


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


def privacy_loss(use_case: UseCase, version: Version) -> Loss:
    """The loss under a version of a use case.

    Reports of one person add up. Where use cases share a daily limit, all of a day's reports may be for the one whose
    reports cost the most.
    """
    others: tuple[UseCase, ...] = ()
    costs = [version.mechanism.report_epsilon]
    if use_case.budget_group is not None:
        others = tuple(use_case.budget_group.use_cases.exclude(pk=use_case.pk))
        active = Version.objects.filter(use_case__in=others, state=Version.State.ACTIVE)
        costs += [other.mechanism.report_epsilon for other in active]
    per_day = use_case.reports_per_day * max(costs)
    return Loss(
        per_report=version.mechanism.report_epsilon,
        reports_per_day=use_case.reports_per_day,
        per_day=per_day,
        retention_days=use_case.retention_days,
        over_retention=per_day * use_case.retention_days,
        shared_with=others,
    )
