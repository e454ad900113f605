"""What somebody may mean who types a part of an element, or its name."""

from collections.abc import Iterable
from itertools import islice

from django.db.models import Q
from django.utils.translation import gettext as _

from reports.models import Version
from reports.results.histogram_rows import matches
from reports.results.names import unpadded
from reports.results.query import HistogramQuery, QueryError
from reports.results.trend.elements import Element, elements_of, find_elements, published_words
from reports.results.word_lists import Words

# What a search offers at most, and the size up to which the names of all elements of a dictionary are looked through.
MOST_OFFERED = 20
_NAMED = 10_000
_LOOKED_AT = 1_000


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
        words = published_words(version, [locale]).filter(by_letters)
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
