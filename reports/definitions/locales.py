"""Where a version may be asked: how locales are written."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from aggregation.errors import shown

# The form of the Common Locale Data Repository: language, then script and territory if they matter.
LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|[0-9]{3}))?")


def locale_problems(value: object) -> Iterator[str]:
    """What is wrong with the locales of a version, if anything; without the name of the field."""
    if not isinstance(value, list | tuple) or not value:
        yield _('there must be a list of at least one locale, such as ["en_US"] or ["und"]')
        return
    for position, locale in enumerate(value):
        if problem := form_problem(locale):
            yield problem
        elif locale in value[:position]:
            yield _("%(locale)s stands there twice; keep one of them") % {"locale": shown(locale)}


def form_problem(locale: object) -> str:
    """What is wrong with the form of a locale; empty if nothing."""
    if isinstance(locale, str) and LOCALE.fullmatch(locale):
        return ""
    return _("%(locale)s has not the form of a locale; write it as en_US, ar or und") % {"locale": shown(locale)}


def locale_sentences(value: object) -> list[str]:
    """The same as `locale_problems` with the name of the field, for where no label says it."""
    return [_("locales: %(problem)s") % {"problem": problem} for problem in locale_problems(value)]
