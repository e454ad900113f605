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
    expect(page.locator("#result-title")).to_contain_text("elements differ clearly")
    page.select_option("#locale", "fr_FR")
    page.select_option("#other-locale", "en_US")
    page.get_by_text("More", exact=True).click()
    page.select_option("#top", "20")
    follow(page.locator(".more-fields button"))
    assert page.url.endswith("?locale=fr_FR&top=20")
    follow(page.locator("table.compared thead >> text=French"))
    assert page.url.endswith("&sort=first")
    shown = shares(page)
    assert len(shown) == 8
    page.wait_for_selector("#chart[data-drawn]")
    expect(page.locator("#chart .scatterlayer .point")).to_have_count(2 * len(shown))
    # Beside each row of the table stand its marks.
    for row, mark in ((0, 0), (len(shown) - 1, len(shown) - 1)):
        across = page.locator("table.compared tbody tr").nth(row).bounding_box()
        point = page.locator("#chart .scatterlayer .trace:has(.point)").first.locator(".point").nth(mark).bounding_box()
        assert across is not None
        assert point is not None
        assert across["y"] < point["y"] < across["y"] + across["height"]
    with page.expect_download() as started:
        page.click("text=CSV")
    with started.value.path().open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["display"].replace("\ufe0f", "") for line in lines] == [text.replace("\ufe0f", "") for text in shown]
    # Turned round, everything changes sides.
    follow(page.get_by_label("Swap A and B"))
    expect(page.locator("#other-locale")).to_have_value("fr_FR")
    assert shares(page) == {element: sides[::-1] for element, sides in shown.items()}
