"""Celery tasks of collection."""

import logging
from collections.abc import Callable

from celery import shared_task

from reports.clock import clock_doubt
from reports.collection import closing, devices, merging
from reports.collection.ingest import idempotency_keys
from reports.models import Sealing, Version
from reports.models.uploads import utc_today
from reports.pending_files import sweep_files

logger = logging.getLogger(__name__)


@shared_task(name="reports.seal_finished_days", ignore_result=True)
def seal_finished_days() -> None:
    """Run the daily work: seal days, close versions whose grace is over, delete old keys and forgotten files.

    A failure stops none of the other steps; the first one is raised in the end. While the clock is in
    doubt, no version closes and nothing goes for its age.
    """
    deeds: list[Callable[[], object]] = [closing.seal_finished_days, sweep_files]
    if clock_doubt() is None:
        deeds += [_close_superseded, idempotency_keys.forget_old_keys]
    problem: Exception | None = None
    for deed in deeds:
        try:
            deed()
        except Exception as error:
            logger.exception("What midnight brings went wrong")
            problem = problem or error
    if problem is not None:
        raise problem


@shared_task(name="reports.help_sealing", ignore_result=True)
def help_sealing() -> None:
    """Seal days beside another worker; each version by the one that comes first, or by both."""
    closing.seal_finished_days()


@shared_task(name="reports.merge_files", ignore_result=True)
def merge_files(sealing: int) -> None:
    """Merge files of a sealing beside another worker."""
    found = Sealing.objects.select_related("version__use_case").filter(pk=sealing).first()
    if found is not None:
        merging.merge_files(found)


def _close_superseded() -> None:
    Version.objects.filter(state=Version.State.SUPERSEDED, accepts_until__lt=utc_today()).update(
        state=Version.State.CLOSED
    )


@shared_task(name="reports.mix_device_records", ignore_result=True)
def mix_device_records() -> None:
    try:
        devices.mix()
    finally:
        devices.forget_the_unmixed()
