"""From a file of reports to a chart, by hand."""

import csv
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.jobs import finish_inline
from reports.models import Histogram, Part, Run, Version
from tests.browser.conftest import EMOJI, Visit, follow, reports
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def log_in(window: Visit) -> None:
    page = window.page
    page.goto(window.site)
    page.fill("#id_username", "alice")
    page.fill("#id_password", "password")
    follow(page.locator("main button[type=submit]"))
    assert page.url == f"{window.site}/"


def table(page: Page) -> list[list[str]]:
    """Rank, element, share of each row."""
    return [
        [
            row.locator("td.rank").inner_text(),
            row.locator(".element").inner_text(),
            row.locator("td.value").inner_text(),
        ]
        for row in page.locator("table.histogram tbody tr").all()
    ]


def plain(text: str) -> str:
    return text.replace("\ufe0f", "")


def test_from_upload_to_chart_and_download(version: Version, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    log_in(window)
    follow(page.get_by_text("Upload reports"))
    page.set_input_files(
        "#id_file", {"name": "fleet.ndjson", "mimeType": "application/x-ndjson", "buffer": reports(version, 1500)}
    )
    follow(page.locator("main button[type=submit]"))
    expect(page.locator("dl.facts")).to_contain_text("3,000")
    follow(page.locator("main a:has-text('Popular emoji')"))
    expect(page.locator("#state-title")).to_have_text("Too few reports yet, or none")
    follow(page.get_by_text("Aggregate now"))
    expect(page.locator("#progress h2")).to_have_text("Waiting for a worker")

    watch_the_run(page)
    follow(page.get_by_text("See the histogram"))
    read_the_chart(page)
    change_the_locale(page)
    search(page)
    download(page)


def watch_the_run(page: Page) -> None:
    """As if a worker had done it, which `make run` has: see `tests.ldpsite.test_whole_site`."""
    address = page.url
    assert not Part.objects.exists(), "nothing is done before there is a worker"
    assert finish_inline(Run.objects.get()).state == Run.State.FINISHED
    # Only after it has loaded itself anew.
    expect(page.locator("dl.facts")).to_contain_text("Ended")
    expect(page.locator("#progress h2")).to_have_text("Finished")
    assert page.url == address
    assert set(Histogram.objects.values_list("locale", "n")) == {("en_US", 1500), ("fr_FR", 1500)}


def read_the_chart(page: Page) -> None:
    page.wait_for_selector("#chart[data-drawn]")
    rows = table(page)
    assert {plain(row[1]) for row in rows} == {plain(emoji) for emoji in EMOJI}
    assert plain(rows[0][1]) == "😂"
    assert page.locator("#chart .bars .point").count() == len(rows)
    labels = page.locator("#chart .ytick text").all_text_contents()
    assert [label.strip("\u2068\u2069") for label in labels] == [row[1] for row in rows]
    assert page.locator("#chart .errorbar path").count() == len(rows)
    assert page.locator("#chart .shapelayer path").count() == 1
    # Nothing that shares, edits or leads away: pictures are saved by buttons of the page.
    assert page.locator(".modebar-btn").count() == 0
    assert page.locator("#chart a").count() == 0
    page.locator("#chart .bars .point path").first.hover(force=True)
    expect(page.locator("#chart .hoverlayer")).to_contain_text("95 % interval, adjusted")


def change_the_locale(page: Page) -> None:
    page.select_option("#locale", "fr_FR")
    follow(page.locator("form.controls > button"))
    expect(page.locator("#result-title")).to_contain_text("in French (France)")
    assert "locale=fr_FR" in page.url
    assert "top=" not in page.url
    assert plain(table(page)[0][1]) == "❤"


def search(page: Page) -> None:
    page.fill("#q", "HEART")
    with page.expect_navigation():
        page.press("#q", "Enter")
    assert [plain(row[1]) for row in table(page)] == ["❤"]
    page.fill("#q", "")
    with page.expect_navigation():
        page.press("#q", "Enter")
    assert "q=" not in page.url


def download(page: Page) -> None:
    follow(page.locator("thead a", has_text="Element"))
    assert "sort=name" in page.url
    with page.expect_download() as started:
        page.click("text=CSV")
    with started.value.path().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shown = table(page)
    assert [plain(row["display"]) for row in rows] == [plain(row[1]) for row in shown]
    assert [f"{100 * float(row['share']):.2f}\u00a0%" for row in rows] == [row[2] for row in shown]
    assert [row["rank"] for row in rows] == [row[0].replace("≈", "").strip() for row in shown]


def test_categories_from_the_group_to_its_elements(alice: User, visit: Callable[..., Visit]) -> None:
    categories = {"apple": "tree", "banana": "herb", "cherry": "tree", "date": "palm"}
    version = define(dictionary=[{"element": name, "category": category} for name, category in categories.items()])
    send(version, 3000)
    aggregate(version)
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.locator(".more summary").click()
    page.select_option("#group", "category")
    follow(page.locator(".more button"))
    assert page.url.endswith("?group=category")
    page.wait_for_selector("#chart[data-drawn]")
    assert [row[1] for row in table(page)] == ["tree", "herb"]
    # Each bar has a mark of its own.
    assert page.locator("#chart .shapelayer path").count() == 2
    page.locator("#chart .bars .point path").first.hover(force=True)
    expect(page.locator("#chart .hoverlayer")).to_contain_text("sum of 2 elements")
    follow(page.locator("table.histogram >> text=tree"))
    assert page.url.endswith("?category=tree")
    page.wait_for_selector("#chart[data-drawn]")
    assert [row[1] for row in table(page)] == ["apple", "cherry"]
    assert page.locator("#chart .shapelayer path").count() == 1
    expect(page.locator("#category")).to_have_value("tree")


def test_without_scripts_everything_but_the_chart_is_there(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit(scripts=False)
    window.log_in("alice")
    window.page.goto(f"{window.site}/use-cases/fruits/?locale=fr_FR")
    assert len(table(window.page)) == len(EMOJI)
    assert not window.page.locator("#chart").is_visible()
    assert not window.page.locator(".theme-toggle").is_visible()
    assert not window.page.locator("#keys-open").is_visible()
    # A link, and no button that would do nothing.
    expect(window.page.locator(".downloads button").first).to_be_hidden()
    expect(window.page.get_by_role("link", name="Link to exactly this")).to_be_visible()
    expect(window.page.get_by_role("link", name="CSV")).to_be_visible()
    window.page.goto(window.site + reverse("run", args=[published.pk]))
    expect(window.page.locator("#progress h2")).to_have_text("Finished")
