"""Celery tasks of the ingestor."""

from celery import shared_task

from reports.ingest import days, devices, keys
from reports.models import Version
from reports.models.uploads import utc_today
from reports.storage import sweep_files


@shared_task(name="reports.seal_finished_days", ignore_result=True)
def seal_finished_days() -> None:
    """What midnight brings: days seal, versions whose grace is over close, old keys and forgotten files go."""
    days.seal_finished_days()
    Version.objects.filter(state=Version.State.SUPERSEDED, accepts_until__lt=utc_today()).update(
        state=Version.State.CLOSED
    )
    keys.forget_old_keys()
    sweep_files()


@shared_task(name="reports.mix_device_records", ignore_result=True)
def mix_device_records() -> None:
    devices.mix()
    devices.forget_the_unmixed()
