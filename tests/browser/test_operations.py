"""Pages that follow runs by themselves."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from reports.models import Part, Run, Version
from reports.runs import start_run
from tests.browser.conftest import Visit, receive, reports

# Milliseconds between two looks of a page at what it follows.
LONGEST = 15_000

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_pages_follow_runs_by_themselves_and_leave_the_focus(version: Version, visit: Callable[..., Visit]) -> None:
    receive(reports(version, 150))
    run = start_run(version, ring=False)
    window = visit(own=True)  # with a clock of its own
    page = window.page
    window.log_in("alice")
    page.clock.install()
    page.goto(window.site)
    card = page.locator(".card")
    expect(card).to_contain_text("Waiting for a worker")
    card.locator("h2 a").focus()
    part = Part.objects.create(run=run, start_row=0, stop_row=1, stop_shard=1, finished_at=timezone.now())
    Run.objects.update(state=Run.State.RUNNING, started_at=timezone.now(), planned_at=timezone.now())
    page.clock.fast_forward(LONGEST)
    expect(card).to_contain_text("Aggregating, 50 % done")
    # The replacement did not take the keyboard away.
    assert page.evaluate("document.activeElement.textContent") == "Popular emoji"
    failed = Run.objects.create(
        version=version,
        first_day=run.first_day,
        last_day=run.last_day,
        state=Run.State.FAILED,
        failure="Out of memory.",
    )
    Part.objects.filter(pk=part.pk).update(finished_at=None)
    page.goto(f"{window.site}/operations/")
    expect(page.locator("progress")).to_have_attribute("value", "0")
    page.get_by_role("button", name="Retry").focus()
    Part.objects.filter(pk=part.pk).update(finished_at=timezone.now())
    page.clock.fast_forward(LONGEST)
    expect(page.locator("progress")).to_have_attribute("value", "50")
    expect(page.get_by_role("button", name="Retry")).to_be_focused()
    assert Run.objects.get(pk=failed.pk).state == Run.State.FAILED
    failed.delete()
    page.goto(window.site)
    expect(card).to_contain_text("Aggregating, 50 % done")
    Run.objects.update(state=Run.State.FAILED)
    page.clock.fast_forward(LONGEST)
    expect(card).to_contain_text("Last run failed")
    expect(page.locator("#progress")).to_have_count(0)
