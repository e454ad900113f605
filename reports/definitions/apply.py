"""Applying definitions: use cases become what a file says they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import Group
from django.db import transaction

from reports.definitions.budget import apply_limits
from reports.definitions.dictionary import copy_dictionary, revise_dictionary
from reports.definitions.errors import DefinitionError
from reports.definitions.file import Definition
from reports.definitions.rules import Rules
from reports.definitions.versions import add_draft, change_locales, make_active
from reports.models import BudgetGroup, UseCase, Version
from reports.prescribed import hide_below_prescribed, lock_publications_of

# Copied as they are; the rest of a definition needs thought.
_PLAIN_FIELDS = (
    "title",
    "description",
    "retention_days",
    "minimum_reports",
    "false_positive_rate",
    "prescribed_threshold",
    "grace_days",
    "dictionary_complete",
)


@dataclass
class Applied:
    """What applying a file did to one use case; `changes` is empty when nothing was to be done."""

    slug: str
    changes: list[str] = field(default_factory=list)


@transaction.atomic
def apply_definitions(definitions: Sequence[Definition]) -> list[Applied]:
    """Create, change or version use cases as defined: all of them, or on `DefinitionError` none.

    Applying the same definitions again changes nothing. A use case that is not among them is left as it is.
    """
    # All locks are taken in one order, so that two who apply files do not wait for each other in a circle.
    _lock_where_raised(definitions)
    groups, limit_changes = apply_limits(definitions)
    for name in sorted({name for item in definitions for name in (*item.viewer_groups, item.owner_group) if name}):
        Group.objects.get_or_create(name=name)
    applied = {}
    for definition in sorted(definitions, key=lambda definition: definition.slug):
        group = groups.get(definition.budget_group)
        try:
            applied[definition.slug] = _apply(definition, group)
        except DefinitionError as error:
            where = f"use case {definition.slug!r}"
            raise DefinitionError([f"{where}: {problem}" for problem in error.problems]) from None
        if definition.budget_group in limit_changes:
            applied[definition.slug].changes.append(limit_changes[definition.budget_group])
    return [applied[definition.slug] for definition in definitions]


def _lock_where_raised(definitions: Sequence[Definition]) -> None:
    wanted = {each.slug: each.prescribed_threshold for each in definitions if each.prescribed_threshold is not None}
    found = UseCase.objects.filter(slug__in=wanted)
    lock_publications_of([each for each in found if (each.prescribed_threshold or 0) < wanted[each.slug]])


def _apply(definition: Definition, group: BudgetGroup | None) -> Applied:
    applied = Applied(definition.slug)
    fields = {name: getattr(definition, name) for name in _PLAIN_FIELDS}
    use_case, created = UseCase.objects.select_for_update(no_key=True).get_or_create(
        slug=definition.slug, defaults={**fields, "daily_limit": definition.daily_limit}
    )
    if created:
        applied.changes.append("created")
    _update_plain_fields(use_case, definition, group, applied)
    _update_groups(use_case, definition, applied)
    before = use_case.active_version()
    version = _update_version(use_case, before, definition, applied)
    if tuple(version.locales) != definition.locales:
        version = change_locales(version, definition.locales)
        applied.changes.append("locales changed")
    _update_dictionary(version, before, definition, applied)
    return applied


def _update_plain_fields(
    use_case: UseCase, definition: Definition, group: BudgetGroup | None, applied: Applied
) -> None:
    wanted = {name: getattr(definition, name) for name in _PLAIN_FIELDS}
    wanted["budget_group"] = group
    if group is None:  # otherwise the limit is the group's
        wanted["daily_limit"] = definition.daily_limit
    changed = [name for name, value in wanted.items() if getattr(use_case, name) != value]
    for name in changed:
        setattr(use_case, name, wanted[name])
    if changed:
        use_case.save(update_fields=changed)
        applied.changes.append("changed " + ", ".join(changed))
    if "prescribed_threshold" in changed:
        hide_below_prescribed(use_case)


def _update_groups(use_case: UseCase, definition: Definition, applied: Applied) -> None:
    viewers = {*Group.objects.filter(name__in=definition.viewer_groups)}
    if viewers != set(use_case.viewer_groups.all()):
        use_case.viewer_groups.set(viewers)
        applied.changes.append("viewer groups changed")
    owner = Group.objects.get(name=definition.owner_group) if definition.owner_group else None
    if use_case.owner_group != owner:
        use_case.owner_group = owner
        use_case.save(update_fields=["owner_group"])
        applied.changes.append("owner group changed")


def _update_version(use_case: UseCase, active: Version | None, definition: Definition, applied: Applied) -> Version:
    """The active version as defined: the present one if nothing frozen differs, otherwise a new one."""
    # A seed that is left out keeps the present one, so only the rest decides.
    if active is not None and Rules.of(active) == definition.rules.with_seed(active.parameters["seed"]):
        return active
    version = add_draft(use_case, definition.rules, definition.locales)
    make_active(use_case, version)
    applied.changes.append(f"version {version.number} is active")
    return version


def _update_dictionary(version: Version, before: Version | None, definition: Definition, applied: Applied) -> None:
    revision = None
    if definition.entries is not None:
        revision = revise_dictionary(version, definition.entries)
    elif before is not None and before != version and version.discovery is None and _normalize_alike(before, version):
        # A definition without a dictionary keeps the one in force; discovery needs none, and other rules of
        # normalisation make it void.
        revision = copy_dictionary(before, version)
    if revision is not None:
        applied.changes.append(f"dictionary revision {revision.number} has {revision.size} elements")


def _normalize_alike(one: Version, other: Version) -> bool:
    return (one.normalization, one.keep_case) == (other.normalization, other.keep_case)
