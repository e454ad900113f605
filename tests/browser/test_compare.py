"""An analyst compares two locales, and takes along what is seen."""

import csv
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from reports.models import Run
from tests.browser.conftest import Visit, follow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def shares(page: Page) -> dict[str, list[str]]:
    """Both shares of each element, as they stand in the table."""
    return {
        row.locator(".element").inner_text(): [
            cell.locator("span").first.inner_text() for cell in row.locator("td.share").all()
        ]
        for row in page.locator("table.compared tbody tr").all()
    }


def test_an_analyst_compares_two_locales_and_exports_what_is_seen(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    follow(page.locator("nav.tabs >> text=Compare"))
    expect(page.locator("nav.tabs [aria-current=page]")).to_have_text("Compare")
    expect(page.locator("#side-1-title")).to_contain_text("English (United States)")
    page.select_option("#locale", "fr_FR")
    page.select_option("#other-locale", "en_US")
    page.select_option("#top", "10")
    follow(page.locator("form.controls button"))
    assert page.url.endswith("?locale=fr_FR&top=10")
    expect(page.locator("#side-1-title")).to_contain_text("French (France)")
    follow(page.locator("table.compared thead >> text=French (France)"))
    assert page.url.endswith("&sort=first")
    shown = shares(page)
    assert len(shown) == 8
    page.wait_for_selector("#chart[data-drawn]")
    expect(page.locator("#chart .scatterlayer .point")).to_have_count(2 * len(shown))
    expect(page.locator("#chart .legend")).to_contain_text("French (France)")
    with page.expect_download() as started:
        page.click("text=CSV")
    with started.value.path().open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["display"].replace("\ufe0f", "") for line in lines] == [text.replace("\ufe0f", "") for text in shown]
    # Turned round, everything changes sides.
    follow(page.locator("text=Swap A and B"))
    expect(page.locator("#side-2-title")).to_contain_text("French (France)")
    assert shares(page) == {element: sides[::-1] for element, sides in shown.items()}
