"""Single sign-on in a browser, at a provider that is another site: the way there, back, and out."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Visit, follow
from tests.oidc_provider import Provider
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_people_come_in_by_a_provider_and_leave_it(provider: Provider, visit: Callable[..., Visit]) -> None:
    define(viewer_groups=["analysts"])
    window = visit(width=1280, dark=True, own=True)
    page = window.page

    def log_in() -> None:
        assert (violations(page), window.faults) == ([], [])
        page.keyboard.press("Tab")
        with page.expect_navigation():
            page.get_by_role("link", name="Log in with Example").press("Enter")
        page.locator("input[name=sub]").fill("ada")
        with page.expect_navigation(url=f"{window.site}/**"):
            page.locator("input[name=sub]").press("Enter")
        # The provider's page is another site, and loads more from elsewhere.
        window.faults.clear()

    page.goto(f"{window.site}/use-cases/fruits/")
    log_in()
    assert page.url == f"{window.site}/use-cases/fruits/"
    expect(page.locator(".who")).to_have_text("ada")
    page.goto(f"{window.site}/accounts/")
    assert violations(page) == []
    follow(page.get_by_role("button", name="Log out"))
    expect(page.get_by_role("link", name="Log out at Example")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 800})
    assert violations(page) == []
    # A person who has left all groups is told so.
    provider.know("ada", groups=[])
    follow(page.get_by_role("link", name="Log in again"))
    log_in()
    expect(page.locator("h1")).to_have_text("You are in no group that may use this site")
    assert violations(page) == []
