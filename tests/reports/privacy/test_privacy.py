"""ε added up over a day and over the days that reports are kept."""

from datetime import timedelta
from decimal import Decimal

import pytest

from reports.models import UseCase, Version
from reports.models.uploads import utc_today
from reports.privacy import largest_epsilon, privacy_loss
from tests.reports.factories import SEED, apply, definition, make_version

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def version_of(slug: str) -> Version:
    return Version.objects.get(use_case__slug=slug, state=Version.State.ACTIVE)


def parameters(epsilon: float) -> dict[str, object]:
    return {"epsilon": epsilon, "k": 64, "m": 64, "seed": SEED}


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


def test_a_superseded_version_costs_as_long_as_it_accepts_reports() -> None:
    make_version(parameters=parameters(8), daily_limit=2, grace_days=7)
    version = make_version(parameters=parameters(1), daily_limit=2, grace_days=7)
    old = Version.objects.get(number=1)
    assert old.state == Version.State.SUPERSEDED
    loss = privacy_loss(version.use_case, version)
    assert (loss.per_report, loss.per_day) == (Decimal(1), Decimal(16))
    # The date decides, not only the state.
    Version.objects.filter(pk=old.pk).update(accepts_until=utc_today() - timedelta(days=1))
    assert privacy_loss(version.use_case, version).per_day == 2
    # The page of a version that is over still says what it was.
    assert privacy_loss(version.use_case, Version.objects.get(number=1)).per_day == 16


def test_superseded_versions_of_those_who_share_the_limit_count_too() -> None:
    shared = {"budget_group": "g", "daily_limit": 3}
    apply(definition(slug="a", parameters=parameters(1), **shared), definition(slug="b", **shared))
    apply(definition(slug="b", parameters=parameters(2), **shared))
    assert privacy_loss(UseCase.objects.get(slug="a"), version_of("a")).per_day == 12
    Version.objects.filter(state=Version.State.SUPERSEDED).update(state=Version.State.CLOSED)
    assert privacy_loss(UseCase.objects.get(slug="a"), version_of("a")).per_day == 6


def test_nothing_is_taken_in_under_a_draft() -> None:
    version = make_version(parameters=parameters(1))
    make_version(parameters=parameters(2))
    assert largest_epsilon(Version.objects.all()) == 2
    Version.objects.exclude(pk=version.pk).update(state=Version.State.DRAFT)
    Version.objects.filter(pk=version.pk).update(state=Version.State.CLOSED)
    assert largest_epsilon(Version.objects.all()) is None
