"""Which elements are meant: those of a version's dictionaries, or words that a published list of it had."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from aggregation.normalization import PAD, WORD_LENGTH
from reports.models import DictionaryEntry, HistogramEntry, UseCase, Version, WordDecision
from reports.results.caching import cached
from reports.results.names import colourful, element_name, unpadded
from reports.results.query import HistogramQuery, NotInVersion, QueryError
from reports.results.rows import matches
from reports.results.trend_windows import Published, newest_windows, published
from reports.results.view import default_version
from reports.results.words import REJECTED, Words

# As many of the largest as are shown if nobody chose any: more would hide each other.
DEFAULT_ELEMENTS = 4
# What a search offers at most, and the size up to which the names of all elements of a dictionary are looked through.
MOST_OFFERED = 20
MOST_SUGGESTED = 100
_NAMED = 10_000
_LOOKED_AT = 1_000


@dataclass(frozen=True)
class Element:
    """What is counted or was found, and how people call it."""

    # As devices hash it, and as people write it.
    element: str
    text: str
    display: str
    name: str
    category: str


def version_of(use_case: UseCase, number: int | None) -> Version | None:
    """The version that is asked for, or the one that has something to show. Raises `QueryError`."""
    if number is None:
        version = default_version(use_case)
    else:
        version = use_case.versions.exclude(state=Version.State.DRAFT).filter(number=number).first()
        if version is None:
            raise QueryError("version", _("The use case does not have this version."))
    if version is not None:
        version.use_case = use_case
    return version


def check_locale(version: Version, locale: str) -> None:
    """Raise `NotInVersion` if only another version has the locale, and `QueryError` if none has."""
    if locale in version.locales:
        return
    if any(locale in other.locales for other in _others(version)):
        raise NotInVersion("locale", _("This version does not have this locale."))
    raise QueryError("locale", _("The use case does not have this locale."))


def _others(version: Version) -> QuerySet[Version]:
    return version.use_case.versions.exclude(state=Version.State.DRAFT).exclude(pk=version.pk)


def chosen(version: Version, locale: str, texts: Collection[str], *, with_rejected: bool = False) -> list[Element]:
    """The elements that people write so, in this order; without any the largest of the newest window.

    Without words that were rejected: an address may be older than the decision. Raises as `check_locale` does.
    """
    if not texts:
        return _largest(version, locale)
    known = find_elements(version, texts, with_rejected=True)
    missing = [text for text in texts if text not in known]
    if not missing:
        shown = known if with_rejected else _not_rejected(version, locale, known)
        if shown:
            return [shown[text] for text in texts if text in shown]
        missing = list(texts)
    elsewhere = any(find_elements(other, missing) for other in _others(version))
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


def _largest(version: Version, locale: str) -> list[Element]:
    histogram = newest_windows(version, [locale]).get(locale)
    if histogram is None:
        return []
    return elements_of(version, _ranked(version, locale, histogram)[:DEFAULT_ELEMENTS])


def _ranked(version: Version, locale: str, histogram: Published) -> QuerySet[HistogramEntry, tuple[str, str, str]]:
    """As the page of words does, without those that were rejected."""
    entries = HistogramEntry.objects.filter(histogram=histogram.pk).order_by("rank")
    if version.discovery is not None:
        entries = Words(version, version.discovery, locale).asked_for(HistogramQuery(), entries)
    return entries.values_list("element", "display", "category")


def find_elements(version: Version, texts: Collection[str], *, with_rejected: bool = False) -> dict[str, Element]:
    """Of these texts, as people write elements, those that a dictionary of the version has or a list of words had.

    Of words those of which a list is of a locale where they were not rejected, if not `with_rejected`.

    Elements of dictionaries are no secret for those who see results; but of words nobody knows any but those published.
    """
    hashed = [_hashed(version, text) for text in texts]
    if version.discovery is not None:
        words = _published_words(version, version.locales).filter(element__in=hashed)
        if not with_rejected:
            for locale, rejected in rejected_in(version, texts).items():
                words = words.exclude(
                    histogram__locale=locale, element__in=[_hashed(version, text) for text in rejected]
                )
        return _by_text(version, words.values_list("element", "display", "category").distinct())
    counted = DictionaryEntry.objects.filter(element__in=hashed, revision__version=version)
    # The newest last, which is the one that stays.
    return _by_text(version, counted.order_by("revision__number").values_list("element", "display", "category"))


def _by_text(version: Version, rows: Iterable[tuple[str, str, str]]) -> dict[str, Element]:
    return {element.text: element for element in elements_of(version, rows)}


def suggested(version: Version, locale: str) -> list[Element]:
    """What is above the threshold in the newest window, the largest first: to choose from while typing."""
    return cached(version.use_case, "suggested", f"{version.pk}:{locale}", lambda: _suggested(version, locale))


def _suggested(version: Version, locale: str) -> list[Element]:
    histogram = newest_windows(version, [locale]).get(locale)
    if histogram is None:
        return []
    return elements_of(version, _ranked(version, locale, histogram)[:MOST_SUGGESTED])


def search(version: Version, locale: str, wanted: str) -> list[Element]:
    """What somebody may mean who types this: the one thing that is written or called exactly so, or what has it in it.

    Raises `QueryError` if there is nothing.
    """
    wanted = wanted.replace("\0", "")
    exact = find_elements(version, list(filter(None, (wanted, _as_reported(version, locale, wanted)))))
    if exact:
        return list(exact.values())[:1]
    candidates = _candidates(version, locale, wanted)
    found = [element for element in candidates if element.name.casefold() == wanted.casefold()] or candidates
    if not found:
        raise QueryError("add", _("Nothing is called “%(element)s” here.") % {"element": wanted})
    return found


def _as_reported(version: Version, locale: str, text: str) -> str:
    """What a device would report it as: a domain in small letters, an emoji without its variation."""
    element = version.element(text, locale)
    return "" if element is None else unpadded(version, element)


def _candidates(version: Version, locale: str, wanted: str) -> list[Element]:
    """By letters in the database, and by names, which the database does not know, if there are not too many."""
    by_letters = Q(display__icontains=wanted) | Q(element__icontains=wanted)
    found: Iterable[tuple[str, str, str]]
    if version.discovery is not None:
        words = _published_words(version, [locale]).filter(by_letters)
        words = Words(version, version.discovery, locale).asked_for(HistogramQuery(), words)
        found = words.values_list("element", "display", "category").distinct()[:_LOOKED_AT]
    else:
        revision = version.current_dictionary()
        if revision is None:
            return []
        entries = revision.entries.order_by("position").values_list("element", "display", "category")
        if version.normalization == "emoji" and revision.size <= _NAMED:
            named = (row for row in entries if matches(version, row[0], row[1], wanted))
            return elements_of(version, islice(named, MOST_OFFERED))
        found = entries.filter(by_letters).order_by()[:_LOOKED_AT]
    folded = wanted.casefold()
    # Those that begin so come first, of these the short ones.
    ordered = sorted(found, key=lambda row: (not row[1].casefold().startswith(folded), len(row[1]), row[1]))
    return elements_of(version, ordered[:MOST_OFFERED])


def _published_words(version: Version, locales: Collection[str]) -> QuerySet[HistogramEntry]:
    return HistogramEntry.objects.filter(histogram__in=published(version, locales).values("pk")).order_by()


def _hashed(version: Version, text: str) -> str:
    if version.normalization != "word":
        return text
    return text.ljust(version.discovery.length if version.discovery is not None else WORD_LENGTH, PAD)


def elements_of(version: Version, rows: Iterable[tuple[str, str, str]]) -> list[Element]:
    """From the columns element, display form and category."""
    return [
        Element(element, unpadded(version, element), colourful(display), element_name(version, display), category)
        for element, display, category in rows
    ]
