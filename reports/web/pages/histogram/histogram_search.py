"""What a search found in the dictionary beside what is shown: elements below the threshold, or of nearly that name."""

from collections.abc import Iterable
from dataclasses import dataclass

from reports.formatting import small_percent
from reports.results import HistogramView, beside_rows
from reports.results.trend import Element
from reports.web.pages.element.element_links import element_address
from reports.web.pages.trend.trend_words import bound_words


@dataclass(frozen=True)
class Offer:
    """An element, what is known of its share, and the link to its page."""

    element: Element
    share: str
    link: str


@dataclass(frozen=True)
class Offers:
    below: list[Offer]
    has_more: bool
    near: list[Offer]


def offers(view: HistogramView) -> Offers | None:
    """None where no element is searched for."""
    found = beside_rows(view)
    if found is None:
        return None
    bound = bound_words() % {"share": small_percent(found.at_most)}
    shares = {each.element: bound if each.share is None else small_percent(each.share) for each in found.near}
    return Offers(
        below=_offers(view, dict.fromkeys(found.below, bound).items()),
        has_more=found.has_more,
        near=_offers(view, shares.items()),
    )


def _offers(view: HistogramView, found: Iterable[tuple[Element, str]]) -> list[Offer]:
    return [
        Offer(element, share, element_address(view.use_case.slug, element.text, view.query.version))
        for element, share in found
    ]
