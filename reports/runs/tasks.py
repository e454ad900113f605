"""Celery tasks: thin, idempotent. Nothing is lost when one runs twice or not at all."""

from celery import shared_task

from reports.runs import ordering


@shared_task(name="reports.runs.start_runs_of_finished_days", ignore_result=True)
def start_runs_of_finished_days() -> None:
    ordering.start_runs_of_finished_days()
