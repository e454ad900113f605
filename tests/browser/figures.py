"""Are the tables of a figure its files, as people read them?"""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from tests.reports.web.pages.tables import differences_of

# Each table that belongs to a figure: its headings, and of each row what it is about, its numbers and all its words.
_TABLES = """() => [...document.querySelectorAll("main table.histogram")].map((table) => {
  const about = (head) => (head.querySelector(".element") ?? head.querySelector("a") ?? head.firstChild).textContent;
  return {
    name: table.className,
    heads: [...table.tHead.rows[0].cells].map((cell) => (cell.querySelector(".element") ?? cell).textContent),
    rows: [...table.tBodies[0].rows].map((row) => ({
      about: about(row.querySelector("th[scope=row]")),
      numbers: [...row.cells].filter((cell) => cell.matches("td.number")).map((cell) => cell.innerText).join(" "),
      words: [...row.cells].map((cell) => cell.innerText).join(" "),
    })),
  };
})"""


def differences(page: Page) -> Iterator[str]:
    """Whatever the tables of the page say otherwise than the files that it offers."""
    tables = page.evaluate(_TABLES)
    for address in {each.get_attribute("href") or "" for each in page.locator("main a[href*='.csv']").all()}:
        yield from differences_of(address, tables, _file(page, address).text())


def _file(page: Page, address: str) -> Any:
    return page.context.request.get(page.evaluate("(path) => new URL(path, location).href", address))
