"""Celery tasks: thin, idempotent, with ids as arguments. Nothing is lost when one runs twice or not at all."""

import uuid

from celery import shared_task

from reports.runs import parts, planning
from reports.runs.enqueue import enqueue_part
from reports.runs.heartbeat import record_heartbeat


@shared_task(name="reports.runs.work_on_part", ignore_result=True)
def work_on_part(part_id: int) -> None:
    record_heartbeat()
    parts.work_on_several(part_id)


@shared_task(name="reports.runs.plan_run", ignore_result=True)
def plan_run(run_id: str) -> None:
    record_heartbeat()
    part_ids = parts.begin(uuid.UUID(run_id))
    for part_id in part_ids:
        enqueue_part(part_id)
    if part_ids:  # and begin, without waiting for a message of our own
        parts.work_on_several(part_ids[0])


@shared_task(name="reports.runs.sweep", ignore_result=True)
def sweep() -> None:
    record_heartbeat()
    parts.sweep()


@shared_task(name="reports.runs.start_runs_of_finished_days", ignore_result=True)
def start_runs_of_finished_days() -> None:
    planning.start_runs_of_finished_days()
