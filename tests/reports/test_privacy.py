"""ε added up over a day and over the days that reports are kept."""

from decimal import Decimal

import pytest

from reports.models import BudgetGroup, UseCase, Version
from reports.privacy import privacy_loss
from tests.reports.factories import SEED, apply, definition, make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def version_of(slug: str) -> Version:
    return Version.objects.get(use_case__slug=slug, state=Version.State.ACTIVE)


def parameters(epsilon: float) -> dict[str, object]:
    return {"epsilon": epsilon, "k": 64, "m": 64, "seed": SEED}


def test_alone() -> None:
    version = make_version(daily_limit=3, retention_days=10, parameters=parameters(0.5))
    loss = privacy_loss(version.use_case, version)
    assert (loss.per_report, loss.reports_per_day, loss.per_day) == (Decimal("0.5"), 3, Decimal("1.5"))
    assert (loss.retention_days, loss.over_retention, loss.shared_with) == (10, Decimal(15), ())


def test_a_shared_limit_counts_once() -> None:
    """Two use cases of ε = 4 with two reports a day together cost 8 a day, not 16."""
    shared = {"budget_group": "domains", "daily_limit": 2}
    apply(definition(slug="energy", **shared), definition(slug="memory", **shared), definition(slug="other"))
    energy = UseCase.objects.get(slug="energy")
    loss = privacy_loss(energy, version_of("energy"))
    assert (loss.per_report, loss.reports_per_day, loss.per_day) == (Decimal(4), 2, Decimal(8))
    assert [other.slug for other in loss.shared_with] == ["memory"]


def test_all_reports_of_a_day_may_be_for_the_dearest() -> None:
    shared = {"budget_group": "g", "daily_limit": 2}
    apply(
        definition(slug="cheap", parameters=parameters(1), **shared),
        definition(slug="dear", parameters=parameters(4), **shared),
    )
    for slug, per_report in [("cheap", 1), ("dear", 4)]:
        loss = privacy_loss(UseCase.objects.get(slug=slug), version_of(slug))
        assert (loss.per_report, loss.per_day) == (Decimal(per_report), Decimal(8))


def test_the_limit_is_the_groups() -> None:
    version = make_version(budget_group="g", daily_limit=2)
    BudgetGroup.objects.update(daily_limit=5)
    assert privacy_loss(UseCase.objects.get(), version).per_day == 20
