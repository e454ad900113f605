"""Questions typed into the search: what of their words names an element, a locale, a window or a use case."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils import translation
from django.utils.translation import get_language_info

from reports.models import UseCase
from reports.results import default_version, folded
from reports.web.pages.locales import UNDIVIDED, locale_name

# Words without which a question asks the same, in the languages of the pages, folded.
_EMPTY: Final = frozenset(
    (
        "a about all an and any are as at be been by can could did do does for from give got had has have how i in is"
        " it many me much my of often on or our people please problem problems reported reports share show tell than"
        " that the their there they this to too us use used users uses was we were what when where which who with you"
        " au aux avec beaucoup bien ce ces cet cette combien comment d dans de des donne du elle en est et etre font il"
        " ils j je l la le les leur ma mais me mes moi mon montre n nous on ont ou par part parts pas plus pour"
        " probleme problemes qu quand que quel quelle quelles quels qui rapports s sa se ses si son sont souvent sur t"
        " un une utilise utilises utilisent vos votre vous y"
    ).split()
)
_LARGEST: Final = frozenset(
    "top most lead leads leading popular first frequent common populaire populaires premiers principaux".split()
)
# Windows by what they are called; the first that is found counts.
_WINDOWS: Final = (
    (re.compile(r"\b(?:last|past|these|previous)\s+(\d{1,3})\s+days?\b|\b(\d{1,3})\s+derniers\s+jours\b"), 0),
    (re.compile(r"\b(?:last|past|this|the)\s+week\b|\bsemaine\s+(?:derniere|passee)\b|\bcette\s+semaine\b"), 7),
    (re.compile(r"\b(?:last|past|this|the)\s+month\b|\bmois\s+(?:dernier|passe)\b|\bce\s+mois\b"), 28),
    (re.compile(r"\b(?:today|yesterday|aujourd.hui|hier)\b"), 1),
)
_AROUND: Final = "?!,;:.\"'()[]«»“”‘’… "


@dataclass(frozen=True)
class Question:
    """Names in a question: words of an element, and use cases, a locale and a number of days if it says some."""

    words: str
    use_cases: Sequence[UseCase]
    # Whether words of the question are of titles of these use cases.
    names_use_cases: bool
    # All that are called as it says.
    locales: frozenset[str] = frozenset()
    days: int | None = None


def read_question(wanted: str, use_cases: Sequence[UseCase]) -> Question | None:
    """Take a question apart; None for what is no more than the words to search for."""
    text = re.sub(r"-(?:t-)?(?:ce|elles?|ils?|on)\b", " ", folded(wanted)).replace("’", "'")
    days = None
    for pattern, length in _WINDOWS:
        if found := pattern.search(text):
            days = length or int(next(filter(None, found.groups())))
            text = text.replace(found.group(), " ")
            break
    locales, text = _take_locales(text, use_cases)
    words = [word.strip(_AROUND) for word in re.sub(r"\b[dlnsjtq]u?'", " ", text).split()]
    asked = [word for word in words if word and word not in _EMPTY]
    rest = [word for word in asked if word not in _LARGEST]
    titles = {use_case.pk: {*re.findall(r"\w+", folded(use_case.title))} for use_case in use_cases}
    known = set().union(*titles.values())
    of_titles = {word for word in rest if word in known}
    is_unchanged = len(rest) == len([*filter(None, words)])
    if days is None and not locales and is_unchanged and (not of_titles or len(of_titles) == len(rest)):
        return None
    named = [each for each in use_cases if of_titles <= titles[each.pk]] if of_titles else []
    # Made-up titles come last; before them, titles that have most of the question in them, and little else.
    named.sort(
        key=lambda each: (
            each.simulation_of_id is not None,
            -len(titles[each.pk].intersection(asked)),
            len(titles[each.pk]),
        )
    )
    return Question(
        words=" ".join(word for word in rest if word not in of_titles),
        use_cases=named or use_cases,
        names_use_cases=bool(named),
        locales=locales,
        days=min(days, 366) if days else None,
    )


def _take_locales(text: str, use_cases: Iterable[UseCase]) -> tuple[frozenset[str], str]:
    """Return the locales that a text names, and the text without them; the longest name that is found counts."""
    codes = {code for use_case in use_cases for code in _locales(use_case) if code != UNDIVIDED}
    names: defaultdict[str, set[str]] = defaultdict(set)
    for code in codes:
        language = code.partition("_")[0]
        # Codes of languages alone are words: “en” is one in French.
        written = {code, code.replace("_", "-")} - {language}
        for each in written | _names(code) | _names(language):
            names[folded(each)].add(code)
    for name in sorted(names, key=len, reverse=True):
        pattern = rf"(?<![\w.]){re.escape(name)}(?![\w.])"
        if re.search(pattern, text):
            return frozenset(names[name]), re.sub(pattern, " ", text)
    return frozenset(), text


def _names(locale: str) -> set[str]:
    """Return what a locale is called by the reader, in English, and by its own speakers."""
    with translation.override("en"):
        english = locale_name(locale)
    try:
        own = {str(get_language_info(locale)["name_local"])}
    except KeyError:
        own = set()
    return {english, locale_name(locale), *own}


def _locales(use_case: UseCase) -> Sequence[str]:
    version = default_version(use_case)
    return version.locales if version is not None else ()
