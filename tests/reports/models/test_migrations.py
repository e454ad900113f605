"""Migrations only expand: web of the release before runs on the tables of this one (docs/deployment.md)."""

import pytest
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

pytestmark = pytest.mark.exact

# Where the rule began.
LAST_BEFORE = "0001_squashed_0024_clear_changes"
EXPANDS = (operations.CreateModel, operations.AddIndex, operations.RemoveIndex)
# Everything else, with what makes it harmless. What a release no longer needs goes in the one after it: name that here.
EXAMINED: dict[str, str] = {
    "0025_site_subscriptions: Alter field use_case on subscription": (
        "Old web shows a subscription to no use case as one to a use case that its owner may not see any more; old"
        " workers, who would fail to deliver it, are stopped before."
    ),
    "0026_histogram_entries: Raw SQL operation": "fills a table that no old program knows",
    "0026_histogram_entries: Delete model HistogramEntry": (
        "Nothing makes it harmless: before the first release the whole site is stopped for it (docs/deployment.md)."
    ),
}


def is_expanding(operation: Operation, migration: Migration) -> bool:
    """Tell whether programs that do not know of a change can go on reading and writing rows."""
    if isinstance(operation, operations.AddField | operations.AddConstraint):
        new = {each.name_lower for each in migration.operations if isinstance(each, operations.CreateModel)}
        if operation.model_name_lower in new:
            return True
    if isinstance(operation, operations.AddField):
        # They leave the column out.
        return operation.field.null or operation.field.db_default is not NOT_PROVIDED
    return isinstance(operation, EXPANDS)


def test_migrations_only_expand() -> None:
    others = [
        f"{name}: {operation.describe()}"
        for (app, name), migration in sorted(MigrationLoader(None).disk_migrations.items())
        if app == "reports" and name > LAST_BEFORE
        for operation in migration.operations
        if not is_expanding(operation, migration)
    ]
    assert others == [*EXAMINED]
