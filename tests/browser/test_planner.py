"""An engineer plans a use case and creates it: from the first question to a draft version with the planned figures."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from aggregation.mechanisms import MECHANISMS
from reports.models import UseCase, Version
from tests.browser.conftest import Visit, follow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def root(transactional_db: None) -> User:
    return User.objects.create_superuser("root", password="password")


def test_engineer_plans_a_use_case_and_creates_it(root: User, visit: Callable[..., Visit]) -> None:
    window = visit()
    window.log_in("root")
    page = window.page
    page.goto(window.site)
    follow(page.get_by_role("link", name="Planner", exact=True))
    expect(page.get_by_role("heading", level=1)).to_have_text("Planner")
    expect(page.locator("#advice")).to_contain_text("Take local hashing")
    page.get_by_label("Reports a day", exact=True).fill("500000")
    page.get_by_label("ε of a report").fill("2.5")
    page.locator(".plan-more > summary").click()
    page.get_by_label("Reports per device and day").fill("2")
    page.get_by_label("Days raw reports are kept").fill("30")
    page.get_by_label("Hash functions (k)").fill("2048")
    follow(page.get_by_role("button", name="Plan", exact=True))
    assert page.url == f"{window.site}/planner/?epsilon=2.5&n=500000&k=2048&limit=2&retention=30"
    table = page.get_by_role("table", name="What each mechanism would show")
    expect(table.get_by_role("row", name="ε of a person’s day")).to_contain_text("5")
    expect(table.get_by_role("columnheader")).to_have_count(1 + len(MECHANISMS))
    buckets = page.evaluate(
        "fetch('/planner.json' + location.search).then(answer => answer.json())"
        ".then(found => found.plans[1].parameters.m)"
    )
    follow(page.get_by_role("link", name=re.compile("Make a use case from this.*Hadamard")))
    page.fill("#id_title", "Loud domains")
    page.press("#id_title", "Tab")
    expect(page.locator("#id_slug")).to_have_value("loud-domains")
    expect(page.locator("#id_daily_limit")).to_have_value("2")
    follow(page.get_by_role("button", name="Save", exact=True))
    expect(page.locator(".messagelist")).to_contain_text("Next: its first version")
    expect(page.locator("#id_use_case option:checked")).to_have_text("Loud domains")
    expect(page.locator("#id_algorithm")).to_have_value("HadamardCountMeanSketch")
    page.select_option("#id_normalization", "domain")
    follow(page.get_by_role("button", name="Save", exact=True))
    expect(page.locator("#consequences")).to_contain_text("there is no dictionary yet")
    use_case = UseCase.objects.get(slug="loud-domains")
    version = use_case.versions.get()
    assert (use_case.daily_limit, use_case.retention_days) == (2, 30)
    assert (version.state, version.algorithm) == (Version.State.DRAFT, "HadamardCountMeanSketch")
    planned = {"epsilon": 2.5, "k": 2048, "m": buckets}
    assert {name: version.parameters[name] for name in planned} == planned
