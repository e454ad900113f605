"""Migrations only expand: web of the release before runs on the tables of this one (docs/deployment.md)."""

import pytest
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

pytestmark = pytest.mark.exact

# Where the rule began. What a release no longer needs goes in the one after it: then name the migration here.
LAST_BEFORE = "0015_word_kinds"
CONTRACTING: set[str] = set()
TAKES_AWAY = (operations.DeleteModel, operations.RemoveField, operations.RenameField, operations.RenameModel)


def is_expanding(operation: Operation, migration: Migration) -> bool:
    """Tell whether programs that do not know of a change can go on reading and writing rows."""
    if isinstance(operation, operations.AddField):
        new = {each.name_lower for each in migration.operations if isinstance(each, operations.CreateModel)}
        field = operation.field
        # They leave the column out.
        return operation.model_name_lower in new or field.null or field.db_default is not NOT_PROVIDED
    return not isinstance(operation, TAKES_AWAY)


def test_migrations_only_expand() -> None:
    wrong = [
        f"{name}: {operation.describe()}"
        for (app, name), migration in sorted(MigrationLoader(None).disk_migrations.items())
        if app == "reports" and name > LAST_BEFORE and name not in CONTRACTING
        for operation in migration.operations
        if not is_expanding(operation, migration)
    ]
    assert wrong == []
