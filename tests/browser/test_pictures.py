"""Figures for a report: pictures that say what they show, a link to exactly that, and paper."""

import struct
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from reports.models import Run
from tests.browser.conftest import Visit
from tests.reports.entries import change_entries

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<a href="//example.org">&x'


@pytest.fixture
def page(published: Run, visit: Callable[..., Visit]) -> Page:
    """The page of a use case, in dark mode, with an element that tries to be markup."""
    change_entries(lambda entry: entry.rank == 2, display=HOSTILE)
    window = visit(dark=True)
    window.log_in("alice")
    window.page.goto(f"{window.site}/use-cases/fruits/")
    window.page.wait_for_selector("#chart[data-drawn]")
    return window.page


def saved(page: Page, button: str) -> Path:
    with page.expect_download() as started:
        page.get_by_role("button", name=button).click()
    assert started.value.suggested_filename.startswith("fruits-en_US-")
    return Path(started.value.path())


LOOKS = """
    () => {
        const { width, height } = document.querySelector("#chart .main-svg").getBoundingClientRect();
        return [width, height, getComputedStyle(document.querySelector("#chart .ytick text")).fill];
    }
"""


def test_pictures_have_everything_in_them_and_leave_the_page_as_it_was(page: Page) -> None:
    before = page.evaluate(LOOKS)
    drawing = ElementTree.parse(saved(page, "SVG")).getroot()  # noqa: S314  # what we have just drawn
    picture = saved(page, "PNG").read_bytes()
    assert page.evaluate(LOOKS) == before
    check_drawing(drawing)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    # As large as the drawing, and sharp.
    size = tuple(2 * float(drawing.get(side, 0)) for side in ("width", "height"))
    assert struct.unpack(">II", picture[16:24]) == size


def check_drawing(root: ElementTree.Element) -> None:
    assert root.tag == f"{SVG}svg"
    title, description = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")
    assert title is not None
    assert title.startswith("Popular emoji: English (United States), ")
    assert description is not None
    texts = " ".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
    for said in (
        title,
        "Estimated share of reports, not of people",
        "ε: ",
        "α (expected false entries): 0.05",
        "T (threshold",
    ):
        assert said in texts
    for said in ("Estimated share", "Algorithm: ", "/use-cases/fruits/?locale=en_US&from="):
        assert said in description
    assert HOSTILE in "".join(root.itertext())
    # A drawing: nothing to run, nothing to follow, nothing to fetch.
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert not tags & {"a", "script", "foreignObject", "image", "use"}
    # Light, whatever the page is in.
    ground = root.find(f"{SVG}rect")
    assert ground is not None
    assert ground.get("fill") == "rgb(255, 255, 255)"
    bars = [
        element.get("style", "")
        for element in root.iter(f"{SVG}path")
        if "fill: rgb(63, 155, 174)" in element.get("style", "")
    ]
    assert bars


def test_a_link_is_copied_or_there_where_that_is_refused(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = page.locator("[data-exact]")
    expect(link).to_be_hidden()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("status")).to_have_text("The link is copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == link.get_attribute("href")
    page.goto(copied)
    expect(page.locator("#result-title")).to_contain_text("English (United States)")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("[data-exact]")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("does not let this page copy")


def test_programs_are_opened_and_copied_by_keyboard(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_text("Copy as curl / Python").focus()
    page.keyboard.press("Enter")
    for name, source in (("Copy as curl", "#as-curl"), ("Copy as Python", "#as-python")):
        page.get_by_role("button", name=name).press("Enter")
        expect(page.locator(f"{source}-said")).to_contain_text("copied")
        assert page.evaluate("navigator.clipboard.readText()") == page.locator(source).inner_text()


def test_on_paper_there_is_what_a_report_needs_of_all_figures_and_of_plans(page: Page) -> None:
    assert_paper(page, "#result-title", "#chart", "table.histogram", ".caption")
    # In light colours, after dark ones on the screen.
    expect(page.locator("#chart .ytick text").first).to_have_css("fill", "rgb(26, 31, 36)")
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.emulate_media(media="screen")
    expect(page.locator("#chart .ytick text").first).not_to_have_css("fill", "rgb(26, 31, 36)")
    there = {
        "use-cases/fruits/compare/?locale=en_US": ["#chart", "table.compared", ".sides", ".finding"],
        "use-cases/fruits/trend/": ["#chart", "table.days", ".chosen .key"],
        "use-cases/fruits/elements/?element=😂": [".crumb", "#chart", "#days", "table.places", "table.days"],
        "planner/": ["table.plans", "#advice"],
    }
    site = page.url.partition("/use-cases")[0]
    for address, found in there.items():
        page.emulate_media(media="screen")
        page.goto(f"{site}/{address}")
        for chart in page.locator(".chart[data-figure]").all():
            chart.and_(page.locator("[data-drawn]")).wait_for()
        assert_paper(page, *found)


# Controls to click or fill in.
CONTROLS = (
    "form, button, .button, .downloads, .keeping, nav:not(.tabs), .tabs a:not([aria-current]), .site-header, .owner"
)


def assert_paper(page: Page, *there: str) -> None:
    """That on a sheet of A4, between its margins, there are these and where they come from, and nothing to click."""
    page.set_viewport_size({"width": 700, "height": 1000})
    page.emulate_media(media="print")
    assert page.locator("details.provenance").get_attribute("open") is None, "closed on the screen"
    for part in (*there, ".provenance dl", ".provenance .address"):
        expect(page.locator(part).first).to_be_visible()
    assert page.locator(CONTROLS).filter(visible=True).count() == 0, page.url
    assert page.locator(".site-footer, .no-print").filter(visible=True).count() == 0, page.url
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page.url
