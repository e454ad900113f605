"""Celery tasks of operations."""

from celery import shared_task

from reports.operations import operator_alerts


@shared_task(name="reports.operations.alert_operators", ignore_result=True)
def alert_operators() -> None:
    operator_alerts.alert_operators()
