"""Named dictionaries as a source of words for others."""

from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports import access
from reports.viewings import record_viewing
from reports.words import NamedDictionary, accepted_words, named_dictionaries_of

Choice = tuple[str, str]


class NamedLists:
    """Accepted words of every use case that a person may view; a value names a use case, a name and a locale."""

    def __init__(self, person: access.Person) -> None:
        self._person = person
        sorted_ones = access.use_cases(person, "view").filter(word_decisions__verdict="accepted").distinct()
        self._use_cases = {str(use_case.pk): use_case for use_case in sorted_ones}

    def choices(self) -> list[tuple[str, list[Choice]]]:
        """Return choices for a form field, grouped by use case."""
        parts = named_dictionaries_of([use_case.pk for use_case in self._use_cases.values()])
        return [
            (use_case.title, _of_use_case(key, parts[use_case.pk]))
            for key, use_case in self._use_cases.items()
            if use_case.pk in parts
        ]

    def text(self, value: str) -> str:
        """Return the words of a choice, one a line; without a locale those of all. This is recorded as a viewing."""
        key, name, locale = value.split(" ")
        record_viewing(self._person, self._use_cases[key], "words")
        return "\n".join(accepted_words(self._use_cases[key], name, locale or None))


def _of_use_case(key: str, parts: list[NamedDictionary]) -> list[Choice]:
    choices = []
    for name, group in groupby(parts, key=lambda part: part.name):
        of_name = list(group)
        for part in of_name:
            words = ngettext("%(name)s, %(locale)s: %(size)s word", "%(name)s, %(locale)s: %(size)s words", part.size)
            label = words % {"name": name, "locale": part.locale, "size": f"{part.size:,}"}
            choices.append((f"{key} {name} {part.locale}", label))
        if len(of_name) > 1:
            choices.append((f"{key} {name} ", _("%(name)s, all locales") % {"name": name}))
    return choices
