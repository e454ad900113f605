"""A database from before release periods is refused with a way out, and left as it is."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import DjangoDbBlocker

from tests.reports.operations.backup.sites import empty_installation

pytestmark = pytest.mark.exact


def test_a_database_from_before_release_periods_is_not_migrated(
    tmp_path: Path, test_database: None, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock(), empty_installation(tmp_path / "var") as site, site.visited():
        MigrationRecorder(connection).record_applied("reports", "0001_initial")
        with pytest.raises(CommandError, match=r"manage\.py export`.*LDPSITE_DATA_DIR"):
            call_command("migrate", verbosity=0)
        assert connection.introspection.table_names() == ["django_migrations"]
