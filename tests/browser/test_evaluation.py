"""An evaluation from the form to its answer, by keyboard, on a phone, in light and dark."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from reports.jobs import finish_inline
from reports.models import Evaluation
from tests.browser.conftest import Visit
from tests.browser.test_looks import assert_fits_and_reads
from tests.reports.evaluation.test_evaluations import do_one

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def look(page: Page, name: str) -> None:
    if folder := os.environ.get("LDPSITE_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_a_form_leads_to_an_answer_with_charts_on_a_phone_too(bob: User, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("bob")
    page.goto(f"{window.site}/evaluations/")
    look(page, "form")
    for name, value in {"elements": "50", "reports": "20000", "k": "16, 256", "m": "32, 64", "epsilon": "2, 4"}.items():
        page.fill(f"#id_{name}", value)
    page.locator("summary", has_text="A list of your own").click()
    for choice in page.locator("form select").all():
        # Whole at the width of a small laptop.
        natural = (
            "select => { select.style.cssText = 'max-width: none; width: max-content'; return select.offsetWidth }"
        )
        shown = choice.evaluate("select => select.offsetWidth")
        assert choice.evaluate(natural) <= shown
    page.fill("#id_repetitions", "20")
    page.fill("#id_top", "10")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Waiting for a worker")).to_be_visible()
    look(page, "waiting")
    # Cells are shown as they get done, and what was unfolded stays so.
    evaluation = Evaluation.objects.get()
    for done in (2, 4):
        do_one(evaluation)
        expect(page.locator("#progress")).to_contain_text(f"{done} of 16 sets of parameters are done")
        expect(page.get_by_role("heading", name="So far")).to_be_visible()
        if done == 2:
            page.locator("#tried summary").click()
        expect(page.locator("#tried tbody tr")).to_have_count(done)
        expect(page.locator("#tried tbody")).to_be_visible()
    look(page, "so-far")
    finish_inline(Evaluation.objects.get())
    page.reload()
    expect(page.locator("#answer")).to_contain_text("At ε = 4, harmonic counts:")
    expect(page.locator(".chart[data-drawn]")).to_have_count(4)
    expect(page.locator("#tried table")).to_be_hidden()
    look(page, "answer")
    for width, dark in ((360, True), (1280, False)):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.reload()
        expect(page.locator(".chart[data-drawn]")).to_have_count(4)
        assert_fits_and_reads(page)
        for chart in page.locator(".chart:has(g.annotation)").all():
            legend, heading = (chart.locator(f"g.{name}").first.bounding_box() for name in ("legend", "annotation"))
            assert legend is not None
            assert heading is not None
            assert legend["y"] + legend["height"] <= heading["y"]
        look(page, f"answer-{width}")
    assert window.faults == []
