"""Budget groups: use cases that share one daily limit."""

from collections.abc import Sequence

from reports.definitions.file import Definition
from reports.models import BudgetGroup, UseCase


def apply_limits(definitions: Sequence[Definition]) -> tuple[dict[str, BudgetGroup], dict[str, str]]:
    """Create the groups that definitions name and set their limits; what was changed, in words, by group.

    The file decides: a limit counts for use cases of the group that are not in the file too, and they are named.
    """
    limits = {definition.budget_group: definition.daily_limit for definition in definitions if definition.budget_group}
    slugs = [definition.slug for definition in definitions]
    groups: dict[str, BudgetGroup] = {}
    changes: dict[str, str] = {}
    for name in sorted(limits):  # in one order, so that nobody waits in a circle
        group, created = BudgetGroup.objects.select_for_update(no_key=True).get_or_create(
            name=name, defaults={"daily_limit": limits[name]}
        )
        groups[name] = group
        if created:
            changes[name] = f"budget group {name!r} created, with {limits[name]} reports a day together"
        elif group.daily_limit != limits[name]:
            changes[name] = f"budget group {name!r} allows {limits[name]} reports a day, not {group.daily_limit}"
            group.daily_limit = limits[name]
            group.save(update_fields=["daily_limit"])
            others = UseCase.objects.filter(budget_group=group).exclude(slug__in=slugs).order_by("slug")
            if others:
                changes[name] += f"; that goes for {', '.join(other.slug for other in others)} too, not in the file"
    return groups, changes
