"""An evaluation from the form to its answer, by keyboard, on a phone in dark."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from reports.jobs import finish_inline
from reports.models import Evaluation
from tests.browser.conftest import Visit
from tests.browser.test_looks import assert_fits_and_reads
from tests.browser.test_operations import LONGEST
from tests.reports.evaluation.test_evaluations import do_one

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_form_leads_to_an_answer_with_charts_on_a_phone_too(bob: User, visit: Callable[..., Visit]) -> None:
    window = visit(own=True)  # with a clock of its own
    page = window.page
    window.log_in("bob")
    page.clock.install()
    page.goto(f"{window.site}/evaluations/")
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
    # Cells are shown as they get done, and what was unfolded stays so.
    evaluation = Evaluation.objects.get()
    for done in (2, 4):
        do_one(evaluation)
        page.clock.fast_forward(LONGEST)
        expect(page.locator("#progress")).to_contain_text(f"{done} of 16 sets of parameters are done")
        expect(page.get_by_role("heading", name="So far")).to_be_visible()
        if done == 2:
            page.locator("#tried summary").click()
        expect(page.locator("#tried tbody tr")).to_have_count(done)
        expect(page.locator("#tried tbody")).to_be_visible()
    finish_inline(Evaluation.objects.get())
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.reload()
    expect(page.locator("#answer")).to_contain_text("At ε = 4, harmonic counts:")
    expect(page.locator(".chart[data-drawn]")).to_have_count(4)
    expect(page.locator("#tried table")).to_be_hidden()
    assert_fits_and_reads(page)
    for chart in page.locator(".chart:has(g.annotation)").all():
        legend, heading = (chart.locator(f"g.{name}").first.bounding_box() for name in ("legend", "annotation"))
        assert legend is not None
        assert heading is not None
        assert legend["y"] + legend["height"] <= heading["y"]
