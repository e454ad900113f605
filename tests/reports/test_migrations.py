"""Migrations that carry data over, forwards and back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def migrate(name: str) -> Any:
    """Go to a migration, and return the models as they are there."""
    executor = MigrationExecutor(connection)
    state = executor.migrate([("reports", name)])
    return state.apps


@pytest.fixture(autouse=True)
def latest_again() -> Iterator[None]:
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_budget_groups_were_texts() -> None:
    use_cases = migrate("0001_initial").get_model("reports", "UseCase").objects
    for slug, group, limit in [("a", "g", 3), ("b", "g", 2), ("c", "h", 4), ("d", "", 5)]:
        use_cases.create(slug=slug, title=slug, budget_group=group, daily_limit=limit)
    apps = migrate("0002_groups_drafts_keys")
    groups = apps.get_model("reports", "BudgetGroup").objects.order_by("name")
    # What all of a group's use cases allowed.
    assert list(groups.values_list("name", "daily_limit")) == [("g", 2), ("h", 4)]
    members = apps.get_model("reports", "UseCase").objects.order_by("slug").values_list("slug", "budget_group__name")
    assert list(members) == [("a", "g"), ("b", "g"), ("c", "h"), ("d", None)]
    back = migrate("0001_initial").get_model("reports", "UseCase").objects.order_by("slug")
    assert list(back.values_list("slug", "budget_group", "daily_limit")) == [
        ("a", "g", 2),
        ("b", "g", 2),
        ("c", "h", 4),
        ("d", "", 5),
    ]
