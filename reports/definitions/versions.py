"""The life of a version: drafted, changed, made active; from then on frozen."""

import datetime
import secrets
from collections.abc import Sequence
from typing import Unpack

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reports.definitions.alphabets import discovers, without_alphabet
from reports.definitions.dictionary import copy_dictionary
from reports.definitions.errors import DefinitionError
from reports.definitions.locales import locale_sentences
from reports.definitions.locking import locked, locked_use_case
from reports.definitions.rules import DraftSettings, Rules, check_rules
from reports.models import UseCase, Version
from reports.models.uploads import utc_today


def create_draft(use_case: UseCase, **settings: Unpack[DraftSettings]) -> Version:
    """Add a draft, with a seed drawn at random if `parameters` has none. Raises `DefinitionError`."""
    rules = check_rules(settings)
    with transaction.atomic():
        return add_draft(locked_use_case(use_case.pk), rules, settings["locales"])


def draft_from(version: Version) -> Version:
    """Add a draft that is a copy of any version: with a seed of its own, and the dictionary in force there."""
    with transaction.atomic():
        use_case, source = locked(version)
        draft = add_draft(use_case, Rules.of(source).without_seed(), source.locales)
        copy_dictionary(source, draft)
    return draft


def change_draft(version: Version, **settings: Unpack[DraftSettings]) -> Version:
    """Give a draft other rules; without a seed in `parameters` it keeps its own. Raises `DefinitionError`.

    If elements are normalised in another way, or are found without one, the draft's dictionary is void, and deleted.
    """
    rules = check_rules(settings)
    with transaction.atomic():
        use_case, draft = _locked_draft(version)
        rules = rules.with_seed(draft.parameters["seed"])
        _refuse_twin(use_case, rules, draft)
        kept = (draft.normalization, draft.keep_case) == (rules.normalization, rules.keep_case)
        if not kept or discovers(rules.algorithm):
            draft.dictionary_revisions.all().delete()
        for name in ("algorithm", "parameters", "normalization", "keep_case", "alphabet"):
            setattr(draft, name, getattr(rules, name))
        draft.locales = list(settings["locales"])
        draft.save()
    return draft


def discard_draft(version: Version) -> None:
    """Delete a draft and its dictionary. Raises `DefinitionError` for what has been active."""
    with transaction.atomic():
        _use_case, draft = _locked_draft(version)
        draft.delete()


def activate(version: Version, *, instead_of: int | None = None) -> Version:
    """Let devices use a draft, in place of the active version, which accepts reports for the days of grace.

    `instead_of` is the number of the version that somebody saw to be active, 0 if none was; left out, it is the one
    that is active when this begins. Raises `DefinitionError` if that is not the active version, if a newer version is,
    or if this one is no draft any more.
    """
    with transaction.atomic():
        before = _active_number(version.use_case_id) if instead_of is None else instead_of
        use_case, draft = _locked_draft(version)
        now = _active_number(use_case.pk)
        if now != before:
            none = pgettext("an active version", "none")
            raise DefinitionError(
                [
                    _(
                        "Version %(number)d was not activated: the active version is %(now)s, and was %(before)s when"
                        " you began. Look at both, and activate again if it shall take over."
                    )
                    % {"number": draft.number, "now": now or none, "before": before or none}
                ]
            )
        if now > draft.number:
            # The newest version with results is what pages show, and devices go on in the same order.
            raise DefinitionError(
                [
                    _(
                        "Version %(other)d is active and newer than this draft. Make a new version from this one, and"
                        " activate that."
                    )
                    % {"other": now}
                ]
            )
        make_active(use_case, draft)
    return draft


def change_locales(version: Version, locales: Sequence[str]) -> Version:
    """Change the locales of a version that is not closed; they are not frozen. Raises `DefinitionError`."""
    if problems := locale_sentences(locales):
        raise DefinitionError(problems)
    with transaction.atomic():
        _use_case, present = locked(version)
        if present.state == Version.State.CLOSED:
            raise DefinitionError(
                [_("Version %(number)d is closed, and its locales stay as they are.") % {"number": present.number}]
            )
        if problem := missing_alphabets(present, locales):
            raise DefinitionError([problem])
        present.locales = list(locales)
        present.save(update_fields=["locales"])
        UseCase.renew_generation(present.use_case_id)
    return present


def missing_alphabets(version: Version, locales: Sequence[str]) -> str:
    """Why a version that discovers words cannot be asked in some of these locales; empty if it can."""
    missing = without_alphabet(version.alphabet, locales) if version.discovery is not None else []
    if not missing:
        return ""
    words = _(
        "locales: version %(number)d has no alphabet for %(locales)s, and alphabets are frozen; leave that out here,"
        " and make a new version whose alphabet has it"
    )
    return words % {"number": version.number, "locales": ", ".join(missing)}


# --- For those who hold the lock of the use case ---


def add_draft(use_case: UseCase, rules: Rules, locales: Sequence[str]) -> Version:
    """Add a draft of checked rules to a locked use case."""
    rules = rules.with_seed(secrets.token_hex(16))
    _refuse_twin(use_case, rules)
    newest = use_case.versions.order_by("-number").values_list("number", flat=True).first()
    return Version.objects.create(
        use_case=use_case,
        number=(newest or 0) + 1,
        state=Version.State.DRAFT,
        algorithm=rules.algorithm,
        parameters=dict(rules.parameters),
        normalization=rules.normalization,
        keep_case=rules.keep_case,
        alphabet=rules.alphabet,
        locales=list(locales),
    )


def make_active(use_case: UseCase, draft: Version) -> None:
    """Let a draft of a locked use case take over: the only way for a version to become active.

    Raises `DefinitionError` if it discovers words though its use case says that a dictionary holds them all.
    """
    if draft.discovery is not None and use_case.dictionary_complete:
        raise DefinitionError(
            [
                _(
                    "Version %(number)d finds its words itself, but its use case says that a dictionary holds every"
                    " possible element. Take that back first."
                )
                % {"number": draft.number}
            ]
        )
    active = use_case.active_version()
    if active is not None:
        # Devices that have not heard of the new version may go on for the days of grace.
        active.state = Version.State.SUPERSEDED
        active.accepts_until = utc_today() + datetime.timedelta(days=use_case.grace_days)
        active.save(update_fields=["state", "accepts_until"])
    draft.state = Version.State.ACTIVE
    draft.save(update_fields=["state"])
    UseCase.renew_generation(use_case.pk)


def _locked_draft(version: Version) -> tuple[UseCase, Version]:
    use_case, present = locked(version)
    if present.state != Version.State.DRAFT:
        raise DefinitionError(
            [
                _("Version %(number)d is not a draft any more (%(state)s), and frozen. Make a new version from it.")
                % {"number": present.number, "state": present.get_state_display()}
            ]
        )
    return use_case, present


def _active_number(use_case_id: int) -> int:
    """Of the active version; 0 if there is none."""
    active = Version.objects.filter(use_case=use_case_id, state=Version.State.ACTIVE)
    return active.values_list("number", flat=True).first() or 0


def _refuse_twin(use_case: UseCase, rules: Rules, but: Version | None = None) -> None:
    others = use_case.versions.exclude(pk=but.pk) if but is not None else use_case.versions
    twin = others.filter(algorithm=rules.algorithm, parameters=rules.parameters).first()
    if twin is not None:
        raise DefinitionError(
            [
                _(
                    "version %(number)d (%(state)s) already has these parameters, and devices could not say which of"
                    " the two they mean; leave the seed out, or give another one"
                )
                % {"number": twin.number, "state": twin.get_state_display()}
            ]
        )
