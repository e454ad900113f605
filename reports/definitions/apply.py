"""Applying definitions: the one writer of use cases, versions and dictionaries."""

import datetime
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import Group
from django.db import connection, transaction

from reports.definitions.dictionary import Entry, digest
from reports.definitions.file import Definition, DefinitionError
from reports.models import DictionaryRevision, UseCase, Version
from reports.models.uploads import utc_today

# Copied as they are; the rest of a definition needs thought.
_PLAIN_FIELDS = (
    "title",
    "description",
    "daily_limit",
    "budget_group",
    "retention_days",
    "minimum_reports",
    "false_positive_rate",
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
    return [_apply(definition) for definition in definitions]


def _apply(definition: Definition) -> Applied:
    applied = Applied(definition.slug)
    use_case, created = UseCase.objects.select_for_update().get_or_create(
        slug=definition.slug, defaults={name: getattr(definition, name) for name in _PLAIN_FIELDS}
    )
    if created:
        applied.changes.append("created")
    _update_plain_fields(use_case, definition, applied)
    _update_groups(use_case, definition, applied)
    before = use_case.active_version()
    version = _update_version(use_case, before, definition, applied)
    if tuple(version.locales) != definition.locales:
        version.locales = list(definition.locales)
        version.save(update_fields=["locales"])
        applied.changes.append("locales changed")
    entries = definition.entries
    if entries is None:
        entries = _present_entries(before, definition)
    _update_dictionary(version, entries, applied)
    return applied


def _update_plain_fields(use_case: UseCase, definition: Definition, applied: Applied) -> None:
    changed = [name for name in _PLAIN_FIELDS if getattr(use_case, name) != getattr(definition, name)]
    for name in changed:
        setattr(use_case, name, getattr(definition, name))
    if changed:
        use_case.save(update_fields=changed)
        applied.changes.append("changed " + ", ".join(changed))


def _update_groups(use_case: UseCase, definition: Definition, applied: Applied) -> None:
    viewers = {Group.objects.get_or_create(name=name)[0] for name in definition.viewer_groups}
    if viewers != set(use_case.viewer_groups.all()):
        use_case.viewer_groups.set(viewers)
        applied.changes.append("viewer groups changed")
    owner = Group.objects.get_or_create(name=definition.owner_group)[0] if definition.owner_group else None
    if use_case.owner_group != owner:
        use_case.owner_group = owner
        use_case.save(update_fields=["owner_group"])
        applied.changes.append("owner group changed")


def _frozen_beside_parameters(source: Definition | Version) -> tuple[object, ...]:
    """What is frozen in a version although documents do not carry it."""
    return source.normalization, source.keep_case, source.alphabet


def _update_version(use_case: UseCase, active: Version | None, definition: Definition, applied: Applied) -> Version:
    """The active version as defined: the present one if nothing frozen differs, otherwise a new one."""
    parameters = dict(definition.parameters)
    if active is not None:
        # A seed that is left out keeps the present one, so only the rest decides.
        compared = {**parameters, "seed": parameters.get("seed", active.parameters["seed"])}
        if (
            active.algorithm == definition.algorithm
            and active.parameters == compared
            and _frozen_beside_parameters(active) == _frozen_beside_parameters(definition)
        ):
            return active
    parameters.setdefault("seed", secrets.token_hex(16))
    twin = use_case.versions.filter(algorithm=definition.algorithm, parameters=parameters).first()
    if twin is not None:
        raise DefinitionError(
            [
                (
                    f"use case {use_case.slug!r}: version {twin.number} already has these parameters, and devices"
                    " could not say which of the two they mean; leave the seed out, or give another one"
                )
            ]
        )
    number = (use_case.versions.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    if active is not None:
        supersede(active, utc_today())
    version = Version.objects.create(
        use_case=use_case,
        number=number,
        state=Version.State.ACTIVE,
        algorithm=definition.algorithm,
        parameters=parameters,
        normalization=definition.normalization,
        keep_case=definition.keep_case,
        alphabet=definition.alphabet,
        locales=list(definition.locales),
    )
    applied.changes.append(f"version {number} is active")
    return version


def supersede(version: Version, today: datetime.date) -> None:
    """A newer version takes over; devices that have not heard of it may go on for the days of grace."""
    version.state = Version.State.SUPERSEDED
    version.accepts_until = today + datetime.timedelta(days=version.use_case.grace_days)
    version.save(update_fields=["state", "accepts_until"])


def _present_entries(version: Version | None, definition: Definition) -> list[Entry]:
    """The dictionary in force, which a definition without one keeps; other rules of normalisation make it void."""
    revision = version.current_dictionary() if version is not None else None
    if version is None or revision is None:
        return []
    if (version.normalization, version.keep_case) != (definition.normalization, definition.keep_case):
        return []
    return [Entry(*values) for values in revision.entries.values_list("element", "display", "category")]


def _update_dictionary(version: Version, entries: list[Entry], applied: Applied) -> None:
    current = version.current_dictionary()
    fingerprint = digest(entries)
    if current is not None and current.digest == fingerprint:
        return
    number = current.number + 1 if current is not None else 1
    revision = DictionaryRevision.objects.create(version=version, number=number, size=len(entries), digest=fingerprint)
    _copy_entries(revision, entries)
    applied.changes.append(f"dictionary revision {number} has {len(entries)} elements")


def _copy_entries(revision: DictionaryRevision, entries: Iterable[Entry]) -> None:
    # COPY, because a dictionary may have a quarter of a million entries.
    statement = "COPY reports_dictionaryentry (revision_id, position, element, display, category) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for position, entry in enumerate(entries):
            copy.write_row((revision.pk, position, entry.element, entry.display, entry.category))
