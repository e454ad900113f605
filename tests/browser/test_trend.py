"""A manager follows a link to a trend: the chart is drawn, what happened stands in it, and keys are enough."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from reports.models import Annotation, Version
from tests.browser.conftest import Visit, follow
from tests.reports.small_fleet import days_ago
from tests.reports.trends import publish_day
from tests.worlds import once

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOSTILE = '<a href="https://example.org">iOS</a> release'


@pytest.fixture
@once
def published(version: Version) -> Version:
    for back in range(10, 0, -1):
        if back != 5:
            publish_day(version, back, {"😂": 3000 + 10 * back, "❤": 2000} | ({"🔥": 200} if back > 5 else {}))
    Annotation.objects.create(use_case=version.use_case, day=days_ago(4), text=HOSTILE)
    return version


def test_a_link_to_a_trend(published: Version, bob: User, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("bob")
    page.goto(f"{window.site}/use-cases/fruits/trend/?element=😂&element=🔥")
    page.wait_for_selector("#chart[data-drawn]")
    # Two lines with bands in two pieces each or one, the threshold, and a bound for each day below it.
    expect(page.locator("#chart .legend .traces")).to_have_count(0)
    expect(page.locator("#chart .scatterlayer .trace.scatter")).not_to_have_count(0)
    expect(page.locator("table.days tbody tr")).to_have_count(10)
    expect(page.locator("table.days tbody tr").last).to_contain_text("below T, at most")
    expect(page.locator("table.days tr.instead")).to_have_text(re.compile("too few reports yet, or none"))
    # An annotation is a line with its number in the list; names stand at the ends of their lines.
    expect(page.locator("#chart .shapelayer path")).to_have_count(1)
    expect(page.locator("#chart .annotation-text")).to_have_text(
        ["1", re.compile("face with tears of joy"), re.compile("fire")]
    )
    expect(page.locator("#chart a")).to_have_count(0)
    expect(page.locator(".happened")).to_contain_text(HOSTILE)
    expect(page.locator(".happened .mark")).to_have_text("1")
    expect(page.locator(".happened .button")).to_have_count(0)
    # Each of three has a panel of its own; keys, and a pointer in any of them, mark a day in all.
    page.goto(f"{window.site}/use-cases/fruits/trend/?element=😂&element=🔥&element=❤")
    page.wait_for_selector("#chart[data-drawn]")
    page.locator(".reader input").focus()
    page.keyboard.press("Home")
    expect(page.locator(".reading .line")).to_have_count(3)
    expect(page.locator(".reading .value")).to_have_text([re.compile(r"^(≤\s)?\d+\.\d\d\s%$")] * 3)
    said = page.locator(".reader input").get_attribute("aria-valuetext")
    assert said is not None
    assert re.search(r"face with tears of joy \d+\.\d\d\s%; .*fire .*; .*red heart ", said)
    page.locator("#chart .nsewdrag").first.hover()
    expect(page.locator(".reading .line")).to_have_count(3)
    expect(page.locator(".reading .value")).to_have_count(2)


def test_choosing_with_keys_alone(published: Version, bob: User, visit: Callable[..., Visit]) -> None:
    window = visit(width=390, dark=True)
    page = window.page
    window.log_in("bob")
    page.goto(f"{window.site}/use-cases/fruits/trend/?element=😂")
    page.locator("#add").focus()
    page.keyboard.type("red heart")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".chosen li")).to_have_count(2)
    page.locator(".remove").first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".chosen li")).to_have_text([re.compile("red heart")])
    page.wait_for_selector("#chart[data-drawn]")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    follow(page.locator(".chosen a"))
    expect(page.locator("h1")).to_contain_text("red heart")
    page.wait_for_selector("#days[data-drawn]")
