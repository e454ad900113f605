"""A database that cannot be brought to this release is refused with a way out, and left as it is."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import DjangoDbBlocker

from reports.operations.earlier import replaced
from tests.reports.operations.backup.sites import empty_installation

pytestmark = pytest.mark.exact


def test_databases_of_earlier_releases_are_brought_forward_from_the_last_migration_before(
    tmp_path: Path, test_database: None, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock(), empty_installation(tmp_path / "var") as site, site.visited():
        recorder = MigrationRecorder(connection)
        for name in replaced():
            recorder.record_applied(*name)
        assert ("reports", "0001_squashed_0024_clear_changes") in MigrationLoader(connection).applied_migrations
        recorder.record_unapplied("reports", "0024_clear_changes")
        with pytest.raises(CommandError, match=r"before migration 0024_clear_changes.*revision \w+ first"):
            call_command("migrate", verbosity=0)
        recorder.record_applied("reports", "0001_initial")
        with pytest.raises(CommandError, match=r"manage\.py export`.*LDPSITE_DATA_DIR"):
            call_command("migrate", verbosity=0)
        assert connection.introspection.table_names() == ["django_migrations"]
