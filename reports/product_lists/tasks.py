"""Celery task that proposes lists: it may be lost or repeated."""

from celery import shared_task

from reports.models import ProductList
from reports.product_lists.approving import propose_all


@shared_task(name="reports.product_lists.propose", ignore_result=True)
def propose_lists() -> None:
    propose_all(ProductList.objects.select_related("use_case"))
