"""Lists to start a dictionary from: accepted words, what other use cases count, and what comes with the site."""

import io
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports import access, demo
from reports.definitions import write_csv
from reports.formatting import whole
from reports.models import DictionaryDraft, DictionaryRevision, Version
from reports.viewings import record_viewing
from reports.words import NamedDictionary, accepted_words, named_dictionaries_of

Choice = tuple[str, str]


# By normalisation: the file, and what it is called.
_SHIPPED: Final = {
    "emoji": ("emoji.txt", gettext_lazy("All emoji")),
    "domain": ("domains.csv", gettext_lazy("Well-known domains")),
}
_FOLDER: Final = Path(demo.__file__).parent
_FORMS: Final = {".txt": DictionaryDraft.Form.LINES, ".csv": DictionaryDraft.Form.CSV}
_SHIPPED_KEY, _DICTIONARY_KEY = "shipped", "dictionary"


class StartingLists:
    """Accepted words of every use case that a person may view; a value names a use case, a name and a locale.

    For a version, also the list that comes with the site for its normalisation, and dictionaries of use cases that the
    person may edit.
    """

    def __init__(self, person: access.Person, version: Version | None = None) -> None:
        self._person = person
        self._version = version
        sorted_ones = access.use_cases(person, "view").filter(word_decisions__verdict="accepted").distinct()
        self._use_cases = {str(use_case.pk): use_case for use_case in sorted_ones}

    def choices(self) -> list[tuple[str, list[Choice]]]:
        """Return choices for a form field, grouped by use case."""
        return [*self._of_version(), *self._of_words()]

    def read(self, value: str) -> tuple[str, str]:
        """Return how the list of a choice is written, and its text."""
        key, name, *_rest = value.split(" ")
        if key == _SHIPPED_KEY:
            path = _FOLDER / _SHIPPED[name][0]
            return _FORMS[path.suffix], path.read_text(encoding="utf-8")
        if key == _DICTIONARY_KEY:
            written = io.StringIO()
            write_csv(written, DictionaryRevision.objects.get(pk=name), line_end="\n")
            return DictionaryDraft.Form.CSV, written.getvalue()
        return DictionaryDraft.Form.LINES, self._words(value)

    def _of_version(self) -> Iterator[tuple[str, list[Choice]]]:
        if self._version is None:
            return
        if shipped := _SHIPPED.get(self._version.normalization):
            yield _("Comes with this site"), [(f"{_SHIPPED_KEY} {self._version.normalization}", str(shipped[1]))]
        newest = DictionaryRevision.objects.filter(
            version__use_case__in=access.use_cases(self._person, "edit"),
            version__normalization=self._version.normalization,
            version__use_case__simulation_of=None,
        )
        newest = newest.exclude(version__use_case=self._version.use_case_id).select_related("version__use_case")
        by_use_case = {
            each.version.use_case: (f"{_DICTIONARY_KEY} {each.pk}", _counted(each))
            for each in newest.order_by("version__use_case__title", "version__number", "number")
        }
        if by_use_case:
            yield _("What other use cases count"), list(by_use_case.values())

    def _of_words(self) -> list[tuple[str, list[Choice]]]:
        parts = named_dictionaries_of([use_case.pk for use_case in self._use_cases.values()])
        return [
            (use_case.title, _of_use_case(key, parts[use_case.pk]))
            for key, use_case in self._use_cases.items()
            if use_case.pk in parts
        ]

    def _words(self, value: str) -> str:
        """Return the words of a choice, one a line; without a locale those of all. This is recorded as a viewing."""
        key, name, locale = value.split(" ")
        record_viewing(self._person, self._use_cases[key], "words")
        return "\n".join(accepted_words(self._use_cases[key], name, locale or None))


def _counted(revision: DictionaryRevision) -> str:
    facts = {"title": revision.version.use_case, "size": whole(revision.size)}
    return ngettext("%(title)s: %(size)s element", "%(title)s: %(size)s elements", revision.size) % facts


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
