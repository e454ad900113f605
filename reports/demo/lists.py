"""Lists for products in the demo: who looks may approve what is proposed."""

from collections.abc import Collection
from typing import Any, Final

from reports.models import ProductList, UseCase
from reports.product_lists import propose_all

_LISTS: Final[dict[str, dict[str, Any]]] = {
    "keyboard-emoji": {"name": "emoji-order", "rule": ProductList.Rule.ORDERED, "length": 30},
    "web-autoplay": {"name": "autoplay-allowed", "rule": ProductList.Rule.ABOVE, "least_share": 0.005},
}


def make(slugs: Collection[str]) -> None:
    """Make the lists of use cases that were just defined; one that was deleted later stays deleted."""
    for use_case in UseCase.objects.filter(slug__in=_LISTS.keys() & set(slugs)):
        ProductList.objects.create(use_case=use_case, **_LISTS[use_case.slug])


def propose() -> None:
    """Propose what they hold now, and not within the hour."""
    propose_all(ProductList.objects.filter(use_case__slug__in=_LISTS).select_related("use_case"))
