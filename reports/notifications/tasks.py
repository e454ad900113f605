"""Celery tasks that deliver news. They may be lost or repeated: the database knows what is due."""

import logging
import uuid

from celery import shared_task
from kombu.exceptions import OperationalError

from reports.notifications import delivery

logger = logging.getLogger(__name__)


@shared_task(name="reports.notifications.deliver", ignore_result=True)
def deliver(subscription_id: str) -> None:
    delivery.deliver(uuid.UUID(subscription_id))


@shared_task(name="reports.notifications.sweep", ignore_result=True)
def sweep() -> None:
    """Enqueue a task for each due subscription, so that a slow receiver delays no other."""
    for subscription_id in delivery.due().values_list("pk", flat=True):
        deliver.apply_async((str(subscription_id),), expires=300)


def enqueue_deliveries(use_case_id: int) -> None:
    """Enqueue the deliveries of a use case that are due, after the commit that published something."""
    try:
        for subscription_id in delivery.due().filter(use_case=use_case_id).values_list("pk", flat=True):
            deliver.apply_async((str(subscription_id),), retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("No broker to announce news to (%s); the next sweep will find them.", type(error).__name__)
