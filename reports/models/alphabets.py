"""Alphabets: the characters that words may have, in all locales or in each.

A version without an alphabet takes every word. One that discovers words assembles them from these characters alone.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregation.normalization import PAD
from reports.kinds import kind_of
from reports.models.validators import NOT_STORABLE, is_storable, locale_problem, sentence

if TYPE_CHECKING:
    from reports.models.versions import Version

Alphabet: TypeAlias = str | dict[str, str] | None

# Limit where words are discovered: every two characters are looked up, with every puzzle byte, in every hash row.
MOST_CHARACTERS: Final = 64
# How many characters that break the same rule are listed.
_NAMED: Final = 5
# Vowels and finals of Hangul: beside marks, the only characters that form one with the character before them.
_JOINING: Final = ("\u1161", "\u11c2")


def alphabet_problems(version: "Version") -> Iterator[str]:
    """Yield sentences about what is wrong with the alphabet of a draft.

    Entries for locales that the version does not declare are valid, and held to the same rules: locales may come and
    go, the alphabet is frozen.
    """
    alphabet, has_dictionary = version.alphabet, kind_of(version).has_dictionary
    texts: dict[str, Any] = {} if alphabet is None else alphabet if isinstance(alphabet, dict) else {"": alphabet}
    if not all(isinstance(text, str) for text in texts.values()):
        yield _("It must be a text, or an object with a text for each locale.")
        return
    if version.normalization != "word" and has_dictionary:  # nothing reads it
        if not all(map(is_storable, [*texts, *texts.values()])):
            yield str(NOT_STORABLE)
        return
    if isinstance(alphabet, str):
        yield from map(sentence, _problems_of(alphabet, version))
    for locale, text in alphabet.items() if isinstance(alphabet, dict) else ():
        if problem := locale_problem(locale):
            yield sentence(problem)
            continue
        for problem in _problems_of(text, version):
            yield sentence(_("for %(locale)s, %(problem)s") % {"locale": locale, "problem": problem})
    if not has_dictionary:
        yield from _missing(version)


def without_alphabet(version: "Version") -> list[str]:
    """Return the locales of a version that have no alphabet."""
    locales = [locale for locale in version.locales or () if not locale_problem(locale)]
    if isinstance(version.alphabet, dict):
        return [locale for locale in locales if locale not in version.alphabet]
    return locales if version.alphabet is None else []


def _missing(version: "Version") -> Iterator[str]:
    if version.alphabet is None:
        yield _(
            "It must be there, because words are put together from its characters alone; write them, such as"
            " “abcdefghijklmnopqrstuvwxyz'”, in one text or in one for each locale."
        )
    elif missing := without_alphabet(version):
        words = _(
            "There is none for %(locales)s; write the characters that its words may have, or leave the locale out."
        )
        yield words % {"locales": ", ".join(missing)}


def _problems_of(text: str, version: "Version") -> Iterator[str]:
    if not text:
        yield _("it is empty; write the characters that words may have")
    if not kind_of(version).has_dictionary and len(text) > MOST_CHARACTERS:
        words = _(
            "it has %(count)d characters, and may have %(most)d, because the work of a run grows with the square of"
            " their number; leave out the rarest"
        )
        yield words % {"count": len(text), "most": MOST_CHARACTERS}
        return
    by_rule: dict[str, list[str]] = {}
    for character, times in Counter(text).items():
        if rule := _rule_against(character, version.keep_case):
            by_rule.setdefault(rule, []).append(character)
        elif times > 1:
            by_rule.setdefault(_("each character may stand there once; remove the others"), []).append(character)
    for rule, characters in by_rule.items():
        yield _("it holds %(characters)s: %(rule)s") % {"characters": _listed(characters), "rule": rule}
    yield from _combining_pairs(text)


def _rule_against(character: str, keep_case: bool) -> str:
    """Explain why no word that devices report has a character, and what to do; empty if words may have it."""
    if character == PAD:
        return _("shorter words are filled up with it, so that words themselves may not have it; remove it")
    category = unicodedata.category(character)
    if category == "Cs":
        return _("half a surrogate pair is no character; remove it")
    if category == "Cn":
        return _("no character is assigned to this number; remove it")
    if category.startswith("Z") or character.isspace():
        return _("words have no white space; remove it")
    if category in ("Cc", "Cf"):
        return _("nobody sees control and format characters; remove it")
    if category.startswith("M"):
        return _(
            "marks that combine with the letter before them are no letters; put the letter with its mark there, such"
            " as “é” (U+00E9), or remove it"
        )
    composed = unicodedata.normalize("NFC", character)
    written = composed if keep_case else unicodedata.normalize("NFC", composed.lower())
    if composed != character:
        return _("devices write it as %(other)s; put that there instead") % {"other": _listed(list(written))}
    if written != character:
        return _(
            "devices write words in lower case, so capital letters are never reported; write the small ones, or set"
            " keep_case"
        )
    return ""


def _combining_pairs(text: str) -> Iterator[str]:
    """Find two characters that become another one where they meet, so that no word has both."""
    first, last = _JOINING
    joining = [character for character in dict.fromkeys(text) if first <= character <= last]
    for before, after in product(dict.fromkeys(text) if joining else (), joining):
        met = unicodedata.normalize("NFC", before + after)
        if met != before + after:
            words = _("it holds %(pair)s: where they meet they become %(met)s; keep only what does not combine")
            yield words % {"pair": _listed([before, after]), "met": _listed([met])}
            return


def _listed(characters: Sequence[str]) -> str:
    """List characters with their code points."""
    words = ", ".join(map(_shown, characters[:_NAMED]))
    more = len(characters) - _NAMED
    if more <= 0:
        return words
    return ngettext("%(words)s and %(more)d more", "%(words)s and %(more)d more", more) % {"words": words, "more": more}


def _shown(character: str) -> str:
    number = f"U+{ord(character):04X}"
    if unicodedata.category(character).startswith("M"):
        return f"“◌{character}” ({number})"  # on the sign for any letter, or it would sit on the quotation mark
    return f"“{character}” ({number})" if character.isprintable() and character != " " else number
