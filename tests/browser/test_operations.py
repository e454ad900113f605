"""Somebody who sees to it that everything goes on, in a browser."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from reports.jobs import finish_inline
from reports.models import Part, Run, Version
from reports.runs import start_run
from tests.browser.conftest import Visit, follow, receive, reports
from tests.reports.factories import shard_folder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def work(run: Run) -> Run:
    """What a worker does."""
    return finish_inline(run)


def test_an_operator_retries_a_failed_run(version: Version, visit: Callable[..., Visit]) -> None:
    receive(reports(version, 1500))
    run = start_run(version, ring=False)
    lost = shard_folder().with_name("lost")
    (shard_folder() / "shards").rename(lost)
    assert work(run).state == Run.State.FAILED
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(window.site)
    expect(page.locator(".card").get_by_text("Last run failed")).to_be_visible()
    follow(page.get_by_role("link", name="Operations"))
    failed = page.locator("section", has_text="Failed runs").locator("li")
    expect(failed).to_contain_text("A file of reports is missing from the storage. Restore it, then retry.")
    lost.rename(shard_folder() / "shards")
    follow(failed.get_by_role("button", name="Retry"))
    expect(page.locator("#progress h2")).to_have_text("Waiting for a worker")
    assert work(run).state == Run.State.FINISHED
    # The page finds out by itself.
    expect(page.get_by_text("See the histogram")).to_be_visible()
    expect(page.locator("table.times")).to_contain_text("Publishing")
    follow(page.get_by_role("link", name="Operations"))
    expect(page.get_by_text("Failed runs")).to_have_count(0)
    expect(page.locator("section", has_text="Last runs").locator("tbody tr")).to_contain_text("finished")


def test_the_page_follows_what_is_under_way_and_leaves_the_focus(version: Version, visit: Callable[..., Visit]) -> None:
    receive(reports(version, 30))
    run = start_run(version, ring=False)
    failed = Run.objects.create(
        version=version,
        first_day=run.first_day,
        last_day=run.last_day,
        state=Run.State.FAILED,
        failure="Out of memory.",
    )
    for row in range(3):
        Part.objects.create(run=run, start_row=row, stop_row=row + 1, stop_shard=1)
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, started_at=timezone.now(), planned_at=timezone.now())
    window = visit(width=360)
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/operations/")
    expect(page.locator("progress")).to_have_attribute("value", "0")
    page.get_by_role("button", name="Retry").focus()
    Part.objects.filter(start_row=0).update(finished_at=timezone.now())
    expect(page.locator("progress")).to_have_attribute("value", "25")
    expect(page.get_by_role("button", name="Retry")).to_be_focused()
    for width in (360, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Run.objects.get(pk=failed.pk).state == Run.State.FAILED
