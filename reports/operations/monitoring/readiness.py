"""Readiness: what the site needs, and whether it answers."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.core import checks
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.utils import timezone

from reports.jobs import SILENCE, last_heartbeat
from reports.operations.monitoring.questions import PATIENCE_SECONDS, put
from reports.operations.storage_checks import look_at_storage
from reports.storage import StorageUnavailable
from reports.training.trusted_processes import do_answer

logger = logging.getLogger(__name__)

# Without these a web process cannot serve. Without the others pages and uploads go on, and what is ordered waits.
NEEDED: Final = frozenset({"database", "storage"})


def answers() -> Mapping[str, bool]:
    """Tell by name whether each server that the site needs answers. Asked side by side, each for a few seconds."""
    asked: dict[str, tuple[object, Callable[[], bool]]] = {
        "database": (connection.settings_dict["NAME"], _database_answers),
        "storage": (storages["shards"], _storage_answers),
        "broker": (current_app.conf.broker_url, _broker_answers),
        "worker": (None, _worker_answers),
    }
    if address := settings.LDPSITE_TRAINING_AGGREGATOR:
        asked["training"] = (address, _training_answers)
    questions = {name: put(name, about, ask) for name, (about, ask) in asked.items()}
    return {name: question.answered() for name, question in questions.items()}


def check_broker(app_configs: Sequence[Any] | None, **options: Any) -> list[checks.CheckMessage]:
    """Ask the broker: a wrong address or password shows before the first job waits for the sweep."""
    # One in the database has no address, and comes with its tables, which may be yet to be made.
    if settings.BROKER_IN_DATABASE or _broker_answers():
        return []
    return [
        checks.Warning(
            "The broker does not answer. Work that is ordered is taken up more slowly.",
            hint="See CELERY_BROKER_URL.",
            id="reports.W002",
        )
    ]


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _storage_answers() -> bool:
    try:
        look_at_storage()
    except StorageUnavailable as error:
        logger.warning("The storage does not answer (%s)", error)
        return False
    return True


def _broker_answers() -> bool:
    try:
        with current_app.connection_for_write(connect_timeout=PATIENCE_SECONDS) as broker:
            broker.connect()
            broker.default_channel  # noqa: B018 - some transports connect only with a channel
    except Exception as error:  # noqa: BLE001 - each transport has its own errors
        logger.warning("The broker does not answer (%s)", type(error).__name__)
        return False
    return True


def _worker_answers() -> bool:
    """Tell whether a worker took something up in the last minutes, or is at work."""
    try:
        seen = last_heartbeat()
    except DatabaseError:
        return False
    return seen is not None and timezone.now() - seen <= SILENCE


def _training_answers() -> bool:
    if do_answer(PATIENCE_SECONDS):
        return True
    logger.warning("The trusted processes of training do not answer")
    return False
