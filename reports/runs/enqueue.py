"""Messages that call workers. They carry ids alone, and may come twice or never: state is in the rows."""

import logging
import uuid

from celery import current_app
from kombu.exceptions import OperationalError

from reports.models import Run
from reports.runs.ready import ready

logger = logging.getLogger(__name__)


def dispatch(run: Run) -> None:
    """Call workers: one plans a run that is not planned yet, the others take those of its parts that are ready.

    If no broker answers, the sweep finds the run later.
    """
    try:
        if run.planned_at is None:
            enqueue_run(run.pk)
        for part_id in run.parts.filter(ready()).values_list("pk", flat=True):
            enqueue_part(part_id)
    except (OperationalError, OSError) as error:
        logger.warning("No broker to announce a run to (%s); the next sweep will find it.", type(error).__name__)


# By name: the tasks import what calls for them.


def enqueue_run(run_id: uuid.UUID) -> None:
    current_app.send_task("reports.runs.plan_run", (str(run_id),), retry=False)


def enqueue_part(part_id: int) -> None:
    current_app.send_task("reports.runs.work_on_part", (part_id,), retry=False)
