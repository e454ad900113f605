"""Locks for one writer at a time per use case: changing its versions or dictionaries requires holding its row."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from reports.models import UseCase, Version


def locked_use_case(primary_key: int) -> UseCase:
    """Return the use case as it is now, locked until the transaction ends."""
    # Not against transactions that only refer to the row, such as uploads.
    use_case = UseCase.objects.select_for_update(no_key=True).filter(pk=primary_key).first()
    if use_case is None:
        raise ValidationError(_("This use case no longer exists."))
    return use_case


def locked(version: Version) -> tuple[UseCase, Version]:
    """Return the version as it is now, and its use case, which is locked until the transaction ends."""
    use_case = locked_use_case(version.use_case_id)
    present = use_case.versions.filter(pk=version.pk).first()
    if present is None:
        words = _("Version %(number)d no longer exists: it was discarded.")
        raise ValidationError(words % {"number": version.number})
    return use_case, present
