"""Bars and points that can be clicked look so and lead to where their rows lead; others do neither."""

from collections.abc import Callable
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Page, expect

from reports.models import Run
from tests.browser.conftest import Visit
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FRUITS = "/use-cases/fruits/"
CURSOR = "([x, y]) => getComputedStyle(document.elementFromPoint(x, y)).cursor"


def middle(target: Locator) -> tuple[float, float]:
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def point_at(page: Page, target: Locator) -> str:
    """Move the mouse there; return how it looks when the chart has noticed."""
    place = middle(target)
    page.mouse.move(place[0] - 3, place[1])
    page.mouse.move(*place)
    expect(page.locator("#chart .hoverlayer text").first).to_be_visible()
    return str(page.evaluate(CURSOR, place))


def click_through(page: Page, target: Locator) -> str:
    """Where a click leads that looks as if it did."""
    assert point_at(page, target) == "pointer"
    with page.expect_navigation():
        page.mouse.click(*middle(target))
    return unquote(page.url)


def test_what_can_be_clicked_looks_so_and_leads_where_rows_do(published: Run, visit: Callable[..., Visit]) -> None:
    for back in (4, 3):
        publish_day(published.version, back, {"😂": 3000, "🔥": 2000})
    window = visit()
    window.log_in("alice")
    click_on_bars(window)
    click_on_points(window)
    click_on_lines(window)


def click_on_bars(window: Visit) -> None:
    """They lead to elements, and these to trends."""
    page = window.page
    page.goto(f"{window.site}{FRUITS}")
    page.wait_for_selector("#chart[data-drawn]")
    found = click_through(page, page.locator("#chart .bars .point path").nth(2))
    assert found == f"{window.site}{FRUITS}elements/?element=❤"
    page.wait_for_selector("#chart[data-drawn]")
    # The locale with the largest share comes first.
    found = click_through(page, page.locator("#chart .bars .point path").first)
    assert found.startswith(f"{window.site}{FRUITS}trend/?locale=fr_FR&element=❤")


def click_on_points(window: Visit) -> None:
    """Points of a comparison lead to elements."""
    page = window.page
    page.goto(f"{window.site}{FRUITS}compare/?locale=en_US&with=fr_FR&sort=name")
    page.wait_for_selector("#chart[data-drawn]")
    rows = page.locator("table.compared tbody tr")
    expect(page.locator("#chart .scatterlayer .point")).to_have_count(2 * rows.count())
    # Beside each row of the table stand its marks.
    for place in (0, rows.count() - 1):
        across = rows.nth(place).bounding_box()
        point = (
            page.locator("#chart .scatterlayer .trace:has(.point)").first.locator(".point").nth(place).bounding_box()
        )
        assert across is not None
        assert point is not None
        assert across["y"] < point["y"] < across["y"] + across["height"]
    first = rows.first.locator("a").get_attribute("href")
    assert first
    assert click_through(page, page.locator("#chart .points path").first).endswith(unquote(first))


def click_on_lines(window: Visit) -> None:
    """Lines of a trend lead to elements."""
    page = window.page
    page.goto(f"{window.site}{FRUITS}trend/?element=😂")
    page.wait_for_selector("#chart[data-drawn]")
    found = click_through(page, page.locator("#chart .points path").first)
    assert found == f"{window.site}{FRUITS}elements/?element=😂"
