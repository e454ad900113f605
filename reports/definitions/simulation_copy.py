"""Copies of use cases that take simulated reports alone, so that these never mix with those of devices."""

from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from reports.definitions.identifiers import free_identifier
from reports.definitions.use_case_lock import locked
from reports.definitions.versions import add_copy, make_active
from reports.kinds import kind_of
from reports.models import UseCase, Version
from reports.models.use_cases import SIMULATED

_LONGEST_TITLE: Final = 200
# Whatever decides what is shown, and whose it is; others than its owners do not see the copy.
_COPIED: Final = (
    "description",
    "owner_group",
    "daily_limit",
    "retention_days",
    "minimum_reports",
    "false_positive_rate",
    "prescribed_threshold",
    "dictionary_complete",
)


def copy_for_simulation(version: Version) -> Version:
    """Return the active version, made like this one, of a new copy of its use case.

    Raises `ValidationError` for a version that cannot be activated, or has nothing to draw from.
    """
    with transaction.atomic():
        use_case, source = locked(version)
        if kind_of(source).has_dictionary and source.current_dictionary() is None:
            raise ValidationError(_("There is nothing to simulate yet: say first which answers there are."))
        title = use_case.title[: _LONGEST_TITLE - len(SIMULATED)] + SIMULATED
        values = {name: getattr(use_case, name) for name in _COPIED}
        copy = UseCase(slug=free_identifier(f"{use_case.slug[:60]}-simulation"), title=title, **values)
        copy.simulation_of = use_case
        copy.full_clean()
        copy.save()
        draft = add_copy(copy, source)
        make_active(copy, draft)
    return draft
