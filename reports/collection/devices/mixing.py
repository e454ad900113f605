"""Mixing what came: then no column, not even PostgreSQL's own, tells which rows came together, or in which order."""

import logging
from collections.abc import Callable, Iterable

from django.db import connection
from django.db.models import Exists, OuterRef

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
    document again, and only while the keys are deleted. While rows become a batch, it is left for later. What goes
    wrong with one version keeps none of the others, nor the keys; it is raised in the end.
    """
    with advisory_lock(Lock.WAITING, 0, wait=False) as acquired:
        if not acquired:
            return False
        came = Exists(DeviceRecord.objects.filter(version=OuterRef("pk")))
        versions = list(Version.objects.filter(came).select_related("use_case__budget_group"))
        # Records of versions deleted while a document was on its way: nothing can count them.
        orphans = DeviceRecord.objects.filter(~Exists(Version.objects.filter(pk=OuterRef("version_id"))))
        if orphans.exists():
            orphans.delete()
        problem = _of_each(versions, mix_records, "mixed")
        any_keys = mix_keys()
        problem = problem or _of_each(versions, _drain_early, "stored")
    if problem is not None:
        raise problem
    return bool(versions) or any_keys


def _of_each(versions: Iterable[Version], deed: Callable[[Version], object], done: str) -> Exception | None:
    """Do something with each version, and return the first error."""
    problem: Exception | None = None
    for version in versions:
        try:
            deed(version)
        except Exception as error:
            logger.exception(
                "%s, version %d: records of devices could not be %s", version.use_case.slug, version.number, done
            )
            problem = problem or error
    return problem


def _drain_early(version: Version) -> None:
    try:
        drain_early(version)
    except (StorageUnavailable, OSError) as error:  # what is mixed can wait
        logger.warning(
            "%s, version %d: records of devices could not be stored yet (%s)",
            version.use_case.slug,
            version.number,
            type(error).__name__,
        )


def forget_the_unmixed() -> None:
    """Let the database throw away the rows as they were before; it would come to that some time later.

    Not in a transaction. What an older transaction could still see is left for the next time.
    """
    with connection.cursor() as cursor:
        cursor.execute(_VACUUM)
