"""Celery tasks: thin, idempotent."""

from celery import shared_task

from reports.bulk import looking


@shared_task(name="reports.bulk.look_everywhere", ignore_result=True)
def look_everywhere() -> None:
    looking.look_everywhere()
