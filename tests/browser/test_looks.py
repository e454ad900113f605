"""What can be measured of how the pages look: colour, contrast, width, focus."""

import base64
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page

from reports.models import Batch, Run, Version
from tests.browser.conftest import Visit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Pixels that are clearly not grey, in a picture drawn on a canvas.
COLOURED_PIXELS = """async (picture) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, image.width, image.height).data;
  let coloured = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    const rgb = [pixels[i], pixels[i + 1], pixels[i + 2]];
    if (Math.max(...rgb) - Math.min(...rgb) > 30) coloured += 1;
  }
  return coloured;
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


def coloured_pixels(page: Page, part: Locator) -> int:
    picture = base64.b64encode(part.screenshot()).decode()
    return int(page.evaluate(COLOURED_PIXELS, picture))


@pytest.fixture
def categories(version: Version) -> None:
    """Before the reports are counted, some elements get a category."""
    revision = version.current_dictionary()
    assert revision is not None
    revision.entries.filter(position__in=(0, 3)).update(category="faces")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_pages_fit_and_can_be_read(
    width: int, dark: bool, categories: None, batch: Batch, visit: Callable[..., Visit]
) -> None:
    published = Run.objects.get()
    window = visit(width=width, dark=dark)
    page = window.page
    page.goto(f"{window.site}{reverse('login')}")
    assert_fits_and_reads(page)
    window.log_in("alice")
    for address in (
        reverse("home"),
        reverse("use_case", args=["fruits"]) + "?locale=fr_FR&sort=-name",
        reverse("use_case", args=["fruits"]) + "?group=category",
        reverse("use_case", args=["fruits"]) + "?category=faces",
        reverse("use_case", args=["fruits"]) + "?from=2020-01-01&to=2020-01-02",
        reverse("run", args=[published.pk]),
        reverse("upload"),
        reverse("batch", args=[batch.pk]),
    ):
        page.goto(window.site + address)
        if "group=" in address:
            assert page.locator("table.grouped").count() == 1
        if page.locator("#chart").count():
            page.wait_for_selector("#chart[data-drawn]")
        assert_fits_and_reads(page)


def assert_fits_and_reads(page: Page) -> None:
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, page.url
    assert page.evaluate(PALE_TEXTS) == [], page.url


def test_emoji_are_in_colour_in_the_table_and_in_the_chart(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit(width=360)
    page = window.page
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.wait_for_selector("#chart[data-drawn]")
    for part in (*page.locator(".element").all(), *page.locator("#chart g.ytick").all()):
        assert coloured_pixels(page, part) > 30, part.text_content()


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
    assert page.evaluate("document.activeElement.id") == "main"
