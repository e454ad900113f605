"""Celery task that proposes lists: it may be lost or repeated, for it is asked every hour anyway."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from reports.models import ProductList
from reports.product_lists.approving import propose_all

logger = logging.getLogger(__name__)


@shared_task(name="reports.product_lists.propose", ignore_result=True)
def propose_lists(use_case_id: int | None = None) -> None:
    """Propose the lists of a use case, or all."""
    product_lists = ProductList.objects.select_related("use_case")
    propose_all(product_lists if use_case_id is None else product_lists.filter(use_case=use_case_id))


def enqueue_proposals(use_case_id: int) -> None:
    """Enqueue proposals of a use case's lists, after the commit that published something."""
    if not ProductList.objects.filter(use_case=use_case_id).exists():
        return
    try:
        propose_lists.apply_async((use_case_id,), retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("No broker to propose lists by (%s); they are proposed within the hour.", type(error).__name__)
