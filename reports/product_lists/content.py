"""The content that the rule of a list gives by the results of now."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from aggregation.estimation import benjamini_hochberg, excess_p_values
from reports.kinds import ByKind
from reports.models import Histogram, ProductList, Version
from reports.results import HistogramQuery, default_version, dictionary_estimator, histogram_view, unpadded
from reports.words import accepted_words

# Expected share, at most, of the elements listed as certainly above a share that are not.
LEVEL: Final = 0.05

# By locale, the elements, and of which window they are.
Locales: TypeAlias = dict[str, dict[str, Any]]

_RULES: Final = ByKind[tuple[ProductList.Rule, ...]](
    counting=(ProductList.Rule.ORDERED, ProductList.Rule.ABOVE), discovery=(ProductList.Rule.WORDS,)
)


def rules_of(version: Version | None) -> tuple[ProductList.Rule, ...]:
    """Return the rules that lists of a version's use case can have."""
    return _RULES.of(version)


def content_of(product_list: ProductList) -> Locales:
    """Return what a list would hold now; a locale of which nothing is published is left out."""
    version = default_version(product_list.use_case)
    if version is None or product_list.rule not in _RULES.of(version):
        return {}
    return _MAKERS[ProductList.Rule(product_list.rule)](product_list, version)


def _words(product_list: ProductList, version: Version) -> Locales:
    found = {
        locale: accepted_words(product_list.use_case, product_list.dictionary, locale) for locale in version.locales
    }
    return {locale: {"elements": words} for locale, words in found.items() if words}


def _ordered(product_list: ProductList, version: Version) -> Locales:
    return _counted(product_list, version, lambda histogram: _first(histogram, product_list.length or 0))


def _above(product_list: ProductList, version: Version) -> Locales:
    least = product_list.least_share or 1.0
    return _counted(product_list, version, lambda histogram: certainly_above(histogram, least))


_MAKERS: Final[dict[ProductList.Rule, Callable[[ProductList, Version], Locales]]] = {
    ProductList.Rule.ORDERED: _ordered,
    ProductList.Rule.ABOVE: _above,
    ProductList.Rule.WORDS: _words,
}


def _counted(product_list: ProductList, version: Version, chosen: Callable[[Histogram], list[str]]) -> Locales:
    """Choose among what is above the threshold in the newest days of each locale."""
    found = {}
    for locale in version.locales:
        query = HistogramQuery(locale=locale, days=product_list.days, version=version.number, top=1)
        histogram = histogram_view(product_list.use_case, query).histogram
        if histogram is not None:
            found[locale] = {
                "elements": [unpadded(version, element) for element in chosen(histogram)],
                "first_day": histogram.first_day.isoformat(),
                "last_day": histogram.last_day.isoformat(),
                "n": histogram.n,
            }
    return found


def _first(histogram: Histogram, length: int) -> list[str]:
    return histogram.entries.elements[:length]


def certainly_above(histogram: Histogram, least_share: float) -> list[str]:
    """Return the elements whose share is above the least one, by a false discovery rate over the whole dictionary.

    All that were counted are tested; of an element below the threshold it is known that it will not be listed.
    """
    elements, estimates = histogram.entries.elements, histogram.entries.column("estimate")
    if not elements:
        return []
    estimator = dictionary_estimator(histogram.version, histogram.revision, whole=True)
    p_values = np.ones(len(elements) + histogram.below_threshold)
    p_values[: len(elements)] = excess_p_values(estimator, estimates, least_share, histogram.n, histogram.f2)
    is_above = benjamini_hochberg(p_values, LEVEL)
    return [element for element, listed in zip(elements, is_above, strict=False) if listed]
