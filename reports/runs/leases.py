"""Leases of parts: a worker that holds one renews it for as long as its process lives."""

import datetime
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection
from django.utils import timezone

from reports.models import Part

logger = logging.getLogger(__name__)

# Renewed every third of it. Short enough that a killed worker's parts do not wait long.
LEASE = datetime.timedelta(seconds=60)
# No part takes nearly as long: a worker that hangs must not hold it for good.
LONGEST = datetime.timedelta(hours=1)


@contextmanager
def heartbeat(part: Part) -> Iterator[None]:
    """Renew the lease of a part from another thread while the block runs."""
    done = threading.Event()
    thread = threading.Thread(target=_renew, args=(part.pk, part.lease_expires_at, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(part_id: int, expires: datetime.datetime | None, done: threading.Event) -> None:
    until = timezone.now() + LONGEST
    try:
        while not done.wait(LEASE.total_seconds() / 3) and timezone.now() < until:
            renewed = timezone.now() + LEASE
            # Not a lease that expired meanwhile and was taken over.
            mine = Part.objects.filter(pk=part_id, finished_at=None, lease_expires_at=expires)
            try:
                if not mine.update(lease_expires_at=renewed):
                    return
                expires = renewed
            except DatabaseError as error:
                logger.warning("The lease of a part could not be renewed (%s)", type(error).__name__)
                connection.close()
    finally:
        connection.close()
