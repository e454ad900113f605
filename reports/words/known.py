"""Words that are known already, and discovered words that look like one of them cut short."""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from functools import cache, partial
from pathlib import Path

from aggregation.normalization import fold_word
from reports.models import UseCase, WordDecision
from reports.words.decisions import newest_decisions

_FOLDER = Path(__file__).parent / "common"
_LANGUAGES = ("en", "es", "fr")
# Also of versions that keep the case.
_folded = partial(fold_word, keep_case=False)


def known_words(use_case: UseCase, locale: str) -> frozenset[str]:
    """The common words of the locale's language, if we have them, and those that owners accepted; in lower case."""
    decisions = newest_decisions(use_case, locale)
    accepted = (word for word in decisions if decisions[word].verdict == WordDecision.Verdict.ACCEPTED)
    return _common_words(locale.partition("_")[0]).union(map(_folded, accepted))


def longer_word(word: str, alphabet: Collection[str] | None, known: AbstractSet[str]) -> str:
    """The known word that a discovered one becomes if one letter of the alphabet is put behind it; empty if none.

    Many such words show that people, or a keyboard, lose the last letter. A word that is known itself is none of them,
    or every singular would be taken for its plural cut short. Of several, the first in alphabetical order is named. Do
    not ask about words of full length, which devices cut.

    `known` is as `known_words` returns it: in normal form C and lower case, in which words are compared.
    """
    start = _folded(word)
    if not start or start in known:
        return ""
    letters = {letter for text in (known if alphabet is None else alphabet) for letter in _folded(text[-1:])}
    return min((start + letter for letter in letters if letter.isalpha() and start + letter in known), default="")


@cache
def _common_words(language: str) -> frozenset[str]:
    if language not in _LANGUAGES:
        return frozenset()
    return frozenset((_FOLDER / f"{language}.txt").read_text(encoding="utf-8").split())
