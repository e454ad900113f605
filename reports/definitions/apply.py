"""Application of definitions: use cases become what a file says."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction

from reports.definitions.definition_file import PLAIN_FIELDS, Definition, in_words
from reports.definitions.dictionary import copy_dictionary, revise_dictionary
from reports.definitions.versions import RULES, add_draft, change_locales, make_active, settings_of
from reports.kinds import kind_of
from reports.models import BudgetGroup, UseCase, Version
from reports.prescribed import show_anew
from reports.publication import lock_publications_of


@dataclass
class Applied:
    """Changes that applying a file made to one use case; empty if there was nothing to do."""

    slug: str
    changes: list[str]


@transaction.atomic
def apply_definitions(definitions: Sequence[Definition]) -> list[Applied]:
    """Create, change or version use cases as defined: all of them, or on `ValidationError` none.

    Applying the same definitions again changes nothing. A use case that is not among them is left as it is.
    """
    # All locks are taken in one order, so that two files applied at once do not deadlock.
    _lock_where_shown_anew(definitions)
    limits = {each.budget_group: each.use_case.daily_limit for each in definitions if each.budget_group}
    slugs = [definition.slug for definition in definitions]
    groups = {name: _budget_group(name, limits[name], slugs) for name in sorted(limits)}
    for name in sorted({name for each in definitions for name in (*each.viewer_groups, each.owner_group) if name}):
        Group.objects.get_or_create(name=name)
    applied = {}
    for definition in sorted(definitions, key=lambda definition: definition.slug):
        group, limit_changes = groups.get(definition.budget_group, (None, []))
        try:
            changes = _apply(definition, group)
        except ValidationError as error:
            raise ValidationError([f"use case {definition.slug!r}: {each}" for each in in_words(error)]) from None
        applied[definition.slug] = Applied(definition.slug, changes + limit_changes)
    return [applied[slug] for slug in slugs]


def _lock_where_shown_anew(definitions: Sequence[Definition]) -> None:
    """Lock publications of use cases that will have another minimum, or another prescribed threshold."""
    wanted = {each.slug: (each.use_case.minimum_reports, each.use_case.prescribed_threshold) for each in definitions}
    found = UseCase.objects.filter(slug__in=wanted)
    lock_publications_of(
        [each for each in found if (each.minimum_reports, each.prescribed_threshold) != wanted[each.slug]]
    )


def _budget_group(name: str, limit: int, slugs: Sequence[str]) -> tuple[BudgetGroup, list[str]]:
    """Return the group with this limit, and the changes in words.

    The file decides: the limit counts for use cases of the group that are not in the file too, and they are named.
    """
    group, created = BudgetGroup.objects.select_for_update(no_key=True).get_or_create(
        name=name, defaults={"daily_limit": limit}
    )
    if created:
        return group, [f"budget group {name!r} created, with {limit} reports a day together"]
    if group.daily_limit == limit:
        return group, []
    change = f"budget group {name!r} allows {limit} reports a day, not {group.daily_limit}"
    group.daily_limit = limit
    group.save(update_fields=["daily_limit"])
    others = group.use_cases.exclude(slug__in=slugs).order_by("slug").values_list("slug", flat=True)
    return group, [change + (f"; that goes for {', '.join(others)} too, not in the file" if others else "")]


def _apply(definition: Definition, group: BudgetGroup | None) -> list[str]:
    """Apply one definition; return the changes in words."""
    plain = {name: getattr(definition.use_case, name) for name in PLAIN_FIELDS}
    use_case, created = UseCase.objects.select_for_update(no_key=True).get_or_create(
        slug=definition.slug, defaults=plain
    )
    changes = ["created"] if created else []
    changes += _update_fields(use_case, plain | {"budget_group": group})
    changes += _update_groups(use_case, definition)
    before = use_case.active_version()
    version, activated = _update_version(use_case, before, definition)
    changes += activated
    if version == before:
        changes += _update_dictionary(version, before, definition)
    if version.locales != definition.version.locales:
        version = change_locales(version, definition.version.locales)
        changes.append("locales changed")
    return changes


def _update_fields(use_case: UseCase, wanted: dict[str, object]) -> list[str]:
    changed = [
        name
        for name, value in wanted.items()
        # In a budget group the limit is the group's.
        if getattr(use_case, name) != value and (name != "daily_limit" or wanted["budget_group"] is None)
    ]
    for name in changed:
        setattr(use_case, name, wanted[name])
    if changed:
        use_case.save(update_fields=changed)
    show_anew(use_case, changed)
    return [f"changed {', '.join(changed)}"] if changed else []


def _update_groups(use_case: UseCase, definition: Definition) -> list[str]:
    changes = []
    if {group.name for group in use_case.viewer_groups.all()} != definition.viewer_groups:
        use_case.viewer_groups.set(Group.objects.filter(name__in=definition.viewer_groups))
        changes.append("viewer groups changed")
    owner = Group.objects.filter(name=definition.owner_group).first()
    if use_case.owner_group != owner:
        use_case.owner_group = owner
        use_case.save(update_fields=["owner_group"])
        changes.append("owner group changed")
    return changes


def _update_version(use_case: UseCase, active: Version | None, definition: Definition) -> tuple[Version, list[str]]:
    """Return the active version as defined: the present one if nothing frozen differs, otherwise a new one."""
    settings = settings_of(definition.version)
    if active is not None:
        # Values that are left out and keep the present one do not decide: a seed, and what follows from the dictionary.
        wanted: dict[str, object] = {**settings}
        kept = {
            name: active.parameters[name]
            for name in ("seed", *active.dictionary_parameters, *active.dictionary_defaults)
            if name in active.parameters
        }
        wanted["parameters"] = {**kept, **settings["parameters"]}
        if all(getattr(active, name) == wanted[name] for name in RULES):
            return active, []
    version = add_draft(use_case, settings)
    counted = _update_dictionary(version, active, definition)
    make_active(use_case, version)
    return version, [f"version {version.number} is active", *counted]


def _update_dictionary(version: Version, before: Version | None, definition: Definition) -> list[str]:
    revision = None
    if definition.entries is not None:
        revision = revise_dictionary(version, definition.entries)
    elif (
        before not in (None, version)
        and kind_of(version).has_dictionary
        and before.normalized_as == version.normalized_as
    ):
        # A definition without a dictionary keeps the one in force; discovery needs none, and other rules of
        # normalisation make it void.
        revision = copy_dictionary(before, version)
    if revision is None:
        return []
    return [f"dictionary revision {revision.number} has {revision.size} elements"]
