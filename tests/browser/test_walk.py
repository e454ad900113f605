"""Our pages, and the admin's that show a template anew, in light and dark and at three widths.

No reader is kept out, nothing leaks, and a table is its file.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.template import Template
from django.test import Client
from django.test.signals import template_rendered
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as TooLong

from reports.models import Run
from tests.browser.accessibility import WCAG, violations
from tests.browser.conftest import Visit
from tests.browser.everything import Everything, build, examples, is_left_out, is_ours, no_pages, of_admin, pages
from tests.browser.figures import differences
from tests.browser.test_looks import FADED, FITS, OPENED
from tests.promises.addresses import addresses
from tests.promises.conftest import World, world  # noqa: F401 - the latter is a fixture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDTHS = (360, 1280, 2560)
# All rules are tried where our pages are laid out for phones, there in dark; that of contrast in the middle, in light.
NARROW, MIDDLE = WIDTHS[:2]


@pytest.fixture
def site(world: World, alice: User) -> Everything:  # noqa: F811
    """Pages of alice, who owns the use cases, and may do everything else, too."""
    alice.is_superuser = alice.is_staff = True
    alice.save()
    return build(world)


def test_every_page(site: Everything, visit: Callable[..., Visit], client: Client, alice: User) -> None:
    client.force_login(alice)
    own = [address for address in addresses() if not of_admin(address.name)]
    stock = [address for address in addresses() if of_admin(address.name) and not is_left_out(address.name)]
    of_stock = list(pages(site, stock, client))
    assert {address.name for address in stock} == {page.name for page in of_stock}
    window = visit(width=1280, own=True)
    window.page.emulate_media(reduced_motion="reduce")
    walk = Walk(window)
    walk.open("login", "/accounts/login/", is_example=True)
    window.log_in("alice")
    for found in examples(site, [address for address in own if address.name not in no_pages()]):
        walk.open(*found)
    for page in of_stock:
        if page.is_new:
            walk.open(page.name, page.path, is_example=True, is_stock=True)
    assert not walk.wrong, "\n".join(walk.wrong)
    assert {address.name for address in own} - walk.names == set(no_pages()), "a page without an example"


# Damage done to a page that is right, and what is then said of it.
AMISS = {
    "document.title = ''": "no title",
    "document.querySelector('main').append(document.createElement('h1'))": "it has 2 h1",
    "document.querySelector('td.number:last-child').innerText = '99.99 %'": "histogram.csv: the table has",
    "document.querySelector('table.histogram tbody tr').remove()": "rows are shown",
    "document.querySelector('main').append(new Image())": "image-alt",
    "document.querySelector('h1').style.color = 'light-dark(black, #333)'": "360 px wide in dark, color-contrast",
    "document.querySelector('h1').style.minWidth = '400px'": "wider than 360 px",
    "document.querySelector('.languages').setAttribute('role', 'main')": "360 px wide in dark, landmark-",
    "console.warn('a warning')": "console: a warning",
}


def test_what_is_amiss_is_found(published: Run, visit: Callable[..., Visit]) -> None:
    window = visit(width=1280, own=True)
    page = window.page
    page.emulate_media(reduced_motion="reduce")
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.evaluate(f"() => {{ {'; '.join(AMISS)} }}")
    found = list(faults(window, patience=500))
    assert [told for told in AMISS.values() if not any(told in fault for fault in found)] == []


class Walk:
    """Every page is measured, and those with new parts at the widest, too, and are held against the rules."""

    def __init__(self, window: Visit) -> None:
        self.window = window
        self.names: set[str] = set()
        self.wrong: list[str] = []
        self._shown: set[str] = set()

    def open(self, name: str, path: str, is_example: bool, is_stock: bool = False) -> None:
        """Go there, and see what is wrong, unless it is no page of its own and none that is named as an example."""
        with our_templates() as parts:
            answer = self.window.page.goto(self.window.site + path)
        assert answer is not None
        if not is_example and (answer.status != 200 or answer.request.redirected_from is not None):
            self.window.faults.clear()
            return
        self.names.add(name)
        is_new = is_stock or not parts <= self._shown
        self._shown |= parts
        # Pages that are mostly Django's own fill the widest screens as they do those of the middle.
        widths = WIDTHS if is_new and not is_stock else WIDTHS[:2]
        found = faults(self.window, widths, by_rules=is_new, is_stock=is_stock)
        self.wrong += [f"{path}: {fault}" for fault in found]


@contextmanager
def our_templates() -> Iterator[set[str]]:
    """The names of our templates that are rendered meanwhile."""
    found: set[str] = set()

    def note(template: Template, **_signal: object) -> None:
        if is_ours(template):
            found.add(str(template.name))

    template_rendered.connect(note)
    yield found
    template_rendered.disconnect(note)


# Opens what is closed, so that it is measured, too.
BEGIN = f"""() => {{
  {OPENED};
  return {{
    title: document.title.trim(), headings: document.querySelectorAll("h1").length, width: innerWidth,
    // Where a table has bars of its own, its chart is not seen.
    isDrawn: ![...document.querySelectorAll(".chart[data-figure]:not([data-drawn])")]
      .some((one) => one.checkVisibility()),
  }};
}}"""


def faults(
    window: Visit,
    widths: Sequence[int] = WIDTHS,
    *,
    by_rules: bool = True,
    is_stock: bool = False,
    patience: float = 3000,
) -> Iterator[str]:
    """Return the faults of the page that is open; `is_stock` asks for WCAG alone, and on phones for its colours."""
    page = window.page
    seen = page.evaluate(BEGIN)
    if not seen["isDrawn"]:
        page.wait_for_function(f"({BEGIN})().isDrawn")
    if not seen["title"]:
        yield "it has no title"
    if seen["headings"] != 1:
        yield f"it has {seen['headings']} h1"
    # From where the page was last, so that a chart is drawn anew no more often than it must.
    for width in widths if seen["width"] == widths[0] else widths[::-1]:
        yield from does_not_fit(page, width, patience)
        if width == MIDDLE:
            yield from differences(page)
        if width == NARROW and by_rules:
            told = violations_in_dark(page, only="color-contrast" if is_stock else None)
            yield from (f"{width} px wide in dark, {fault}" for fault in told)
        if width == MIDDLE and by_rules:
            yield from violations(page, WCAG, only=None if is_stock else "color-contrast")
    # The browser notes every answer that says no; pages that say so are meant to.
    yield from (fault for fault in window.faults if "the server responded with a status of 4" not in fault)
    window.faults.clear()


def violations_in_dark(page: Page, *, only: str | None) -> list[str]:
    page.emulate_media(color_scheme="dark")
    page.evaluate(FADED)
    found = violations(page, only=only)
    page.emulate_media(color_scheme="light")
    page.evaluate(FADED)
    return found


def does_not_fit(page: Page, width: int, patience: float) -> Iterator[str]:
    page.set_viewport_size({"width": width, "height": 900})
    try:
        # Charts are drawn anew soon after.
        page.wait_for_function(FITS, timeout=patience)
    except TooLong:
        yield f"it is wider than {width} px"
