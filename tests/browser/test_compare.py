"""An analyst compares two locales, and takes along what is seen."""

import csv
import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from reports.models import Run
from tests.browser.conftest import Visit, follow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def rows(page: Page) -> list[list[str]]:
    """Element, both shares and the difference as they stand in the table, and the words."""
    return [
        [
            row.locator(".element").inner_text(),
            *(cell.locator("span").first.inner_text() for cell in row.locator("td.share, td.difference").all()),
            row.locator("td.verdict").inner_text(),
        ]
        for row in page.locator("table.compared tbody tr").all()
    ]


def written(row: dict[str, str], words: dict[str, str]) -> list[str]:
    """A line of the file as the table writes it, of what is above its threshold on both sides."""
    shares = [f"{100 * float(row[f'{side}_share']):.2f}\u00a0%" for side in ("first", "second")]
    difference = f"{100 * float(row['difference']):+.2f}".replace("-", "\u2212")
    return [row["display"].replace("\ufe0f", ""), *shares, difference, words[row["verdict"]]]


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
    shown = rows(page)
    assert len(shown) == 8
    page.wait_for_selector("#chart[data-drawn]")
    expect(page.locator("#chart .scatterlayer .point")).to_have_count(2 * len(shown))
    expect(page.locator("#chart .legend")).to_contain_text("French (France)")
    with page.expect_download() as started:
        page.click("text=CSV")
    with started.value.path().open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    words = {
        "more-in-first": "clearly more in French (France)",
        "more-in-second": "clearly more in English (United States)",
        "no-clear-difference": "no clear difference",
    }
    seen = [[cell.replace("\ufe0f", "") for cell in row] for row in shown]
    assert [written(line, words) for line in lines] == seen
    with page.expect_download() as started:
        page.click("text=JSON")
    document = json.loads(started.value.path().read_text(encoding="utf-8"))
    assert [entry["display"] for entry in document["entries"]] == [line["display"] for line in lines]
    # Turned round, everything changes sides.
    follow(page.locator("text=Swap A and B"))
    expect(page.locator("#side-2-title")).to_contain_text("French (France)")
    swapped = {row[0]: row for row in rows(page)}
    for element, first, second, _difference, _words in shown:
        assert swapped[element][1:3] == [second, first]
