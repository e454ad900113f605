"""Exposition of metrics, as Prometheus reads it: what web processes counted, and what the database says just now."""

import logging
import os
import socket
import time
from collections.abc import Iterator

from django.db import DatabaseError, connection, transaction
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from reports.jobs import free_disk_share
from reports.operations.metrics.figures import figures
from reports.operations.monitoring import answers

logger = logging.getLogger(__name__)

# Figures of the database may be so old, and a query for them takes no longer than that.
KEPT_SECONDS = 30.0
PATIENCE_MILLISECONDS = 5_000

_kept: tuple[float, list[Metric]] = (0.0, [])


def expose() -> bytes:
    """Return all metrics of this machine's web processes, and those of the site."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(REGISTRY)
    registry.register(_Site())
    return generate_latest(registry)


class _Site(Collector):
    def collect(self) -> Iterator[Metric]:
        found = answers()
        up = GaugeMetricFamily("ldpsite_dependency_up", "Whether what the site needs answers.", labels=["name"])
        for name, answered in found.items():
            up.add_metric([name], float(answered))
        yield up
        disk = GaugeMetricFamily("ldpsite_web_free_disk_ratio", "Free share of a web host's disk.", labels=["host"])
        disk.add_metric([socket.gethostname()], free_disk_share())
        yield disk
        if found["database"]:
            yield from _figures()


def _figures() -> list[Metric]:
    """Return the figures of the database, or none if it does not give them in time."""
    global _kept  # noqa: PLW0603
    began = time.monotonic()
    if _kept[1] and began - _kept[0] < KEPT_SECONDS:
        return _kept[1]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(PATIENCE_MILLISECONDS)])
            _kept = (began, list(figures()))
    except DatabaseError as error:
        logger.warning("The database gave no metrics (%s)", type(error).__name__)
        return []
    return _kept[1]
