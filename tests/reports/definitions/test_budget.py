"""Budget groups in definition files: one limit, shared."""

import pytest

from reports.models import BudgetGroup, UseCase
from tests.reports.factories import apply, definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def limits() -> dict[str, int]:
    return {use_case.slug: use_case.reports_per_day for use_case in UseCase.objects.all()}


def test_a_group_is_created_joined_and_left() -> None:
    apply(definition(daily_limit=3))
    (applied,) = apply(definition(budget_group="x", daily_limit=2))
    assert applied.changes == [
        "changed budget_group",
        "budget group 'x' created, with 2 reports a day together",
    ]
    assert limits() == {"keyboard-emoji": 2}
    (applied,) = apply(definition(daily_limit=4))
    assert applied.changes == ["changed daily_limit, budget_group"]
    assert limits() == {"keyboard-emoji": 4}
    # Kept, for nothing is ever deleted.
    assert BudgetGroup.objects.get().name == "x"


def test_the_file_decides_and_says_whom_it_affects() -> None:
    shared = {"budget_group": "domains", "daily_limit": 2}
    apply(definition(slug="a", **shared), definition(slug="b", **shared), definition(slug="c"))
    (applied,) = apply(definition(slug="a", budget_group="domains", daily_limit=3))
    assert applied.changes == [
        "budget group 'domains' allows 3 reports a day, not 2; that goes for b too, not in the file"
    ]
    assert limits() == {"a": 3, "b": 3, "c": 1}
    assert apply(definition(slug="a", budget_group="domains", daily_limit=3))[0].changes == []
