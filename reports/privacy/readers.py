"""Readers of a use case's results, and how often they looked."""

from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import Group
from django.db.models import Count, Q

from reports import access
from reports.models import UseCase
from reports.viewings import recent

DAYS: Final = 30


def readers(use_case: UseCase, *, named: bool) -> dict[str, Any]:
    """Count people and programs; `named` adds groups by name, for readers who may see results. Never people by name."""
    found: dict[str, Any] = {
        "people_who_see_results": access.people(use_case, "view").count(),
        "people_who_change_settings": access.people(use_case, "edit").count(),
        "programs_that_read_results": access.reading_tokens(use_case).count(),
    }
    return found | {"groups": _groups(use_case)} if named else found


def _groups(use_case: UseCase) -> list[dict[str, Any]]:
    active = Count("user", filter=Q(user__is_active=True))
    viewers = use_case.viewer_groups.values_list("pk", flat=True)
    shown = Group.objects.filter(Q(pk__in=viewers) | Q(pk=use_case.owner_group_id)).annotate(people=active)
    return [
        {"name": group.name, "people": group.people, "owner": group.pk == use_case.owner_group_id}
        for group in shown.order_by("name")
    ]


def looked_at(use_case: UseCase) -> dict[str, Any]:
    """Count viewings of the results in the last days, by kind."""
    days = min(DAYS, settings.LDPSITE_VIEWING_DAYS)  # what is older is forgotten
    by = recent(use_case, days)
    return {"days": days, "times": sum(by.values()), "by": by}
