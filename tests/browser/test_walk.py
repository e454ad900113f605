"""Our pages, and the admin's that show a template anew, in light and dark and at three widths.

Nobody is kept out, nothing leaks, and a table is its file.
"""

from collections.abc import Callable, Iterator, Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as TooLong

from reports.models import Run
from tests.browser.accessibility import WCAG, bring_rules, violations
from tests.browser.conftest import Visit
from tests.browser.everything import NO_PAGES, Everything, build, is_left_out, of_admin, pages
from tests.browser.figures import differences
from tests.browser.test_looks import FADED, FITS, OPENED
from tests.promises.addresses import addresses
from tests.promises.conftest import World, world  # noqa: F401 - the latter is a fixture
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDTHS = (360, 1280, 2560)
# All rules are tried where our pages are laid out for phones, there in dark; that of contrast in the middle, in light.
NARROW, MIDDLE = WIDTHS[:2]


@pytest.fixture
def site(world: World, alice: User) -> Everything:  # noqa: F811
    """For alice, who owns the use cases, and may do everything else, too."""
    alice.is_superuser = alice.is_staff = True
    alice.save()
    return build(world)


def test_every_page(site: Everything, visit: Callable[..., Visit], client: Client, alice: User) -> None:
    client.force_login(alice)
    own = [address for address in addresses() if not of_admin(address.name)]
    stock = [address for address in addresses() if of_admin(address.name) and not is_left_out(address.name)]
    found, of_stock = (list(pages(site, of, client)) for of in (own, stock))
    names = {"login", *(page.name for page in found)}
    assert {address.name for address in own} - names == set(NO_PAGES), "a page without an example, or named as none"
    assert {address.name for address in stock} == {page.name for page in of_stock}
    window = visit(width=1280, own=True)
    window.page.emulate_media(reduced_motion="reduce")
    bring_rules(window.context)
    wrong = [*walk(window, {"/accounts/login/": True})]
    window.log_in("alice")
    wrong += walk(window, {page.path: page.is_new for page in found})
    wrong += walk(window, {page.path: True for page in of_stock if page.is_new}, are_stock=True)
    assert not wrong, "\n".join(wrong)


# What is done to a page that is right, and what is then said of it.
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
    bring_rules(window.context)
    window.log_in("alice")
    page.goto(f"{window.site}/use-cases/fruits/")
    page.evaluate(f"() => {{ {'; '.join(AMISS)} }}")
    found = list(faults(window, patience=500))
    assert [told for told in AMISS.values() if not any(told in fault for fault in found)] == []


# One for a row each, so that each makes one difference.
SAID_OTHERWISE = {
    "/use-cases/fruits/": [
        "table.rows[1].querySelector('.element').innerText = '🍏'",
        "table.rows[2].cells[0].innerText = '9'",
    ],
    "/use-cases/fruits/compare/?locale=en_US&with=fr_FR": [
        "table.rows[1].querySelector('.element').innerText = '🍏'",
        "table.rows[2].querySelector('.verdict').innerText = 'more or less'",
        "table.rows[3].querySelector('.difference .value').innerText = '99.9'",
    ],
    "/use-cases/fruits/trend/": [
        "table.rows[1].querySelector('th').firstChild.textContent = 'yesterday'",
        "table.rows[2].cells[1].innerText = '99.99 %'",
    ],
    "/use-cases/fruits/elements/?element=🔥": [
        "table.rows[1].querySelector('th').innerText = 'Elsewhere'",
        "table.rows[2].querySelector('.window').innerText = 'some day'",
        "tables[1].rows[1].cells[2].innerText = ''",
    ],
}


def test_what_a_table_says_otherwise_than_its_file_is_found(published: Run, visit: Callable[..., Visit]) -> None:
    for back in (3, 2, 1):
        publish_day(published.version, back, {"😂": 3000, "🔥": 2000})
    window = visit(width=1280)
    window.log_in("alice")
    tables = "const tables = document.querySelectorAll('main table.histogram'), table = tables[0]"
    for path, otherwise in SAID_OTHERWISE.items():
        window.page.goto(f"{window.site}{path}")
        assert list(differences(window.page)) == []
        window.page.evaluate(f"() => {{ {'; '.join([tables, *otherwise])} }}")
        assert len(list(differences(window.page))) == len(otherwise), path


def walk(window: Visit, paths: dict[str, bool], *, are_stock: bool = False) -> Iterator[str]:
    """Every page is measured, and those with new parts at the widest, too, and are held against the rules."""
    for path, is_new in paths.items():
        window.page.goto(window.site + path)
        # Pages that are mostly Django's own fill the widest screens as they do those of the middle.
        widths = WIDTHS if is_new and not are_stock else WIDTHS[:2]
        yield from (f"{path}: {fault}" for fault in faults(window, widths, by_rules=is_new, are_stock=are_stock))


def faults(
    window: Visit,
    widths: Sequence[int] = WIDTHS,
    *,
    by_rules: bool = True,
    are_stock: bool = False,
    patience: float = 3000,
) -> Iterator[str]:
    """What is wrong with the page that is open; `are_stock` asks for WCAG alone, and on phones for its colours."""
    page = window.page
    for chart in page.locator(".chart[data-figure]").all():
        chart.and_(page.locator("[data-drawn]")).wait_for()
    if not page.title().strip():
        yield "it has no title"
    if page.locator("h1").count() != 1:
        yield f"it has {page.locator('h1').count()} h1"
    page.evaluate(OPENED)
    # From where the page was last, so that a chart is drawn anew no more often than it must.
    start = page.evaluate("innerWidth")
    for width in widths if start == widths[0] else widths[::-1]:
        yield from does_not_fit(page, width, patience)
        if width == MIDDLE:
            yield from differences(page)
        if width == NARROW and by_rules:
            told = violations_in_dark(page, only="color-contrast" if are_stock else None)
            yield from (f"{width} px wide in dark, {fault}" for fault in told)
        if width == MIDDLE and by_rules:
            yield from violations(page, WCAG, only=None if are_stock else "color-contrast")
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
