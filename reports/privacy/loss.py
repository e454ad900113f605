"""Privacy loss ε of the people whose devices report, added up over reports, days and use cases."""

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
    """Return the loss under a version of a use case."""
    if use_case.budget_group is None:
        return added_up(use_case, version, (), known_versions(use_case))
    others = tuple(use_case.budget_group.use_cases.exclude(pk=use_case.pk))
    versions = Version.objects.filter(use_case__in=[use_case, *others]).select_related("use_case")
    return added_up(use_case, version, others, versions.frozen())


def added_up(use_case: UseCase, version: Version, others: tuple[UseCase, ...], versions: Iterable[Version]) -> Loss:
    """Return the loss under a version, given all versions of the use cases that share the limit.

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
    """Return the largest ε of a report that is accepted today under one of the versions; None if none is."""
    today = utc_today()
    return _largest(version for version in versions if version.accepts_reports(today))


def largest_held(versions: Iterable[Version]) -> Decimal | None:
    """Return the largest ε of a report that may be stored today under one of the versions; None if none may be."""
    today = utc_today()
    return _largest(version for version in versions if may_be_held(version, today))


def _largest(versions: Iterable[Version]) -> Decimal | None:
    return max((version.mechanism.report_epsilon for version in versions), default=None)


def may_be_held(version: Version, today: datetime.date) -> bool:
    """Tell whether raw reports made under a version may still be stored.

    Known dates decide, never whether there are some: otherwise the day on which a use case leaves the sums would
    disclose the day of its last reports, however few. The day on which a use case was paused or archived is not kept,
    so its active version counts for as long as it has one.
    """
    if version.accepts_until is None:
        return version.state != Version.State.DRAFT
    return today <= version.accepts_until + datetime.timedelta(days=version.use_case.days_held)


@dataclass(frozen=True)
class Budget:
    """A device's daily limit, shared among use cases, and the most that it can cost."""

    group: BudgetGroup | None
    # Accept reports.
    use_cases: tuple[UseCase, ...]
    # Accept none any more, but have raw reports that may still be stored.
    held: tuple[UseCase, ...]
    reports_per_day: int
    # The largest ε of a report that is accepted today, and of one that may be stored.
    largest: Decimal
    largest_held: Decimal
    # The most days for which one of these reports may be stored.
    days_held: int

    @property
    def per_day(self) -> Decimal:
        return self.reports_per_day * self.largest if self.use_cases else Decimal(0)

    @property
    def over_retention(self) -> Decimal:
        return self.reports_per_day * self.largest_held * self.days_held


def all_use_cases() -> list[UseCase]:
    """Return every use case that is not simulated, with its budget group and the versions that were ever active."""
    versions = Version.objects.frozen()
    asked = UseCase.objects.filter(simulation_of=None)
    return list(asked.select_related("budget_group").prefetch_related(Prefetch("versions", versions)))


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
    versions = [version for use_case in members for version in use_case.versions.all()]
    return Budget(
        group=members[0].budget_group,
        use_cases=tuple(use_case for use_case, cost in costs.items() if cost is not None),
        held=tuple(use_case for use_case, cost in costs.items() if cost is None),
        reports_per_day=members[0].reports_per_day,
        largest=max(filter(None, costs.values()), default=Decimal(0)),
        largest_held=largest_held(versions) or Decimal(0),
        days_held=max(use_case.days_held for use_case in members),
    )
