"""Texts in place of a histogram's rows, and what a search finds in the dictionary beside them."""

from collections.abc import Iterable
from dataclasses import replace

from django.utils.translation import gettext as _

from reports.formatting import small_percent, whole
from reports.models import Histogram
from reports.results import Beside, HistogramView, beside_rows
from reports.results.trend import Element
from reports.web.pages.addresses import element_address, link
from reports.web.pages.choices import Choice, Empty, Offer
from reports.web.pages.kinds import PageKind
from reports.web.pages.periods import not_counted_words
from reports.web.pages.provenance_facts import threshold
from reports.web.pages.trend.trend_words import bound_words


def in_place_of_rows(
    view: HistogramView, histogram: Histogram, kind: PageKind, words: dict[str, str]
) -> tuple[Empty | None, Empty | None]:
    """Why there are no rows, if there are none; and elements below the threshold that a search finds.

    `words` name the locale and the window, and say how many elements are below the threshold.
    """
    found = beside_rows(view)
    if not view.total:
        sizes = {"n": whole(histogram.n), "threshold": threshold(histogram)}
        empty = kind.none_above(view, histogram, words | sizes)
        *said, advice = empty.sentences
        not_counted = not_counted_words(histogram.version, view.not_counted)
        return replace(empty, sentences=[*said, *not_counted, advice]), _beside(view, found)
    if view.rows:
        return None, _beside(view, found)
    everything = Choice(link(replace(view.query, search="", category="", words=""), view), _("Show everything"))
    empty = kind.no_rows(view, histogram) or _below(view, found) or _no_name_matches(view, found)
    return empty if empty.actions else replace(empty, actions=[everything]), None


def _beside(view: HistogramView, found: Beside | None) -> Empty | None:
    words = _(
        "These are called “%(search)s”, too. In this window they cannot be told from noise; beside each stands the"
        " largest share that it may have, with 95 %% confidence."
    )
    return _listed(view, found, _("In the dictionary, below the threshold"), words)


def _below(view: HistogramView, found: Beside | None) -> Empty | None:
    words = _(
        "What is called “%(search)s” is in the dictionary, but below the threshold T: in this window it cannot be told"
        " from noise. Beside each element stands the largest share that it may have, with 95 %% confidence."
    )
    return _listed(view, found, _("Below the threshold"), words)


def _listed(view: HistogramView, found: Beside | None, title: str, words: str) -> Empty | None:
    if found is None or not found.below:
        return None
    bound = bound_words() % {"share": small_percent(found.at_most)}
    more = _("There are more. Search for a longer part of a name to see them.")
    return Empty(
        title,
        [words % {"search": view.query.search}],
        offers=_offers(view, dict.fromkeys(found.below, bound).items()),
        note=more if found.has_more else "",
    )


def _no_name_matches(view: HistogramView, found: Beside | None) -> Empty:
    title, actions = _("No name matches"), []
    words = _("No element of the dictionary is called “%(search)s”.") % {"search": view.query.search}
    if view.query.category:
        title = _("No name in this category matches")
        words = _("No element of the category “%(category)s” is called “%(search)s”.") % {
            "category": view.query.category,
            "search": view.query.search,
        }
        actions = [Choice(link(replace(view.query, category=""), view), _("Search the whole dictionary"))]
    if found is None or not found.near:
        return Empty(title, [words], actions=actions)
    bound = bound_words() % {"share": small_percent(found.at_most)}
    shares = {each.element: bound if each.share is None else small_percent(each.share) for each in found.near}
    return Empty(title, [words, _("Similar names:")], offers=_offers(view, shares.items()), actions=actions)


def _offers(view: HistogramView, found: Iterable[tuple[Element, str]]) -> list[Offer]:
    return [
        Offer(element, share, element_address(view.use_case.slug, element.text, view.query.version))
        for element, share in found
    ]
