"""Databases and back-ups from before results were released in periods, which cannot be brought to this release."""

from collections.abc import Collection
from typing import Any

from django.core.management.base import CommandError
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

_FIRST_MIGRATION = ("reports", "0001_initial")
ADVICE = (
    "is from before results were released in periods, and cannot be brought to this release. To keep what was"
    " published, go back to the release that made it and save each histogram with `python manage.py export`. Then start"
    " anew here, with a new data folder (LDPSITE_DATA_DIR) or a new database (DATABASE_URL)."
)


def is_earlier(migrations: Collection[tuple[str, str]]) -> bool:
    """Tell by the applied migrations, (app, name), whether they made tables from before release periods."""
    return _FIRST_MIGRATION in migrations


def refuse_earlier_database(using: str, **_signal: Any) -> None:
    """Receive `pre_migrate`: without this its tables would be created again, beside those that are there."""
    if is_earlier(MigrationRecorder(connections[using]).applied_migrations()):
        raise CommandError(f"This database {ADVICE}")
