"""Kinds of questions to begin with, and what each decides until a person decides otherwise."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from reports.kinds import kind_of
from reports.models import UseCase, Version

# Words are put together from these; a person may change them.
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz'"


@dataclass(frozen=True)
class KindOfQuestion:
    label: str | Promise
    normalization: str
    # How many answers are expected, until it is known.
    size: int
    # Whether nothing else than the answers can be reported.
    complete: bool = False
    # Whether words are found that are on no list.
    words: bool = False
    locales: tuple[str, ...] = ("und",)


KINDS: Final = {
    "emoji": KindOfQuestion(_("Which emoji are popular, in each language?"), "emoji", 2600, locales=("en_US", "fr_FR")),
    "domains": KindOfQuestion(_("Which websites, by their domain, are heavy or popular?"), "domain", 10_000),
    "answers": KindOfQuestion(_("Which of a few answers do people give?"), "raw", 10, complete=True),
    "list": KindOfQuestion(_("Which things of a list of mine are popular?"), "raw", 1000),
    "words": KindOfQuestion(_("Which new words do people use, that no list has?"), "word", 2600, words=True),
}


def kind_of_question(use_case: UseCase, draft: Version) -> str:
    """Tell which kind of question a draft is about, by its rules."""
    if not kind_of(draft).has_dictionary:
        return "words"
    for name, kind in KINDS.items():
        if kind.normalization == draft.normalization and kind.complete == use_case.dictionary_complete:
            return name
    return "list"
