"""Celery tasks of training."""

from celery import shared_task

from reports.training.training_orders import forget_old_devices


@shared_task(name="reports.training.forget_old_devices", ignore_result=True)
def forget() -> None:
    forget_old_devices()
