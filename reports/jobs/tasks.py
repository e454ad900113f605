"""Celery tasks: thin, idempotent, with ids as arguments. Nothing is lost when one runs twice or not at all."""

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown

from reports.jobs import working
from reports.jobs.host_heartbeat import begin_heartbeats, end_heartbeats
from reports.jobs.job_types import JOB_TYPES
from reports.jobs.worker_heartbeat import record_heartbeat

worker_ready.connect(begin_heartbeats)
worker_shutdown.connect(end_heartbeats)


@shared_task(name="reports.jobs.work", ignore_result=True)
def work(label: str, pk: str) -> None:
    record_heartbeat()
    if job := JOB_TYPES[label].model.objects.filter(pk=pk).first():
        working.work_on(job)


@shared_task(name="reports.jobs.sweep", ignore_result=True)
def sweep() -> None:
    record_heartbeat()
    working.sweep()
