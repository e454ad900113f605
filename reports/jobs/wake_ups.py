"""Messages that call workers to a job. They carry its name alone, and may come twice or never: state is in the rows."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

from reports.models.jobs import Job

logger = logging.getLogger(__name__)


def enqueue(job: Job) -> None:
    """Call a worker to a job, who calls another if there is enough to do. If no broker answers, the sweep finds it."""
    call_worker("reports.jobs.work", job._meta.label_lower, str(job.pk))


def call_worker(task: str, *arguments: str | int) -> None:
    """Call a worker to a task, by its name: tasks import what calls for them."""
    try:
        current_app.send_task(task, arguments, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("No broker to announce work to (%s); the next sweep will find it.", type(error).__name__)
