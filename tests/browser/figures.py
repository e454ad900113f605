"""Are the tables of a figure its files, as people read them?"""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.reports.web.pages.tables import differences_of

# Addresses of the page's files, and each table that belongs to a figure: its headings, and of each row what it is
# about, its numbers and all its words; and the same of what closes it.
_FIGURES = """() => {
  const about = (head) => (head.querySelector(".element") ?? head.querySelector("a") ?? head.firstChild).textContent;
  const shown = (row) => ({
    about: about(row.querySelector("th[scope=row]")),
    numbers: [...row.cells].filter((cell) => cell.matches("td.number")).map((cell) => cell.innerText).join(" "),
    words: [...row.cells].map((cell) => cell.innerText).join(" "),
  });
  const tables = [...document.querySelectorAll("main table.histogram")].map((table) => ({
    name: table.className,
    heads: [...table.tHead.rows[0].cells].map((cell) => (cell.querySelector(".element") ?? cell).textContent),
    rows: [...table.tBodies[0].rows].map(shown),
    closing: [...(table.tFoot?.rows ?? [])].map(shown),
  }));
  return { tables, files: [...document.querySelectorAll("main a[href*='.csv']")].map((link) => link.href) };
}"""


def differences(page: Page) -> Iterator[str]:
    """Yield whatever the tables of the page say otherwise than the files that it offers."""
    found = page.evaluate(_FIGURES)
    for address in set(found["files"]):
        yield from differences_of(address, found["tables"], page.context.request.get(address).text())
