"""Celery tasks: thin, idempotent, with ids as arguments. Nothing is lost when one runs twice or not at all."""

import uuid

from celery import shared_task

from reports.runs import parts, planning


@shared_task(name="reports.runs.work_on_part", ignore_result=True)
def work_on_part(part_id: int) -> None:
    parts.work_on(part_id)


@shared_task(name="reports.runs.plan_run", ignore_result=True)
def plan_run(run_id: str) -> None:
    for part_id in parts.begin(uuid.UUID(run_id)):
        work_on_part.apply_async((part_id,))


@shared_task(name="reports.runs.sweep", ignore_result=True)
def sweep() -> None:
    parts.sweep()


@shared_task(name="reports.runs.start_runs_of_finished_days", ignore_result=True)
def start_runs_of_finished_days() -> None:
    planning.start_runs_of_finished_days()
