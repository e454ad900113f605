"""The privacy of the whole site: what all use cases cost together, each budget once, and which of them are listed."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from aggregation.accounting import amplified
from reports.models import UseCase, Version
from reports.models.uploads import utc_today
from reports.privacy import privacy_loss, site_document
from tests.reports.factories import SEED, apply, definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

STRANGER = AnonymousUser()


def use_case(slug: str, epsilon: float, limit: int, group: str | None = None, **changes: Any) -> dict[str, Any]:
    return definition(
        slug=slug,
        title=slug.upper(),
        parameters={"epsilon": epsilon, "k": 64, "m": 64, "seed": SEED},
        daily_limit=limit,
        budget_group=group,
        **changes,
    )


@pytest.fixture
def site(db: None) -> None:
    """The demo's shape: one alone, two that share a limit, and one of another owner."""
    apply(
        use_case("alone", 4, 1, retention_days=90),
        use_case("cheap", 1, 2, "domains", retention_days=30),
        use_case("dear", 4, 2, "domains", retention_days=10),
        use_case("theirs", 8, 2, viewer_groups=["others"], owner_group="others", retention_days=5),
    )


def epsilon(person: User | AnonymousUser = STRANGER) -> dict[str, Any]:
    found: dict[str, Any] = site_document(person)["epsilon"]
    return found


def total(person: User | AnonymousUser = STRANGER) -> float:
    return float(epsilon(person)["per_day"])


def listed(person: User | AnonymousUser = STRANGER) -> list[str]:
    return [line["use_case"] for line in site_document(person)["use_cases"]]


def test_each_group_counts_once_with_its_largest_epsilon(site: None, alice: User) -> None:
    """4·1 alone, 4·2 for the two that share (not 1·2 + 4·2), 8·2 for another: 28 a day."""
    found = epsilon(alice)
    assert (found["use_cases"], found["per_day"]) == (4, 28)
    # Kept for 90, for at most 30, and for 5 days, after twice seven of waiting.
    assert found["over_retention"] == 4 * 104 + 8 * 44 + 16 * 19
    assert found["budgets"] == [
        {"budget_group": None, "use_cases": ["ALONE"], "others": 0, "held": [], "held_others": 0,
         "reports_per_day": 1, "largest_epsilon": 4, "per_day": 4, "over_retention": 416},
        {"budget_group": "domains", "use_cases": ["CHEAP", "DEAR"], "others": 0, "held": [], "held_others": 0,
         "reports_per_day": 2, "largest_epsilon": 4, "per_day": 8, "over_retention": 352},
        {"budget_group": None, "use_cases": [], "others": 1, "held": [], "held_others": 0,
         "reports_per_day": 2, "largest_epsilon": 8, "per_day": 16, "over_retention": 304},
    ]  # fmt: skip


def test_the_sum_does_not_depend_on_who_reads(site: None, alice: User, bob: User, charlie: User) -> None:
    assert {total(person) for person in (alice, bob, charlie, STRANGER)} == {28}
    (line,) = epsilon(STRANGER)["budgets"]
    assert (line["others"], line["use_cases"], line["per_day"], line["largest_epsilon"]) == (4, [], 28, 8)


def test_the_lines_add_up(site: None, alice: User, charlie: User) -> None:
    UseCase.objects.filter(slug="cheap").update(privacy_published=True)
    for person in (alice, charlie, STRANGER):
        found = epsilon(person)
        for figure in ("per_day", "over_retention"):
            assert sum(line[figure] for line in found["budgets"]) == found[figure]
        assert sum(len(line["use_cases"]) + line["others"] for line in found["budgets"]) == found["use_cases"] == 4
    # The other of the published one's group is a number.
    (group, _rest) = epsilon(STRANGER)["budgets"]
    assert (group["use_cases"], group["others"], group["per_day"]) == (["CHEAP"], 1, 8)


def test_what_is_paused_or_archived_or_a_draft_asks_nothing(site: None) -> None:
    UseCase.objects.filter(slug="theirs").update(state=UseCase.State.PAUSED)
    assert total() == 12
    UseCase.objects.filter(slug="dear").update(state=UseCase.State.ARCHIVED)
    assert total() == 4 + 2 * 1
    Version.objects.filter(use_case__slug="alone").update(state=Version.State.DRAFT)
    assert (total(), epsilon()["use_cases"]) == (2, 1)
    UseCase.objects.update(state=UseCase.State.PAUSED)
    assert (total(), epsilon()["use_cases"]) == (0, 0)


def test_what_is_paused_or_archived_stays_in_the_sum_over_the_days_held(site: None, alice: User) -> None:
    """Reports of it that are here do not matter: they would tell of a few."""
    before = epsilon(alice)
    UseCase.objects.filter(slug="dear").update(state=UseCase.State.PAUSED)
    UseCase.objects.filter(slug__in=["alone", "theirs"]).update(state=UseCase.State.ARCHIVED)
    found = epsilon(alice)
    assert (found["use_cases"], found["held"], found["per_day"]) == (1, 3, 2)
    assert found["over_retention"] == before["over_retention"]
    alone, group, rest = found["budgets"]
    assert (alone["held"], alone["reports_per_day"], alone["per_day"], alone["over_retention"]) == (
        ["ALONE"],
        0,
        0,
        416,
    )
    assert (group["use_cases"], group["held"]) == (["CHEAP"], ["DEAR"])
    assert (group["largest_epsilon"], group["per_day"], group["over_retention"]) == (1, 2, 352)
    assert (rest["held"], rest["held_others"], rest["reports_per_day"], rest["over_retention"]) == ([], 1, 0, 304)
    Version.objects.filter(use_case__slug="alone").update(state=Version.State.DRAFT)
    assert epsilon(alice)["over_retention"] == before["over_retention"] - 416


def test_a_closed_version_counts_until_its_last_report_is_gone(site: None, client: Client, alice: User) -> None:
    apply(use_case("alone", 0.5, 1, retention_days=90))
    closed = Version.objects.filter(use_case__slug="alone", number=1)
    for days, expected in ((104, 4 * 104), (105, 0.5 * 104)):
        last = utc_today() - datetime.timedelta(days=days)
        closed.update(state=Version.State.CLOSED, accepts_until=last)
        document = site_document(alice)
        assert (document["epsilon"]["budgets"][0]["per_day"], document["use_cases"][0]["per_day"]) == (0.5, 0.5)
        assert document["epsilon"]["budgets"][0]["over_retention"] == expected
        assert document["use_cases"][0]["over_retention"] == expected
        client.force_login(alice)
        page = client.get("/use-cases/alone/privacy/").content.decode()
        assert ("cost more than these and may still be held" in page) == (days == 104)


def test_the_page_says_which_are_no_longer_asked(site: None, client: Client, alice: User) -> None:
    client.force_login(alice)
    UseCase.objects.filter(slug="dear").update(state=UseCase.State.PAUSED)
    assert "CHEAP; DEAR (not asked now; reports may still be held)" in client.get("/privacy/").content.decode()
    UseCase.objects.update(state=UseCase.State.PAUSED)
    page = client.get("/privacy/").content.decode()
    assert "ALONE (not asked now; reports may still be held)" in page
    assert "What they sent before may still be held." in page


def test_use_cases_are_listed_for_those_who_may_read_about_them(
    site: None, alice: User, bob: User, charlie: User
) -> None:
    assert listed(alice) == listed(bob) == ["alone", "cheap", "dear"]
    assert listed(charlie) == listed(STRANGER) == []
    UseCase.objects.filter(slug="theirs").update(privacy_published=True)
    assert listed(bob) == ["alone", "cheap", "dear", "theirs"]
    assert listed(charlie) == listed(STRANGER) == ["theirs"]
    charlie.is_superuser = True
    charlie.save()
    assert len(listed(charlie)) == 4


def test_nothing_tells_strangers_which_others_there_are(site: None, charlie: User) -> None:
    UseCase.objects.filter(slug="cheap").update(privacy_published=True)
    for person in (charlie, STRANGER):
        text = str(site_document(person)).lower()
        assert "cheap" in text
        for word in ("alone", "dear", "theirs", "keyboard"):
            assert word not in text


def test_a_line_says_what_the_page_of_the_use_case_says(site: None, alice: User) -> None:
    lines = {line["use_case"]: line for line in site_document(alice)["use_cases"]}
    for slug, line in lines.items():
        version = Version.objects.get(use_case__slug=slug)
        loss = privacy_loss(version.use_case, version)
        assert (line["per_report"], line["reports_per_day"]) == (loss.per_report, loss.reports_per_day)
        assert (line["per_day"], line["over_retention"]) == (loss.per_day, loss.over_retention)
    assert lines["alone"] == {
        "use_case": "alone",
        "title": "ALONE",
        "state": "running",
        "published": False,
        "retention_days": 90,
        "days_held": 104,
        "minimum_reports": 10_000,
        "version": 1,
        "takes_reports": True,
        "per_report": 4,
        "reports_per_day": 1,
        "per_day": 4,
        "over_retention": 416,
        "central_epsilon": amplified(4, 10_000, 1e-6),
    }
    assert lines["cheap"]["per_day"] == 8


def test_a_use_case_that_never_asked_has_no_figures(site: None, alice: User) -> None:
    Version.objects.filter(use_case__slug="alone").update(state=Version.State.DRAFT)
    line = site_document(alice)["use_cases"][0]
    assert (line["use_case"], line["version"], "per_report" in line) == ("alone", None, False)


def test_an_empty_site() -> None:
    assert site_document(STRANGER)["use_cases"] == []
    assert total() == 0
