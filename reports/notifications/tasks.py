"""Celery tasks: thin, with ids as arguments. What is to be told is in the database; they may come twice or never."""

import uuid

from celery import shared_task

from reports.notifications import delivery


@shared_task(name="reports.notifications.tell", ignore_result=True)
def tell(subscription_id: str) -> None:
    delivery.tell(uuid.UUID(subscription_id))


@shared_task(name="reports.notifications.sweep", ignore_result=True)
def sweep() -> None:
    """Enqueue a task for each due subscription, so that a slow receiver delays no other."""
    for subscription_id in delivery.due().values_list("pk", flat=True):
        tell.apply_async((str(subscription_id),), expires=300)
