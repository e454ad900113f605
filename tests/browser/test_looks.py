"""Measurable looks of the pages: colour, contrast, width, focus."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from reports.models import Run, Version
from reports.words import Decided, decide
from tests.browser.conftest import EMOJI, Visit, follow
from tests.reports.found_words import change_word, define_search, find
from tests.reports.small_fleet import days_ago
from tests.worlds import once

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Numbers of pixels that are clearly not grey, by part of the page, in a picture of it that is drawn on a canvas.
COLOURED_PIXELS = """async ([picture, boxes]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return boxes.map(({ x, y, width, height }) => {
    const pixels = context.getImageData(x, y, Math.ceil(width), Math.ceil(height)).data;
    let coloured = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      const rgb = [pixels[i], pixels[i + 1], pixels[i + 2]];
      if (Math.max(...rgb) - Math.min(...rgb) > 30) coloured += 1;
    }
    return coloured;
  });
}"""

# Texts whose contrast with what is behind them is under the 4.5 of WCAG's level AA.
PALE_TEXTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = (colour) => {
    const [r, g, b] = [...rgba(colour)].slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (rgba(colour)[3] > 250) return colour;
    }
    return "white";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const pale = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || !element.checkVisibility() || element.closest("svg, script, noscript, option")) continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) pale.add(`${contrast.toFixed(2)} ${text}`);
  }
  return [...pale];
}"""

FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"

# Colours that fade into others are looked at when they have.
FADED = "document.getAnimations().forEach((one) => one.finish())"

OPENED = "document.querySelectorAll('details').forEach((one) => (one.open = true))"

# Areas that scroll sideways and have nothing in them that the keyboard reaches, nor are reached themselves.
OUT_OF_REACH = """() => {
  const scrolls = (one) =>
    one.scrollWidth > one.clientWidth && ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const inside = "a[href], button, input, select, textarea, [tabindex]";
  const reached = (one) => one.tabIndex >= 0 || one.querySelector(inside);
  const found = [...document.querySelectorAll("main *, #content *")].filter((one) => scrolls(one) && !reached(one));
  return found.map((one) => one.outerHTML.slice(0, 80));
}"""


def looks(page: Page) -> Iterator[None]:
    """Show the page that is open as it looks on a screen in light and on a phone in dark."""
    for width, dark in ((1400, False), (360, True)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        page.wait_for_function(FITS)  # charts are drawn anew soon after
        page.evaluate(FADED)
        yield


@pytest.fixture
@once
def words(transactional_db: None, alice: User) -> Version:
    """Words as wide as they can be, with every verdict, and notes and names that do not break."""
    found = define_search()
    parameters = found.parameters | {"length": 16}
    found = define_search(parameters=parameters)
    every = ["w" * 16, "lov", "new", "<b>x", *(letter * 15 for letter in "mnopq")]
    position: dict[str, Any] = {
        "reports": [1_234_567] * 8,
        "cuts": [1_234_567.0, *[2_345_678.0] * 7],
        "kept": [4096] * 8,
    }
    find(found, every, capped=True, strictness=1.5, **position)
    find(found, ["שלום", "o'clock"], locale="fr_FR", first=days_ago(30), last=days_ago(1), **position)
    change_word("new", is_new=True, first_day=days_ago(1), last_day=days_ago(1))
    verdicts = ["accepted", "rejected", "truncated", "foreign"]
    for word, verdict in zip(every[-4:], verdicts, strict=True):
        name = "n" * 80 if verdict == "accepted" else ""
        for note in ("an earlier note", "m" * 500):
            decide(alice, found.use_case, "en_US", [Decided(word, verdict, name, note)])
    return found


@pytest.mark.usefixtures("fonts")
def test_pages_of_words_fit_and_can_be_read(words: Version, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    use_case, sort = reverse("use_case", args=["slang"]), reverse("sort_words", args=["slang"])
    for address in (
        use_case,
        f"{use_case}?locale=fr_FR",
        sort,
        reverse("named_dictionaries", args=["slang"]),
    ):
        page.goto(window.site + address)
        if page.locator("#chart").count():
            page.wait_for_selector("#chart[data-drawn]")
        page.evaluate(OPENED)
        for _look in looks(page):
            assert_fits_and_reads(page)


@pytest.mark.usefixtures("fonts")
def test_no_column_of_words_is_cut_off_at_any_width(words: Version, visit: Callable[..., Visit]) -> None:
    window = visit(width=1400)
    page = window.page
    window.log_in("alice")
    page.goto(window.site + reverse("use_case", args=["slang"]))
    page.wait_for_selector("#chart[data-drawn]")
    for width in (700, 900, 1100, 1160, 1200, 1270, 1290, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        hidden = page.locator(".table-side").evaluate("side => side.scrollWidth - side.clientWidth")
        assert hidden <= 0, width


def test_mistakes_in_sorting_can_be_read(words: Version, visit: Callable[..., Visit]) -> None:
    window = visit(width=360)
    page = window.page
    window.log_in("alice")
    page.goto(window.site + reverse("sort_words", args=["slang"]))
    page.fill("#dictionary", "no name")
    page.locator("#line-0").get_by_label("accepted").check()
    page.locator("#line-1 summary").click()
    page.locator("#note-1").evaluate("(note) => (note.maxLength = 501)")
    page.fill("#note-1", "n" * 501)
    follow(page.get_by_role("button", name="Save what was changed").first)
    expect(page.locator(".field-error")).to_have_count(2)
    assert_fits_and_reads(page)
    # The browser notes every answer that says no.
    (noted,) = window.faults
    assert "status of 422" in noted
    window.faults.clear()


def assert_fits_and_reads(page: Page) -> None:
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, page.url
    assert page.evaluate(PALE_TEXTS) == [], page.url
    assert page.evaluate(OUT_OF_REACH) == [], page.url


@pytest.mark.usefixtures("fonts")
def test_emoji_are_in_colour_in_the_table_and_in_the_chart(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit(width=1280)
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.wait_for_selector("#chart[data-drawn]")
    parts = [*page.locator(".element").all(), *page.locator("#chart g.ytick").all()]
    picture = base64.b64encode(page.screenshot(full_page=True)).decode()
    pixels = page.evaluate(COLOURED_PIXELS, [picture, [part.bounding_box() for part in parts]])
    assert len(pixels) == 2 * len(EMOJI)
    assert min(pixels) > 30


def test_the_chart_follows_the_choice_of_light_and_dark(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.wait_for_selector("#chart[data-drawn]")
    colour = "getComputedStyle(document.querySelector('#chart .ytick text')).fill"
    light = page.evaluate(colour)
    page.click(".theme-toggle")  # from what the system says to the other
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.wait_for_function(f"{colour} !== {light!r}")
    page.reload()
    page.wait_for_selector("#chart[data-drawn]")
    assert page.evaluate(colour) != light


def test_the_keyboard_skips_to_the_content(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Skip to the content"
    assert focused.bounding_box()["y"] >= 0  # type: ignore[index]
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
