"""Tables of numbers as large as they get: what counts is seen without scrolling."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from playwright.sync_api import Locator, expect

from reports.models import DictionaryEntry, Histogram, Run, Version
from reports.results import HistogramQuery, histogram_view
from tests.browser.conftest import Visit, follow, receive, reports
from tests.reports.comparing import counted_locales
from tests.reports.entries import change_entries
from tests.reports.small_fleet import aggregate
from tests.worlds import once

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("fonts"), pytest.mark.django_db(transaction=True)]

FRUITS = "/use-cases/fruits/"
LARGER = 10_000
IN_SIGHT = """(cells) => cells.every((cell) => {
  const [own, side] = [cell, cell.closest(".table-side")].map((each) => each.getBoundingClientRect());
  return side.left <= own.left && own.right <= Math.min(side.right, innerWidth);
})"""


@pytest.fixture
@once
def large(version: Version) -> Run:
    """A histogram of 15 million reports, of elements and of long categories."""
    DictionaryEntry.objects.filter(position__lt=3).update(category="people and what they do")
    DictionaryEntry.objects.filter(position__gte=3).update(category="business, finance & insurance")
    receive(reports(version, 1500))
    run = aggregate(version)
    histogram_view(version.use_case, HistogramQuery(group="category"))
    Histogram.objects.update(n=F("n") * LARGER, threshold=F("threshold") * LARGER)
    numbers = ("estimate", "adjusted_lower", "adjusted_upper", "threshold")
    change_entries(values=lambda entry: {name: (getattr(entry, name) or 0.0) * LARGER for name in numbers})
    return run


def in_sight(cells: Locator) -> bool:
    return bool(cells.evaluate_all(IN_SIGHT))


def test_no_column_of_groups_is_cut(large: Run, visit: Callable[..., Visit]) -> None:
    window = visit(width=1280)
    window.log_in("alice")
    for unit in ("", "&unit=count"):
        window.page.goto(f"{window.site}{FRUITS}?group=category{unit}")
        for language in ("fr", "en"):
            follow(window.page.locator(f"footer button[value={language}]"))
            cells = window.page.locator("table.grouped :is(th, td)")
            assert cells.count() == (21 if unit else 18)
            assert in_sight(cells), language


def test_share_and_interval_are_seen_on_a_phone(large: Run, visit: Callable[..., Visit]) -> None:
    change_entries(
        lambda entry: entry.rank == 3, of={"histogram__grouping": ""}, display="a-name-of-a-company.example.co.uk"
    )
    window = visit(width=360)
    window.log_in("alice")
    for query in ("", "?group=category"):
        window.page.goto(f"{window.site}{FRUITS}{query}")
        table = window.page.locator("table.histogram")
        heads = [head.strip() for head in table.locator("thead th").all_inner_texts()]
        for name in ("Share", "95 % interval"):
            assert in_sight(table.locator(f"tbody tr > :nth-child({heads.index(name) + 1})"))
            assert in_sight(table.locator("thead th").nth(heads.index(name)))


def test_map_of_all_locales_is_sorted_and_filtered_in_place(
    transactional_db: None, alice: User, visit: Callable[..., Visit]
) -> None:
    counted_locales()
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}{FRUITS}all-locales/")
    page.evaluate("document.title = 'never left'")
    drawn, first = page.locator(".heat-map tbody .element"), page.locator("#sort-1")
    first.click()
    expect(page.get_by_role("columnheader", name="Element")).to_have_attribute("aria-sort", "ascending")
    first.click()
    expect(drawn).to_have_text(["date", "cherry", "banana", "apple"])
    expect(first).to_be_focused()
    page.get_by_text("Save this view").click()
    name = page.get_by_label("Name", exact=True)
    name.fill("Fruits")
    page.get_by_role("searchbox", name="Search by name").fill("an")
    expect(drawn).to_have_text(["banana"])
    expect(name).to_be_visible()
    expect(name).to_have_value("Fruits")
    assert page.evaluate("[document.title, location.search]") == ["never left", "?q=an&sort=-name"]
