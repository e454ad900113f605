"""The privacy pages, as strangers and as those who see results look at them."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.models import Deletion, UseCase, Version
from tests.browser.conftest import Visit, follow
from tests.browser.test_looks import FITS
from tests.reports.factories import apply, definition
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send
from tests.worlds import once

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CUT_OFF = "Math.max(...[...document.querySelectorAll('.scroll, pre')].map((one) => one.scrollWidth - one.clientWidth))"


@pytest.fixture
@once
def history(transactional_db: None, alice: User, bob: User) -> Version:
    """Two versions, a window, deletions, a budget group with a long name, and words in several alphabets."""
    title, shared = "Which fruits people like best", {"budget_group": "g" * 40, "daily_limit": 2}
    first = define(title=title, parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0f" * 16}, **shared)
    send(first, 300, day=days_ago(2), seed=2)
    send(first, 500, day=days_ago(1), seed=1)
    aggregate(first)
    for day in (95, 96):
        Deletion.objects.create(version=first, day=days_ago(day), reports=1_234_567, reason="expired")
    rules = {"epsilon": 2, "k": 65536, "m": 1024, "seed": "0e" * 16}
    version = define(title=title, description="These reports are simulated.", parameters=rules, **shared)
    apply(definition(title="t" * 80, **shared))
    define_words()
    UseCase.objects.exclude(slug="words").update(privacy_published=True)
    return version


def test_from_the_login_to_a_report_without_logging_in_or_scripts(
    history: Version, visit: Callable[..., Visit]
) -> None:
    window = visit(scripts=False)
    page = window.page
    page.goto(f"{window.site}{reverse('login')}")
    window.context.clear_cookies()  # the form for logging in has one
    follow(page.locator("footer").get_by_role("link", name="Privacy"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Privacy")
    follow(page.get_by_role("link", name="Which fruits people like best"))
    expect(page.locator("h1")).to_contain_text("Privacy of “Which fruits people like best”")
    record = page.locator("pre.record").inner_text()
    assert record.count(",") == 1
    follow(page.locator(".crumb a"))
    follow(page.get_by_role("link", name="Which fruits people like best"))
    assert page.locator("pre.record").inner_text() != record
    # Nothing of what was read needed a cookie.
    assert window.context.cookies() == []


def test_no_figure_is_cut_off_at_any_width_and_all_have_names(history: Version, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    for address in (reverse("privacy"), *(reverse("use_case_privacy", args=[slug]) for slug in ("words", "fruits"))):
        page.goto(window.site + address)
        for width in (360, 500, 640, 700, 720, 800, 1000, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(FITS), (address, width)
            if address != reverse("use_case_privacy", args=["words"]):
                assert page.evaluate(CUT_OFF) <= 0, (address, width)
    # A row that has become a block still says what each figure is.
    page.set_viewport_size({"width": 360, "height": 900})
    cell = page.locator("table.stacked tbody td").first
    label = cell.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert label == '"Reports in it, at least"'
    assert_all_have_names(page)


def assert_all_have_names(page: Page) -> None:
    assert page.locator("table").count() >= 4
    assert page.locator("table:not(:has(caption))").count() == 0
    assert page.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0
    assert page.locator("section:not([aria-labelledby])").count() == 0
    levels = page.evaluate(
        "[...document.querySelectorAll('main h1, main h2, main h3')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
