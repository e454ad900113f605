"""The first page in a browser: cards that lead somewhere, by mouse and by keyboard, at every width."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from reports.models import Run, Version
from tests.browser.conftest import Visit, follow
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_manager_sees_what_is_on_finds_a_use_case_and_opens_it(
    published: Run, version: Version, visit: Callable[..., Visit]
) -> None:
    parameters = {"epsilon": 8, "k": 64, "m": 64, "seed": "0e" * 16}
    define(slug="pages", title="Pages that use much memory", normalization="raw", parameters=parameters)
    window = visit(width=2560)
    page = window.page
    window.log_in("alice")
    page.goto(window.site)
    expect(page.locator(".card")).to_have_count(2)
    for width in (2560, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card = page.locator(".card", has_text="Popular emoji")
    expect(card).to_contain_text("Healthy")
    expect(card).to_contain_text("n = 1,500 reports")
    expect(card.locator("tbody tr")).to_have_count(3)
    expect(card.locator(".element").first).to_contain_text("😂")
    # By keyboard, to the page that answers.
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search for everything")
    expect(field).to_be_focused()
    page.keyboard.type("larmes")
    option = page.get_by_role("option", selected=True)
    expect(option).to_contain_text("😂")
    expect(option).to_contain_text("Popular emoji:")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("😂")
    # Suggestions that scripts would ask for stand on a page, too.
    page.goto(f"{window.site}/")
    page.locator("main input[type=search]").fill("memory")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    follow(page.get_by_role("link", name="Pages that use much memory"))
    expect(page.locator("h1")).to_contain_text("Pages that use much memory")
