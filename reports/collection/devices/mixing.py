"""Mixing what came: then no column, not even PostgreSQL's own, tells which rows came together, or in which order."""

import logging

from django.db import connection

from reports.collection.devices.draining import drain_early
from reports.collection.devices.keys import mix_keys
from reports.collection.devices.portions import mix_records
from reports.locks import Lock, advisory_lock
from reports.models import DeviceRecord, Version
from reports.storage import StorageUnavailable

logger = logging.getLogger(__name__)

_VACUUM = "VACUUM (TRUNCATE false) reports_devicerecord, reports_mixedrecords, reports_devicekey, reports_mixedkeys"


def mix() -> bool:
    """Move to portions what came of each version since the last time, and the keys; returns whether anything came.

    Each version in a transaction of its own, and then the keys: no sender waits for it, save for one who sends a
    document again, and only while the keys are deleted. While rows become a batch, it is left for later.
    """
    with advisory_lock(Lock.WAITING, 0, wait=False) as acquired:
        if not acquired:
            return False
        came = DeviceRecord.objects.values("version_id")
        versions = list(Version.objects.filter(pk__in=came).select_related("use_case__budget_group"))
        for version in versions:
            mix_records(version)
        any_keys = mix_keys()
        for version in versions:
            try:
                drain_early(version)
            except (StorageUnavailable, OSError) as error:  # what is mixed can wait
                logger.warning(
                    "%s, version %d: records of devices could not be stored yet (%s)",
                    version.use_case.slug,
                    version.number,
                    type(error).__name__,
                )
    return bool(versions) or any_keys


def forget_the_unmixed() -> None:
    """Let the database throw away the rows as they were before; it would come to that some time later.

    Not in a transaction. What an older transaction could still see is left for the next time.
    """
    with connection.cursor() as cursor:
        cursor.execute(_VACUUM)
