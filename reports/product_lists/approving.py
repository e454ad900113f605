"""Versions of a list: proposed by its rule, approved by an owner, and then what products read."""

import logging
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from reports.models import ProductList, ProductListVersion
from reports.product_lists.content import content_of
from reports.storage import StorageUnavailable

logger = logging.getLogger(__name__)


def proposal_of(product_list: ProductList) -> ProductListVersion | None:
    """Return what waits for an owner."""
    return product_list.versions.filter(approved_at=None).first()


@transaction.atomic
def propose(product_list: ProductList) -> ProductListVersion | None:
    """Propose what the rule gives now, in place of a proposal from before; None if products read that already."""
    _lock(product_list)
    locales = content_of(product_list)
    approved, proposed = product_list.versions.approved().first(), proposal_of(product_list)
    if proposed is not None and proposed.locales == locales:
        return proposed
    if proposed is not None:
        proposed.delete()
    made = ProductListVersion(
        product_list=product_list, number=approved.number + 1 if approved is not None else 1, locales=locales
    )
    if made.elements == (approved.elements if approved is not None else {}):
        return None
    made.save()
    return made


def propose_all(product_lists: Iterable[ProductList]) -> None:
    """Propose lists one by one: one that cannot be made now stops none of the others."""
    for product_list in product_lists:
        try:
            propose(product_list)
        except (StorageUnavailable, DatabaseError):
            logger.exception("A list for a product could not be proposed")


@transaction.atomic
def approve(proposal: ProductListVersion, person: User) -> bool:
    """Let products read a proposal; False if it was replaced or approved meanwhile."""
    _lock(proposal.product_list)
    waiting = ProductListVersion.objects.filter(pk=proposal.pk, approved_at=None)
    return bool(waiting.update(approved_at=timezone.now(), approved_by=person))


def _lock(product_list: ProductList) -> None:
    """Keep all others from proposing or approving for a list until the transaction ends."""
    ProductList.objects.select_for_update().get(pk=product_list.pk)
