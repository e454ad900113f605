"""Validators of fields, for forms of the admin and definition files alike."""

import re
from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.utils.deconstruct import deconstructible
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregation.errors import shown
from aggregation.normalization import PROFILES
from aggregation.training import SLUG

_IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# The form of the Common Locale Data Repository: language, then script and territory if they matter.
LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|[0-9]{3}))?")
NOT_STORABLE = gettext_lazy("Holds a NUL or half a surrogate pair, which no text has; remove it.")
NO_LOCALE = gettext_lazy("Give at least one locale, such as en_US or und.")


def is_storable(text: str) -> bool:
    """Tell whether a text has neither NUL nor lone surrogates, which the database refuses."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text))


@deconstructible
class AtLeast(MinValueValidator):
    message = gettext_lazy("Must be a whole number of at least %(limit_value)s, not %(show_value)s.")


def validate_identifier(text: str) -> None:
    if not _IDENTIFIER.fullmatch(text):
        raise ValidationError(_("Must be lower-case letters and digits, in words joined by hyphens."))


def validate_task_identifier(text: str) -> None:
    if not SLUG.fullmatch(text):
        raise ValidationError(_("Must be lower-case letters and digits, in words joined by a hyphen or an underscore."))


def validate_text(text: str) -> None:
    """Refuse blanks alone, and what the database does not keep."""
    if not text.strip():
        raise ValidationError(_("Must be a text that is not empty."))
    validate_storable(text)


def validate_storable(text: str) -> None:
    if not is_storable(text):
        raise ValidationError(NOT_STORABLE)


def validate_share(number: float) -> None:
    if not 0 < number < 1:
        raise ValidationError(_("Must be a number above 0 and below 1, not %(number)s.") % {"number": number})


def validate_profile(name: str) -> None:
    if name not in PROFILES:
        words = _("Must be one of %(known)s, not %(value)s.")
        raise ValidationError(words % {"known": ", ".join(PROFILES), "value": shown(name)})


def validate_locales(locales: Sequence[object]) -> None:
    problems = []
    for position, locale in enumerate(locales):
        if problem := locale_problem(locale):
            problems.append(sentence(problem))
        elif locale in locales[:position]:
            problems.append(sentence(_("%(locale)s stands there twice; keep one of them") % {"locale": shown(locale)}))
    if problems:
        raise ValidationError(problems)


def locale_problem(locale: object) -> str:
    """Describe what is wrong with the form of a locale; empty if it is right."""
    if isinstance(locale, str) and LOCALE.fullmatch(locale):
        return ""
    return _("%(locale)s has not the form of a locale; write it as en_US, ar or und") % {"locale": shown(locale)}


def sentence(words: str) -> str:
    return f"{capfirst(words)}."
