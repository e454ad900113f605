"""Worker hosts: when each was last seen, and how full its disks are.

A heartbeat of tasks says that work is taken up somewhere; this one, which needs no broker, says where a worker lives.
"""

import datetime
import shutil
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.utils import timezone

from reports.models.jobs import WorkerHost
from reports.storage import is_remote, shard_storage

PERIOD_SECONDS = 20.0
# A heartbeat that is older is missed. A worker that is alone, and publishes much, takes up nothing meanwhile.
SILENCE = datetime.timedelta(minutes=2)
FORGOTTEN = datetime.timedelta(days=1)
# Uploads need room to be checked, and days to be sealed.
LEAST_FREE_SHARE = 0.1

_over = threading.Event()


def begin_heartbeats(**_signal: Any) -> None:
    """Receive the signal that a worker of this process is ready."""
    _over.clear()
    threading.Thread(target=_go_on, daemon=True).start()


def end_heartbeats(**_signal: Any) -> None:
    """Receive the signal that the worker ends in order: its host is then not missed."""
    _over.set()
    with suppress(DatabaseError):
        WorkerHost.objects.filter(name=socket.gethostname()).delete()


def _go_on() -> None:
    while not _over.is_set():
        with suppress(DatabaseError):
            record_host()
        # A connection that is kept would be handed on to processes of the pool that start later.
        connection.close()
        _over.wait(PERIOD_SECONDS)


def record_host() -> None:
    """Record that this host has a worker, and forget those that were not seen for long."""
    now = timezone.now()
    WorkerHost.objects.bulk_create(
        [WorkerHost(name=socket.gethostname(), seen_at=now, free_disk_share=free_disk_share())],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["seen_at", "free_disk_share"],
    )
    WorkerHost.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def worker_hosts() -> QuerySet[WorkerHost]:
    """Return the hosts that had a worker in the last day and did not end it in order."""
    return WorkerHost.objects.filter(seen_at__gte=timezone.now() - FORGOTTEN).order_by("name")


def is_silent(host: WorkerHost) -> bool:
    return timezone.now() - host.seen_at > SILENCE


def is_nearly_full(host: WorkerHost) -> bool:
    return host.free_disk_share < LEAST_FREE_SHARE


def free_disk_share() -> float:
    """Return the free share of this machine's disk, or of the folder of shards if that is elsewhere and fuller."""
    folders, storage = [Path(settings.DATA_DIR)], shard_storage()
    if not is_remote(storage):
        folders.append(Path(storage.path("")))
    usages = (
        shutil.disk_usage(next(each for each in (folder, *folder.parents) if each.exists())) for folder in folders
    )
    return min(usage.free / usage.total for usage in usages)
