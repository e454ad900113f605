"""A person who has read nothing goes from a question to a chart of simulated reports, on a phone, by keyboard."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from reports.jobs import finish_inline
from reports.models import Run, Simulation, Version
from tests.browser.accessibility import violations
from tests.browser.conftest import Visit, follow
from tests.browser.test_looks import assert_fits_and_reads

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Painted, and as long as the share says.
HAS_BAR = """row => {
  const bar = getComputedStyle(row, "::after");
  const share = row.style.getPropertyValue("--share").trim();
  return [bar.width, bar.height, share].every((size) => parseFloat(size) > 0) && bar.backgroundImage.includes(share);
}"""


def look_by_rules(page: Page) -> None:
    """Look at what the walk over all pages does not come by."""
    assert_fits_and_reads(page)
    assert violations(page) == []


def test_from_a_question_to_a_chart_of_simulated_reports(
    version: Version, alice: User, visit: Callable[..., Visit]
) -> None:
    window = visit(width=360, dark=True, own=True)
    page = window.page
    window.log_in("alice")
    page.goto(window.site)
    follow(page.get_by_role("link", name="New use case"))
    page.get_by_label("Which of a few answers do people give?").check()
    page.get_by_label("Its name").fill("Tea or coffee")
    assert_fits_and_reads(page)
    page.keyboard.press("Enter")
    page.get_by_label("Paste the elements").fill("tea\ncoffee\nwater\ntea")
    assert_fits_and_reads(page)
    follow(page.get_by_role("button", name="Look at the answers"))
    expect(page.locator("main")).to_contain_text("3 answers would be counted")
    look_by_rules(page)
    follow(page.get_by_role("button", name="Use these answers"))
    page.get_by_label("ε of a report").fill("")
    page.get_by_label("Smallest share to be seen, in %").fill("2")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("is enough to see an element with 2.00 % of the reports")
    expect(page.locator(".chart[data-drawn]")).to_have_count(1)
    assert_fits_and_reads(page)
    follow(page.get_by_role("button", name="Use this, and continue"))
    page.get_by_label("Show nothing about fewer reports than").fill("500")
    assert_fits_and_reads(page)
    follow(page.get_by_role("button", name="Continue"))
    assert_fits_and_reads(page)
    page.get_by_label("Over so many days").fill("1")
    page.get_by_role("spinbutton", name="Simulated reports").fill("4000")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Simulated reports are on their way")
    look_by_rules(page)
    finish_inline(Simulation.objects.get())
    finish_inline(Run.objects.get(version__use_case__slug="tea-or-coffee-simulation"))
    page.wait_for_url("**/use-cases/tea-or-coffee-simulation/")
    expect(page.locator("#simulated")).to_contain_text("These reports are simulated")
    # On a phone each row has a bar of its own; where there is room beside the table, the chart is drawn.
    row = page.locator("table.histogram tbody tr").first
    expect(row).to_be_visible()
    assert row.evaluate(HAS_BAR)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_selector("#chart[data-drawn]")
