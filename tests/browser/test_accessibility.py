"""Keys, and pages that run from right to left."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django import Settings

from reports.models import Run, Version
from tests.browser.conftest import Visit, follow
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FRUITS = "/use-cases/fruits/"


# --- Keys ---


def test_keys(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit(own=True)  # which remembers that they are switched off
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}{FRUITS}")
    dialog, opener = page.get_by_role("dialog", name="Keys"), page.locator("#keys-open")
    palette, search = page.get_by_role("dialog", name="Search"), page.get_by_role("combobox", name="Search")
    expect(opener).to_be_visible()

    page.keyboard.press("/")
    expect(search).to_be_focused()
    # In a text field, keys are letters.
    page.keyboard.type("a?/")
    expect(search).to_have_value("a?/")
    expect(dialog).to_be_hidden()
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()

    page.locator("h1").click()
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("heading")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    opener.click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button").click()
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    switch_off(page)


def switch_off(page: Page) -> None:
    page.locator("#keys-open").click()
    page.locator("#keys-on").uncheck()
    page.reload()
    page.locator("h1").click()
    page.keyboard.press("?")
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_hidden()
    # The button opens it still, and so they can be switched on again.
    page.locator("#keys-open").click()
    expect(page.locator("#keys-on")).not_to_be_checked()


@pytest.fixture
def lists(transactional_db: None, alice: User) -> Version:
    """Words of three windows."""
    version = define_search()
    for days in (8, 15, 22):
        find(version, ["yeet", "lol"], first=days_ago(days + 6), last=days_ago(days))
    return version


def test_arrows_move_the_window(lists: Version, settings: Settings, visit: Callable[..., Visit]) -> None:
    settings.LANGUAGES = [*settings.LANGUAGES, ("ar", "العربية")]
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/slang/")
    earlier = page.locator("main a[rel~=prev]").get_attribute("href")
    assert earlier
    newest = page.url
    # On a control that uses them itself, arrows stay with it.
    page.locator("main select").first.focus()
    page.keyboard.press("ArrowLeft")
    page.locator("h1").click()
    with page.expect_navigation():
        page.keyboard.press("ArrowLeft")
    assert page.url.endswith(earlier)
    assert page.url != newest
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    expect(page.locator("main a[rel~=prev]")).to_have_attribute("href", earlier)
    # Where pages run from right to left, they change places.
    follow(page.locator("footer button[value=ar]"))
    assert not page.url.endswith(earlier)
    page.locator("h1").click()
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    assert page.url.endswith(earlier)


# --- From right to left ---

# Elements at the left edge of the page, and at the right one.
EDGES = """() => {
  const edge = (selector) => document.querySelector(selector).getBoundingClientRect();
  const header = edge(".site-header .wrap");
  const number = getComputedStyle(document.querySelector("td.number, th.number") ?? document.body);
  return {
    brandIsRight: edge(".brand").right > header.width / 2,
    endIsLeft: edge(".header-end").left < header.width / 2,
    text: getComputedStyle(document.querySelector("h1")).direction,
    numbers: number.textAlign,
    fits: document.documentElement.scrollWidth <= document.documentElement.clientWidth,
  };
}"""


# Labels of a chart's vertical axis that begin outside of it.
CUT_OFF = """(chart) => [...chart.querySelectorAll(".ytick text")]
  .filter((label) => label.getBoundingClientRect().left < chart.getBoundingClientRect().left)
  .map((label) => label.textContent)"""


def test_pages_run_from_right_to_left(
    published: Run, lists: Version, settings: Settings, visit: Callable[..., Visit]
) -> None:
    settings.LANGUAGES = [*settings.LANGUAGES, ("ar", "العربية")]
    window = visit(width=1280)
    page = window.page
    window.log_in("alice")
    page.goto(window.site)
    follow(page.locator("footer button[value=ar]"))
    fruits, slang = ("fruits",), ("slang",)
    for address in (
        reverse("use_case", args=fruits),
        f"{reverse('compare', args=fruits)}?locale=en_US&with=fr_FR",
        reverse("trend", args=fruits),
        reverse("sort_words", args=slang),
    ):
        page.goto(window.site + address)
        assert_mirrored(page)
        drawn = assert_labels_are_whole(page)
        page.set_viewport_size({"width": 360, "height": 900})
        if drawn:
            # As it is drawn for so narrow a page.
            page.reload()
            assert_labels_are_whole(page)
        assert_mirrored(page)
        page.set_viewport_size({"width": 1280, "height": 900})


def assert_labels_are_whole(page: Page) -> int:
    """Check all charts that are seen; return how many there are."""
    charts = [chart for chart in page.locator(".chart[data-figure]").all() if chart.is_visible()]
    for chart in charts:
        chart.and_(page.locator("[data-drawn]")).wait_for()
        assert chart.evaluate("chart => getComputedStyle(chart).direction") == "ltr"
        assert chart.evaluate(CUT_OFF) == []
    return len(charts)


def assert_mirrored(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.wait_for_function("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    seen = page.evaluate(EDGES)
    assert seen["brandIsRight"], page.url
    assert seen["endIsLeft"], page.url
    assert seen["text"] == "rtl", page.url
    # `end` is the left edge, where numbers of such pages are lined up.
    assert seen["numbers"] in ("end", "start"), page.url
