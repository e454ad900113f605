"""Change history in words, for the admin's own history page."""

from typing import Any, cast

from django import forms
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from reports.models import Version

_SHOWN_CHARACTERS = 80


def note(request: HttpRequest, changed: models.Model, message: str, *, added: bool = False) -> None:
    """Record what the person did to an object."""
    LogEntry.objects.log_actions(
        user_id=cast(User, request.user).pk,
        queryset=[changed],
        action_flag=ADDITION if added else CHANGE,
        change_message=message,
        single_object=True,
    )


def note_on_version(request: HttpRequest, version: Version, message: str, *, added: bool = False) -> None:
    """Record it for a version, and in the history of its use case, where people look first."""
    note(request, version, message, added=added)
    note_on_use_case(request, version, message)


def note_on_use_case(request: HttpRequest, version: Version, message: str) -> None:
    words = _("Version %(number)d: %(message)s") % {"number": version.number, "message": message}
    note(request, version.use_case, words)


def changes_in_words(form: forms.BaseForm) -> str:
    """List the changed fields of a valid form with old and new values."""
    changes = []
    for name in form.changed_data:
        field = form.fields[name]
        old = _value_in_words(field, form.get_initial_for_field(field, name))
        new = _value_in_words(field, form[name].data)
        label = field.label or name
        changes.append(_("%(label)s: %(old)s → %(new)s") % {"label": label, "old": old, "new": new})
    return "; ".join(changes) or _("Nothing changed.")


def _value_in_words(field: forms.Field, value: Any) -> str:
    if isinstance(field, forms.ModelMultipleChoiceField) and field.queryset is not None:
        chosen = [item.pk if isinstance(item, models.Model) else item for item in value or []]
        text = ", ".join(str(item) for item in field.queryset.filter(pk__in=chosen))
    elif isinstance(field, forms.ModelChoiceField) and field.queryset is not None:
        text = str(field.queryset.filter(pk=value).first() or "") if value else ""
    elif isinstance(field, forms.BooleanField):
        text = _("yes") if value else _("no")
    else:
        text = "" if value is None else str(field.prepare_value(value))
    return Truncator(text).chars(_SHOWN_CHARACTERS) or _("(empty)")
