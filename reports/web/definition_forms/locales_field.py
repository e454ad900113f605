"""Locales as people write them."""

import re
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget
from django.utils.translation import gettext_lazy as _

from reports.models.validators import NO_LOCALE

_HELP = _(
    "Where the question is asked, such as en_US fr_FR, separated by commas or spaces. Each locale has its own"
    " histogram, and the first is shown first. “und” is one histogram for all. Reports of other locales are dropped."
)


class LocalesField(forms.CharField):
    """Locales as people write them, with commas or spaces between."""

    widget = AdminTextInputWidget

    def to_python(self, value: Any) -> Any:
        return [part for part in re.split(r"[\s,]+", super().to_python(value) or "") if part]

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value


def locales_field() -> LocalesField:
    return LocalesField(label=_("Locales"), help_text=_HELP, initial=["und"], error_messages={"required": NO_LOCALE})
