"""History of a use case: its versions and the changes of each, and deletions of its raw reports."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Count

from reports import retention
from reports.models import DroppedReports, UseCase, Version

# More deletions than these are only counted.
LISTED: Final = 30


def versions(found: Sequence[Version]) -> list[dict[str, Any]]:
    """List versions, newest first, each with its changes against the one before. The caller leaves out drafts."""
    ordered = sorted(found, key=lambda version: version.number)
    before: list[Version | None] = [None, *ordered]
    return [_version(version, before[place]) for place, version in enumerate(ordered)][::-1]


def _version(version: Version, before: Version | None) -> dict[str, Any]:
    return {
        "number": version.number,
        "state": version.state,
        "created_on": version.created_at.date().isoformat(),
        "accepts_until": version.accepts_until and version.accepts_until.isoformat(),
        "changes": [] if before is None else changes(before, version),
    }


def changes(before: Version, after: Version) -> list[dict[str, Any]]:
    """List each rule that differs, with its old and new value; None where a version has no such rule."""
    old, new = _rules(before), _rules(after)
    names = dict.fromkeys([*new, *old])
    return [
        {"field": name, "from": old.get(name), "to": new.get(name)} for name in names if old.get(name) != new.get(name)
    ]


def _rules(version: Version) -> dict[str, Any]:
    return {
        "algorithm": version.algorithm,
        **version.parameters,
        "normalization": version.normalization,
        "keep_case": version.keep_case,
        "alphabet": version.alphabet,
        "locales": sorted(version.locales),
    }


def deletions(use_case: UseCase, *, counted: bool) -> dict[str, Any]:
    """List deletions of raw reports by the day on which they were done.

    `counted` adds days and numbers, for readers who may see results; not the number where a part of a day, such as a
    locale's, had fewer than may be published, because other numbers could be subtracted from it. Other readers get the
    month and the reason, because the day on which retention ended tells on which day there were reports.
    """
    minimum = use_case.minimum_reports
    found = retention.deletions(use_case)
    rows: list[dict[str, Any]] = [
        {
            "deleted_on": gone.deleted_on.isoformat(),
            "version": gone.version,
            "reason": gone.reason.value,
            "first_day": gone.first_day.isoformat(),
            "last_day": gone.last_day.isoformat(),
            "days": gone.days,
            "reports": gone.reports if retention.may_be_disclosed(gone.reports, minimum, gone.fewest) else None,
            # Where the number is missing, whether all together are too few, or only a part of them.
            "fewer_than_minimum": gone.reports < minimum,
        }
        for gone in found
    ]
    if not counted:
        months = dict.fromkeys((f"{gone.deleted_on:%Y-%m}", gone.reason.value) for gone in found)
        rows = [{"deleted_on": month, "reason": reason} for month, reason in months]
    return {"total": len(rows), "newest": rows[:LISTED]}


def dropped(use_case: UseCase) -> dict[str, Any]:
    """Count the days on which device records were dropped because too few like them came within a week.

    Never the number of records: each time it is less than may be published, and sums could be subtracted.
    """
    days = DroppedReports.objects.filter(version__use_case=use_case).aggregate(days=Count("day", distinct=True))
    return {"days": days["days"]}
