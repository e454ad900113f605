"""Which elements are meant: those of a version's dictionaries, or words that a published list of it had."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from aggregation.normalization import PAD, WORD_LENGTH
from reports.models import DictionaryEntry, HistogramEntry, Version, WordDecision
from reports.results.caching import cached
from reports.results.names import colourful, element_name, plain_name, unpadded
from reports.results.query import HistogramQuery, NotInVersion, QueryError
from reports.results.trend.trend_windows import Published, lists_of_words, newest_windows
from reports.results.versions import known_versions, refuse_locale
from reports.results.word_lists import REJECTED, Words

# As many of the largest as are shown if nobody chose any: more would hide each other.
DEFAULT_ELEMENTS = 4
# To choose from while typing.
MOST_SUGGESTED = 100
# What is read of an entry.
_TEXTS = ("element", "display", "category")


@dataclass(frozen=True)
class Element:
    """What is counted or was found, and how people call it."""

    # As devices hash it, and as people write it.
    element: str
    text: str
    display: str
    # In the reader's language.
    name: str
    category: str
    # In files.
    title: str


def check_locale(version: Version, locale: str) -> None:
    """Raise `NotInVersion` if only another version has the locale, and `QueryError` if none has."""
    if locale not in version.locales:
        refuse_locale(version.use_case, locale)


def chosen(version: Version, locale: str, texts: Collection[str], *, with_rejected: bool = False) -> list[Element]:
    """The elements that people write so, in this order; without any the largest of the newest window.

    Without words that were rejected: an address may be older than the decision. Raises as `check_locale` does.
    """
    if not texts:
        return suggested(version, locale)[:DEFAULT_ELEMENTS]
    known = find_elements(version, texts, with_rejected=True)
    missing = [text for text in texts if text not in known]
    if not missing:
        shown = known if with_rejected else _not_rejected(version, locale, known)
        if shown:
            return [shown[text] for text in texts if text in shown]
        missing = list(texts)
    others = known_versions(version.use_case)
    elsewhere = any(find_elements(other, missing) for other in others if other != version)
    kind = NotInVersion if elsewhere else QueryError
    raise kind("element", _("Nothing is called “%(element)s” here.") % {"element": missing[0]})


def _not_rejected(version: Version, locale: str, known: dict[str, Element]) -> dict[str, Element]:
    if version.discovery is None:
        return known
    here = rejected_in(version, list(known)).get(locale, set())
    return {text: found for text, found in find_elements(version, list(known)).items() if text not in here}


def rejected_in(version: Version, texts: Collection[str]) -> dict[str, set[str]]:
    """Which of these words were rejected, by locale: the newest decision holds."""
    if version.discovery is None:
        return {}
    decisions = WordDecision.objects.filter(use_case=version.use_case_id, word__in=texts)
    newest = decisions.order_by("locale", "word", "-pk").distinct("locale", "word")
    found: dict[str, set[str]] = {}
    for locale, word, verdict in newest.values_list("locale", "word", "verdict"):
        if verdict == REJECTED:
            found.setdefault(locale, set()).add(word)
    return found


def shown_entries(version: Version, locale: str, windows: Iterable[Published]) -> QuerySet[HistogramEntry]:
    """What windows have above their thresholds; of words, as on their page, without those that were rejected."""
    entries = HistogramEntry.objects.filter(histogram__in=[window.pk for window in windows])
    if version.discovery is None:
        return entries
    return Words(version, version.discovery, locale).asked_for(HistogramQuery(), entries)


def find_elements(version: Version, texts: Collection[str], *, with_rejected: bool = False) -> dict[str, Element]:
    """Of these texts, as people write elements, those that a dictionary of the version has or a list of words had.

    Of words those of which a list is of a locale where they were not rejected, if not `with_rejected`.

    Elements of dictionaries are no secret for those who see results; but of words nobody knows any but those published.
    """
    hashed = [_hashed(version, text) for text in texts]
    if version.discovery is not None:
        rejected = {} if with_rejected else rejected_in(version, texts)
        return _by_text(version, _published_words(version, hashed, rejected))
    counted = DictionaryEntry.objects.filter(element__in=hashed, revision__version=version)
    # The newest last, which is the one that stays.
    return _by_text(version, counted.order_by("revision__number").values_list(*_TEXTS))


def _by_text(version: Version, rows: Iterable[tuple[str, str, str]]) -> dict[str, Element]:
    return {element.text: element for element in elements_of(version, rows)}


def suggested(version: Version, locale: str) -> list[Element]:
    """What is above the threshold in the newest window, the largest first: to choose from while typing."""
    return cached(version.use_case, "suggested", f"{version.pk}:{locale}", lambda: _suggested(version, locale))


def _suggested(version: Version, locale: str) -> list[Element]:
    histogram = newest_windows(version, [locale]).get(locale)
    if histogram is None:
        return []
    entries = shown_entries(version, locale, [histogram]).order_by("rank")[:MOST_SUGGESTED]
    return elements_of(version, entries.values_list("element", "display", "category"))


# One entry of each word: of what was found every day there are thousands. Looked for in one list after the other, until
# it is found: the index of elements has those of all use cases.
_WORDS = """
SELECT "entry".* FROM unnest(%(words)s::text[]) AS "wanted"("element")
CROSS JOIN LATERAL (
    SELECT "found".* FROM "reports_histogram" AS "list"
    CROSS JOIN LATERAL (
        SELECT "element", "display", "category" FROM "reports_histogramentry"
        WHERE "element" = "wanted"."element" AND "histogram_id" = "list"."id" LIMIT 1
    ) AS "found"
    WHERE "version_id" = %(version)s AND "locale" = ANY(%(locales)s) AND "grouping" = ''
        AND NOT EXISTS (
            SELECT FROM unnest(%(rejected)s::text[], %(rejected_in)s::text[]) AS "rejected"("word", "place")
            WHERE "word" = "wanted"."element" AND "place" = "locale"
        )
    LIMIT 1
) AS "entry"
"""


def _published_words(
    version: Version, words: Collection[str], rejected: Mapping[str, Collection[str]]
) -> list[tuple[str, str, str]]:
    """What is read of an entry, of those of these words that a list has of a locale where they are not rejected."""
    pairs = [(_hashed(version, text), locale) for locale, texts in rejected.items() for text in texts]
    given: Mapping[str, Any] = {
        "words": list(words),
        "version": version.pk,
        "locales": version.locales,
        "rejected": [word for word, _locale in pairs],
        "rejected_in": [locale for _word, locale in pairs],
    }
    with connection.cursor() as cursor:
        cursor.execute(_WORDS, given)
        return [(element, display, category) for element, display, category in cursor.fetchall()]


def published_words(version: Version, locales: Collection[str]) -> QuerySet[HistogramEntry]:
    return HistogramEntry.objects.filter(histogram__in=lists_of_words(version, locales).values("pk")).order_by()


def _hashed(version: Version, text: str) -> str:
    if version.normalization != "word":
        return text
    return text.ljust(version.discovery.length if version.discovery is not None else WORD_LENGTH, PAD)


def elements_of(version: Version, rows: Iterable[tuple[str, str, str]]) -> list[Element]:
    """From the columns element, display form and category."""
    return [
        Element(
            element=element,
            text=(text := unpadded(version, element)),
            display=colourful(display),
            name=element_name(version, display),
            category=category,
            title=plain_name(version, text, display),
        )
        for element, display, category in rows
    ]
