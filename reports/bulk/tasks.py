"""Celery tasks: thin, idempotent."""

from celery import shared_task

from reports.bulk import export_jobs, looking


@shared_task(name="reports.bulk.look_everywhere", ignore_result=True)
def look_everywhere() -> None:
    looking.look_everywhere()


@shared_task(name="reports.bulk.export_daily", ignore_result=True)
def export_daily() -> None:
    export_jobs.export_daily()
