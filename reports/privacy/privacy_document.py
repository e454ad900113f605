"""The privacy pages as JSON: what the pages show, and no more."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from reports import access
from reports.models import UseCase, Version
from reports.models.uploads import utc_today
from reports.privacy.central import DELTA, UNIT, as_number, guaranteed, half_known
from reports.privacy.history import deletions, dropped, versions
from reports.privacy.loss import Budget, Loss, added_up, all_use_cases, budgets, largest_epsilon, privacy_loss
from reports.privacy.privacy_kinds import PRIVACY, impact_of
from reports.privacy.promises import covered, fakes, not_covered, rules
from reports.privacy.readers import looked_at, readers
from reports.privacy.sample import sample


def use_case_document(person: access.Person, use_case: UseCase) -> dict[str, Any]:
    """Return the privacy document of a use case.

    Numbers of reports and names of groups are for people who may see its results, not for all to whom it is published.
    """
    sees_results = access.use_cases(person, "view").filter(pk=use_case.pk).exists()
    found = list(use_case.versions.frozen())
    version = shown_version(found)
    document = {
        "use_case": use_case.slug,
        "title": use_case.title,
        "description": use_case.description,
        "state": use_case.state,
        "published": use_case.privacy_published,
        "day": utc_today().isoformat(),
        "version": version and version.number,
        "retention": {
            "days": use_case.retention_days,
            "days_held": use_case.days_held,
            "deletions": deletions(use_case, counted=sees_results),
            "dropped": dropped(use_case) if sees_results else None,
        },
        "access": readers(use_case, named=sees_results) | {"looked_at": looked_at(use_case)},
        "versions": versions(found),
    }
    if version is None:
        return document
    version.use_case = use_case
    # The share tells how many elements are counted.
    share = impact_of(version).smallest_share if sees_results else None
    loss = privacy_loss(use_case, version)
    batches = guaranteed(use_case) + (PRIVACY.of(version).newest_published(version) if sees_results else [])
    return document | {
        "algorithm": version.algorithm,
        "epsilon": _epsilon(person, use_case, version, loss),
        "report": sample(version),
        "covered": covered(),
        "not_covered": not_covered(version),
        "central": {
            "delta": DELTA,
            "unit": UNIT,
            "batches": [batch.document(loss.per_report) for batch in batches],
            "half_known": half_known(use_case).document(loss.per_report),
        },
        "threshold": {
            "minimum_reports": use_case.minimum_reports,
            "false_positive_rate": use_case.false_positive_rate,
            "prescribed_threshold": use_case.prescribed_threshold,
            "smallest_share": share,
            "rules": rules(version, share),
        },
        "screening": fakes(version),
    }


def shown_version(found: Iterable[Version]) -> Version | None:
    """Return the active version, or else the last that was active."""
    return max(found, key=lambda version: (version.state == Version.State.ACTIVE, version.number), default=None)


def _epsilon(person: access.Person, use_case: UseCase, version: Version, loss: Loss) -> dict[str, Any]:
    return {
        "per_report": as_number(loss.per_report),
        "parts": PRIVACY.of(version).epsilon_parts(version),
        "reports_per_day": loss.reports_per_day,
        "budget_group": _group(person, use_case, loss),
        "per_day": as_number(loss.per_day),
        "others_cost_more": loss.others_cost_more,
        "earlier_cost_more": loss.earlier_cost_more,
        "retention_days": loss.retention_days,
        "days_held": loss.days_held,
        "over_retention": as_number(loss.over_retention),
    }


def _group(person: access.Person, use_case: UseCase, loss: Loss) -> dict[str, Any] | None:
    """Describe who shares the limit, naming only the use cases whose pages the person may read."""
    if use_case.budget_group is None:
        return None
    others = [other.pk for other in loss.shared_with]
    readable = list(access.use_cases(person, "privacy").filter(pk__in=others)) if others else []
    return {
        "name": use_case.budget_group.name,
        "shared_with": [{"use_case": other.slug, "title": other.title} for other in readable],
        "others": len(others) - len(readable),
    }


def site_document(person: access.Person) -> dict[str, Any]:
    """Return the privacy document of the site: the cost of all use cases together, and a line for each readable one.

    The sum of a day is over every use case that takes reports in, that over the days held also over those whose reports
    may still be stored, for every reader: what a person can lose here must not depend on which pages are published. The
    sums disclose nothing that the device configuration does not, or did while the use cases were running.
    """
    everything = all_use_cases()
    readable = set(access.use_cases(person, "privacy").values_list("pk", flat=True))
    found = budgets(everything)
    return {
        "day": utc_today().isoformat(),
        "delta": DELTA,
        "epsilon": {
            "use_cases": sum(len(budget.use_cases) for budget in found),
            "held": sum(len(budget.held) for budget in found),
            **_sums(found),
            "budgets": _budget_lines(found, readable),
        },
        "use_cases": [_line(use_case, everything) for use_case in everything if use_case.pk in readable],
    }


def _budget_lines(found: Sequence[Budget], readable: set[int]) -> list[dict[str, Any]]:
    """Return a line for each budget with a use case that the person may read about, and one for all others together."""
    listed = [budget for budget in found if any(use_case.pk in readable for use_case in budget.use_cases + budget.held)]
    rest = [budget for budget in found if budget not in listed]
    return [_budget_line(budgets, readable) for budgets in (*([budget] for budget in listed), rest) if budgets]


def _budget_line(budgets: Sequence[Budget], readable: set[int]) -> dict[str, Any]:
    group = budgets[0].group if len(budgets) == 1 else None
    asked, held = ([each for budget in budgets for each in getattr(budget, name)] for name in ("use_cases", "held"))
    named = any(use_case.pk in readable for use_case in (*asked, *held))
    return {
        "budget_group": group.name if group is not None and named else None,
        "use_cases": [use_case.title for use_case in asked if use_case.pk in readable],
        "others": sum(use_case.pk not in readable for use_case in asked),
        "held": [use_case.title for use_case in held if use_case.pk in readable],
        "held_others": sum(use_case.pk not in readable for use_case in held),
        "reports_per_day": sum(budget.reports_per_day for budget in budgets if budget.use_cases),
        "largest_epsilon": as_number(max(budget.largest for budget in budgets)),
        **_sums(budgets),
    }


def _sums(budgets: Sequence[Budget]) -> dict[str, int | float]:
    return {
        "per_day": as_number(sum((budget.per_day for budget in budgets), Decimal(0))),
        "over_retention": as_number(sum((budget.over_retention for budget in budgets), Decimal(0))),
    }


def _line(use_case: UseCase, everything: Sequence[UseCase]) -> dict[str, Any]:
    """Return the line of a use case, without ε as long as it never had an active version."""
    line = {
        "use_case": use_case.slug,
        "title": use_case.title,
        "state": use_case.state,
        "published": use_case.privacy_published,
        "retention_days": use_case.retention_days,
        "days_held": use_case.days_held,
        "minimum_reports": use_case.minimum_reports,
    }
    version = shown_version(use_case.versions.all())
    if version is None:
        return line | {"version": None}
    group = use_case.budget_group_id
    others = tuple(
        other for other in everything if group is not None and other.budget_group_id == group and other != use_case
    )
    loss = added_up(
        use_case, version, others, [each for member in (use_case, *others) for each in member.versions.all()]
    )
    return line | {
        "version": version.number,
        "takes_reports": largest_epsilon(use_case.versions.all()) is not None,
        "per_report": as_number(loss.per_report),
        "reports_per_day": loss.reports_per_day,
        "per_day": as_number(loss.per_day),
        "over_retention": as_number(loss.over_retention),
        "central_epsilon": guaranteed(use_case)[0].document(loss.per_report)["central_epsilon"],
    }
