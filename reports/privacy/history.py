"""How a use case came to be as it is: its versions and what each changed, and what of its reports is gone."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Count, Max, Sum

from reports import retention
from reports.models import DroppedReports, UseCase, Version

# More deletions than these are only counted.
LISTED: Final = 30


def versions(found: Sequence[Version]) -> list[dict[str, Any]]:
    """The versions, newest first, each with what it changed against the one before. Drafts are nobody's business."""
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
    """Each rule that differs, from what to what; None where one of the two has no such rule."""
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
    """What raw reports were deleted, by the day on which it was done.

    How many is said only to those who may see results, and not where it were fewer than may be published.
    """
    rows = [
        {
            "deleted_on": gone.deleted_on.isoformat(),
            "version": gone.version,
            "reason": gone.reason.value,
            "first_day": gone.first_day.isoformat(),
            "last_day": gone.last_day.isoformat(),
            "days": gone.days,
            "reports": _enough(gone.reports, use_case) if counted else None,
        }
        for gone in retention.deletions(use_case)
    ]
    return {"total": len(rows), "newest": rows[:LISTED]}


def dropped(use_case: UseCase, *, counted: bool) -> dict[str, Any]:
    """What devices sent and nobody ever saw, because too few sent the like within a week."""
    found = DroppedReports.objects.filter(version__use_case=use_case).aggregate(
        days=Count("day", distinct=True), last_day=Max("day"), reports=Sum("reports")
    )
    return {
        "days": found["days"],
        "last_day": found["last_day"] and found["last_day"].isoformat(),
        "reports": _enough(found["reports"] or 0, use_case) if counted else None,
    }


def _enough(count: int, use_case: UseCase) -> int | None:
    return count if count >= use_case.minimum_reports else None
