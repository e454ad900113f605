"""Choice of elements: those that people write or search for, or else the largest."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from reports.models import HistogramEntries, Version
from reports.results.caching import cached
from reports.results.names import unpadded
from reports.results.query import NotInVersion, QueryError
from reports.results.trend.elements import Element, elements_of, hashed
from reports.results.trend.trend_kinds import TRENDS
from reports.results.trend.versions_beside import newest_of
from reports.results.versions import known_versions

# The number of largest elements that are shown by default: more would hide each other.
DEFAULT_ELEMENTS = 4
# To choose from while typing, and what a search offers at most.
MOST_SUGGESTED = 100
MOST_OFFERED = 20


def chosen(version: Version, locale: str, texts: Collection[str], *, with_rejected: bool = False) -> list[Element]:
    """Return the elements that people write so, in this order; without any the largest of the newest window.

    Without words that were rejected: an address may be older than the decision. Raises `NotInVersion` for what only
    another version has, and `QueryError` for what none has.
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
    raise kind("element", _("Nothing here is called “%(element)s”.") % {"element": missing[0]})


def _not_rejected(version: Version, locale: str, known: dict[str, Element]) -> dict[str, Element]:
    rejected = TRENDS.of(version).rejected(version, list(known))
    if not rejected:
        return known
    shown = find_elements(version, list(known))
    return {text: found for text, found in shown.items() if text not in rejected.get(locale, ())}


def find_elements(version: Version, texts: Collection[str], *, with_rejected: bool = False) -> dict[str, Element]:
    """Return those of these texts, as people write elements, that the version has, by text.

    Without `with_rejected` only words that a list has of a locale where they are not rejected.
    """
    trend = TRENDS.of(version)
    rejected = {} if with_rejected else trend.rejected(version, texts)
    rows = trend.texts(version, [hashed(version, text) for text in texts], rejected)
    return {element.text: element for element in elements_of(version, rows)}


def suggested(version: Version, locale: str) -> list[Element]:
    """Return what is above the threshold in the newest window, the largest first: to choose from while typing."""
    return cached(version.use_case, "suggested", f"{version.pk}:{locale}", lambda: _suggested(version, locale))


def _suggested(version: Version, locale: str) -> list[Element]:
    newest = newest_of(version, known_versions(version.use_case), [locale])[locale]
    if newest.histogram is None:
        return []
    entries = HistogramEntries.objects.filter(pk=newest.histogram.pk).first()
    hidden = TRENDS.of(version).hidden(newest.version, locale)
    texts = [] if entries is None else [row for row in entries.texts if row[0] not in hidden]
    return elements_of(version, texts[:MOST_SUGGESTED])


def search(version: Version, locale: str, wanted: str) -> list[Element]:
    """Find the one element that is written or called exactly so, or else those that have the text in them.

    Raises `QueryError` if there is none.
    """
    # As a device would report it: a domain in small letters, an emoji without its variation.
    reported = version.element(wanted, locale) or ""
    exact = find_elements(version, list(filter(None, (wanted, unpadded(version, reported)))))
    if exact:
        return list(exact.values())[:1]
    offered = elements_of(version, TRENDS.of(version).search(version, locale, wanted, MOST_OFFERED))
    found = [element for element in offered if element.name.casefold() == wanted.casefold()] or offered
    if not found:
        raise QueryError("add", _("Nothing here is called “%(element)s”.") % {"element": wanted})
    return found
