"""What the reports of a use case cost the privacy of the person who sends them."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Prefetch

from reports.models import BudgetGroup, UseCase, Version
from reports.models.uploads import utc_today
from reports.results import known_versions


@dataclass(frozen=True)
class Loss:
    """Privacy loss ε, added up over the most that one device may send."""

    per_report: Decimal
    reports_per_day: int
    per_day: Decimal
    retention_days: int
    # The most days from its arrival that a report may be kept, what it waited for being counted included.
    days_held: int
    # Over so many days: reports of no more of them are here at the same time.
    over_retention: Decimal
    # The other use cases among which the reports of a day are divided.
    shared_with: tuple[UseCase, ...] = ()

    @property
    def days_waiting(self) -> int:
        """Days beyond the retention for which reports may wait to be counted."""
        return self.days_held - self.retention_days

    @property
    def others_cost_more(self) -> bool:
        """Tell whether a day's reports may belong to another version or use case whose reports cost more."""
        return self.per_day > self.reports_per_day * self.per_report

    @property
    def earlier_cost_more(self) -> bool:
        """Tell whether reports may be stored that cost more than any accepted today."""
        return self.over_retention > self.per_day * self.days_held


def privacy_loss(use_case: UseCase, version: Version) -> Loss:
    """The loss under a version of a use case."""
    if use_case.budget_group is None:
        return added_up(use_case, version, (), known_versions(use_case))
    others = tuple(use_case.budget_group.use_cases.exclude(pk=use_case.pk))
    versions = Version.objects.filter(use_case__in=[use_case, *others]).select_related("use_case")
    return added_up(use_case, version, others, versions.frozen())


def added_up(use_case: UseCase, version: Version, others: tuple[UseCase, ...], versions: Iterable[Version]) -> Loss:
    """The loss under a version, given all versions of the use cases that share the limit.

    Reports of one person add up. All of a day's reports may be for the version whose reports cost the most: one that
    is superseded but still accepts them, or one of another use case that shares the daily limit. Over the days held
    they may be for one that accepts none any more.
    """
    versions = list(versions)
    per_report = version.mechanism.report_epsilon
    per_day = use_case.reports_per_day * max(per_report, largest_epsilon(versions) or per_report)
    held = use_case.reports_per_day * max(per_report, largest_held(versions) or per_report)
    return Loss(
        per_report=per_report,
        reports_per_day=use_case.reports_per_day,
        per_day=per_day,
        retention_days=use_case.retention_days,
        days_held=use_case.days_held,
        over_retention=held * use_case.days_held,
        shared_with=others,
    )


def largest_epsilon(versions: Iterable[Version]) -> Decimal | None:
    """The most that one report costs which is taken in today under one of the versions; None if none takes any in."""
    today = utc_today()
    costs = (version.mechanism.report_epsilon for version in versions if version.accepts_reports(today))
    return max(costs, default=None)


def largest_held(versions: Iterable[Version]) -> Decimal | None:
    """The most that one report costs which may be held today under one of the versions; None if none can be."""
    today = utc_today()
    costs = (version.mechanism.report_epsilon for version in versions if may_be_held(version, today))
    return max(costs, default=None)


def may_be_held(version: Version, today: datetime.date) -> bool:
    """Tell whether raw reports made under a version may still be stored.

    Dates that are known decide, never whether there are some: else the day on which a use case leaves the sums would
    tell of which day its last reports are, however few. When a use case was paused or archived is not kept, so its
    active version counts for as long as it has one.
    """
    if version.accepts_until is None:
        return version.state != Version.State.DRAFT
    return today <= version.accepts_until + datetime.timedelta(days=version.use_case.days_held)


@dataclass(frozen=True)
class Budget:
    """A device's daily limit, shared among use cases, and the most that it can cost."""

    group: BudgetGroup | None
    # Those that take reports in.
    use_cases: tuple[UseCase, ...]
    # Those that take none in any more, but whose raw reports may still be held.
    held: tuple[UseCase, ...]
    reports_per_day: int
    # The most that one report costs: of those taken in today, and of those that may be held.
    largest: Decimal
    largest_held: Decimal
    # The longest that one of these reports may be kept.
    days_held: int

    @property
    def per_day(self) -> Decimal:
        return self.reports_per_day * self.largest if self.use_cases else Decimal(0)

    @property
    def over_retention(self) -> Decimal:
        return self.reports_per_day * self.largest_held * self.days_held


def all_use_cases() -> list[UseCase]:
    """Return every use case with its budget group and, in `versions`, its versions that were ever active."""
    versions = Version.objects.frozen()
    return list(UseCase.objects.select_related("budget_group").prefetch_related(Prefetch("versions", versions)))


def budgets(use_cases: Iterable[UseCase]) -> list[Budget]:
    """Return the budgets of use cases whose reports are accepted or may still be stored, each once."""
    by_limit: dict[tuple[str, int], list[UseCase]] = {}
    for use_case in use_cases:
        group = use_case.budget_group_id
        own = ("use case", use_case.pk) if group is None else ("group", group)
        if largest_held(use_case.versions.all()) is not None:
            by_limit.setdefault(own, []).append(use_case)
    return [_budget(members) for members in by_limit.values()]


def _budget(members: list[UseCase]) -> Budget:
    costs = {use_case: largest_epsilon(use_case.versions.all()) for use_case in members}
    held = (largest_held(use_case.versions.all()) for use_case in members)
    return Budget(
        group=members[0].budget_group,
        use_cases=tuple(use_case for use_case, cost in costs.items() if cost is not None),
        held=tuple(use_case for use_case, cost in costs.items() if cost is None),
        reports_per_day=members[0].reports_per_day,
        largest=max((cost for cost in costs.values() if cost is not None), default=Decimal(0)),
        largest_held=max((cost for cost in held if cost is not None), default=Decimal(0)),
        days_held=max(use_case.days_held for use_case in members),
    )
