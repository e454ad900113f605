"""Exposition of metrics, as Prometheus reads it: what web processes counted, and what the database says just now."""

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator

from django.db import DatabaseError, connection, transaction
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from reports.jobs import free_disk_share
from reports.operations.metrics.figures import figures_of_days, figures_of_now
from reports.operations.monitoring import answers

logger = logging.getLogger(__name__)

# Figures of now may be so old. Those of reports are of the hour, for an upload that comes late would be seen in them.
KEPT_SECONDS = 30
# A query for them takes no longer than that.
PATIENCE_MILLISECONDS = 5_000

# By the function that found them; with when that was, as exactly as it matters.
_kept: dict[Callable[[], Iterator[Metric]], tuple[int, list[Metric]]] = {}


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
            yield from _figures(figures_of_now, KEPT_SECONDS)
            yield from _figures(figures_of_days, 3600)


def _figures(find: Callable[[], Iterator[Metric]], seconds: int) -> list[Metric]:
    """Return figures of the database, found once in so many seconds; none if it does not give them in time."""
    turn = int(time.time()) // seconds
    kept = _kept.get(find)
    if kept is not None and kept[0] == turn:
        return kept[1]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(PATIENCE_MILLISECONDS)])
            found = list(find())
    except DatabaseError as error:
        logger.warning("The database gave no metrics (%s)", type(error).__name__)
        return []
    _kept[find] = turn, found
    return found
