"""Locales and alphabets as people write them."""

import re
from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports.models.alphabets import Alphabet
from reports.models.validators import LOCALE, NO_LOCALE

_FORM = _("Write one text, or in every line a locale, a colon and its text, such as “en_US: abc”.")


class TextField(forms.CharField):
    """Text of several lines, whose ends browsers send in another form than they were given."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


def read_alphabet(text: str, locales: Collection[str]) -> Alphabet:
    """Read an alphabet for these locales. Raises `ValidationError`."""
    lines = [line for line in text.split("\n") if line.strip()]
    parts = [_of_locale(line, locales) for line in lines]
    of_locales = dict(part for part in parts if part is not None)
    if not of_locales:
        if len(lines) > 1:
            raise forms.ValidationError(_FORM)
        return lines[0] if lines else None
    if None in parts:
        raise forms.ValidationError(_FORM)
    if len(of_locales) < len(lines):
        raise forms.ValidationError(gettext("A locale is there twice; keep one line for each."))
    return of_locales


def _of_locale(line: str, locales: Collection[str]) -> tuple[str, str] | None:
    """Split a line into a locale and its text; None for a text for all locales, which may contain a colon, too."""
    name, colon, text = line.partition(":")
    locale = name.strip()
    meant = "_" in locale or text.startswith(" ") or locale in locales
    return (locale, text.removeprefix(" ")) if colon and meant and LOCALE.fullmatch(locale) else None


def write_alphabet(alphabet: object) -> str:
    if isinstance(alphabet, dict):
        return "\n".join(f"{locale}: {text}" for locale, text in alphabet.items())
    return str(alphabet or "")


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
