"""Life of a version: drafted, changed, activated, and frozen from then on. Refusals are `ValidationError`."""

import datetime
import secrets
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reports.definitions.dictionary import check_dictionary, copy_dictionary
from reports.definitions.use_case_lock import locked, locked_use_case
from reports.export_orders import export_anew
from reports.kinds import kind_of
from reports.models import UseCase, Version
from reports.models.alphabets import Alphabet
from reports.models.uploads import utc_today
from reports.models.versions import without

# Fields that are frozen.
RULES = ("algorithm", "parameters", "normalization", "keep_case", "alphabet")


class Settings(TypedDict):
    """Settings of a draft that people choose; in `parameters` the seed may be missing."""

    algorithm: str
    parameters: Mapping[str, object]
    normalization: str
    keep_case: NotRequired[bool]
    alphabet: NotRequired[Alphabet]
    locales: Sequence[str]


def settings_of(version: Version) -> Settings:
    return {name: getattr(version, name) for name in (*RULES, "locales")}  # type: ignore[return-value]


def create_draft(use_case: UseCase, **settings: Unpack[Settings]) -> Version:
    """Add a draft, with a seed drawn at random if `parameters` has none."""
    with transaction.atomic():
        return add_draft(locked_use_case(use_case.pk), settings)


def draft_from(version: Version) -> Version:
    """Add a draft that is a copy of any version: with a seed of its own, and the dictionary in force there."""
    with transaction.atomic():
        use_case, source = locked(version)
        return add_copy(use_case, source)


def change_draft(version: Version, **settings: Unpack[Settings]) -> Version:
    """Give a draft other settings; without a seed in `parameters` it keeps its own.

    If elements are normalised in another way, or are found without one, the draft's dictionary is void, and deleted.
    """
    with transaction.atomic():
        _use_case, draft = _locked_draft(version)
        before = draft.normalized_as
        _set(draft, settings)
        if draft.normalized_as != before or not kind_of(draft).has_dictionary:
            draft.dictionary_revisions.all().delete()
        elif (revision := draft.current_dictionary()) is not None and draft.dictionary_parameters:
            check_dictionary(draft, revision.elements())
        draft.save()
    return draft


def discard_draft(version: Version) -> None:
    """Delete a draft and its dictionary."""
    with transaction.atomic():
        _use_case, draft = _locked_draft(version)
        draft.delete()


def activate(version: Version, *, instead_of: int | None = None) -> Version:
    """Let devices use a draft, in place of the active version, which accepts reports for the days of grace.

    `instead_of` is the number of the version that the person saw to be active, 0 if none was; left out, it is the one
    that is active when this begins. Refused if that is not the active version, if a newer version is, or if this one is
    no draft any more.
    """
    with transaction.atomic():
        before = _active_number(version.use_case_id) if instead_of is None else instead_of
        use_case, draft = _locked_draft(version)
        now = _active_number(use_case.pk)
        if now != before:
            none = pgettext("an active version", "none")
            words = _(
                "Version %(number)d was not activated: the active version is %(now)s, and was %(before)s when you"
                " began. Look at both, and activate again if it shall take over."
            )
            raise ValidationError(words % {"number": draft.number, "now": now or none, "before": before or none})
        if now > draft.number:
            # The newest version with results is what pages show, and devices go on in the same order.
            words = _(
                "Version %(other)d is active and newer than this draft. Make a new version from this one, and activate"
                " that."
            )
            raise ValidationError(words % {"other": now})
        make_active(use_case, draft)
    return draft


def change_locales(version: Version, locales: Sequence[str]) -> Version:
    """Change the locales of a version that is not closed; they are not frozen."""
    with transaction.atomic():
        _use_case, present = locked(version)
        if present.state == Version.State.CLOSED:
            words = _("Version %(number)d is closed, and its locales stay as they are.")
            raise ValidationError(words % {"number": present.number})
        is_withdrawn = not set(present.locales) <= set(locales)
        present.locales = list(locales)
        present.full_clean(exclude=RULES, validate_constraints=False)
        present.save(update_fields=["locales"])
        UseCase.renew_generation(present.use_case_id)
        if is_withdrawn:
            export_anew(present.use_case)
    return present


# --- For those who hold the lock of the use case ---


def add_draft(use_case: UseCase, settings: Settings) -> Version:
    newest = use_case.versions.order_by("-number").values_list("number", flat=True).first()
    draft = Version(use_case=use_case, number=(newest or 0) + 1)
    _set(draft, settings)
    draft.save()
    return draft


def add_copy(use_case: UseCase, source: Version) -> Version:
    """Add a draft like any version, with a seed of its own and the dictionary in force there, to any use case."""
    source.parameters = without(source.parameters, {"seed", *_following_from_dictionary(source)})
    draft = add_draft(use_case, settings_of(source))
    copy_dictionary(source, draft)
    return draft


def make_active(use_case: UseCase, draft: Version) -> None:
    """Let a draft take over: the only way for a version to become active."""
    use_case.check_completeness(draft)
    if draft.dictionary_parameters:
        _freeze_dictionary(draft)
    active = use_case.active_version()
    if active is not None:
        # Devices that have not heard of the new version may go on for the days of grace.
        active.state = Version.State.SUPERSEDED
        active.accepts_until = utc_today() + datetime.timedelta(days=use_case.grace_days)
        active.save(update_fields=["state", "accepts_until"])
    draft.state = Version.State.ACTIVE
    draft.save(update_fields=["state", "parameters"])
    UseCase.renew_generation(use_case.pk)


def _set(draft: Version, settings: Settings) -> None:
    """Give a draft its settings; a seed that is left out stays as it is, or is drawn."""
    seed = (draft.parameters or {}).get("seed") or secrets.token_hex(16)
    for name, value in settings.items():
        setattr(draft, name, value)
    given = {**({"seed": seed} if draft.has_seed else {}), **settings["parameters"]}
    draft.parameters = without(draft.for_dictionary(given, None), {*draft.dictionary_defaults} - given.keys())
    draft.full_clean(validate_constraints=False)


def _following_from_dictionary(version: Version) -> set[str]:
    """Name the parameters that follow from a version's dictionary, also those that were chosen just as they follow."""
    revision = version.current_dictionary() if version.dictionary_defaults else None
    if revision is None:
        return {*version.dictionary_parameters}
    names = {*version.dictionary_parameters, *version.dictionary_defaults}
    derived = version.for_dictionary(without(version.parameters, names), revision.elements())
    return {name for name in names if derived[name] == version.parameters.get(name)}


def _freeze_dictionary(draft: Version) -> None:
    """Put the parameters that follow from a draft's dictionary in the place of stand-ins."""
    elements = check_ready(draft)
    draft.parameters = {**draft.mechanism_with(elements).encoded_parameters()}
    draft.full_clean(validate_constraints=False)


def check_ready(draft: Version) -> Sequence[str]:
    """Return the dictionary that is frozen with a draft, none if it is not. Raises `ValidationError` without it."""
    if not draft.dictionary_parameters:
        return []
    revision = draft.current_dictionary()
    if revision is None:
        words = _("Version %(number)d needs its dictionary first, because devices are given it with the version.")
        raise ValidationError(words % {"number": draft.number})
    elements = revision.elements()
    check_dictionary(draft, elements)
    return elements


def _locked_draft(version: Version) -> tuple[UseCase, Version]:
    use_case, present = locked(version)
    if present.state != Version.State.DRAFT:
        words = _("Version %(number)d is no longer a draft (%(state)s), so it is frozen. Make a new version from it.")
        raise ValidationError(words % {"number": present.number, "state": present.get_state_display()})
    return use_case, present


def _active_number(use_case_id: int) -> int:
    """Return the number of the active version; 0 if there is none."""
    active = Version.objects.active().filter(use_case=use_case_id)
    return active.values_list("number", flat=True).first() or 0
