"""The Celery task of retention."""

import logging

from celery import shared_task

from reports.clock import ClockDoubt
from reports.pending_files import sweep_files
from reports.retention.deleting import delete_expired

logger = logging.getLogger(__name__)


@shared_task(name="reports.delete_expired", ignore_result=True)
def delete_expired_reports() -> None:
    """Delete raw reports whose retention is over. What it deletes is logged, and kept in rows."""
    try:
        delete_expired()
    except ClockDoubt as doubt:
        logger.error("%s", doubt)
    finally:
        sweep_files()  # what an earlier deletion could not delete, because a back-up was made
