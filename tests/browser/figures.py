"""Is the table of a figure its CSV file, as people read it?"""

import csv
import io
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from playwright.sync_api import Page

Row = dict[str, str]

# Each row of the last table that belongs to a figure: its cells of numbers, as they are read.
_ROWS = """() => [...document.querySelectorAll("main table.histogram")].at(-1)?.tBodies[0] && [
  ...[...document.querySelectorAll("main table.histogram")].at(-1).tBodies[0].rows
].map((row) => [...row.cells].filter((cell) => cell.matches("td.number")).map((cell) => cell.innerText).join(" "))"""
_NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


class Written(NamedTuple):
    """A number as a page writes it, and what its last digit is worth."""

    value: float
    digit: float

    def is_about(self, exact: float) -> bool:
        """Rounded, or rounded up."""
        return abs(self.value - exact) <= 1.001 * self.digit


def numbers(text: str) -> list[Written]:
    found = []
    for part in _NUMBER.findall(text):
        plain = part.replace(",", "").replace("−", "-")
        found.append(Written(float(plain), 10.0 ** -len(plain.partition(".")[2])))
    return found


def differences(page: Page) -> Iterator[str]:
    """Whatever the table of the page says otherwise than the file that it offers."""
    link = page.locator("main a[href*='.csv']")
    if link.count() == 0:
        return
    (address,) = {each.get_attribute("href") or "" for each in link.all()}
    name = address.partition("?")[0].rpartition("/")[2]
    file = page.context.request.get(page.evaluate("(path) => new URL(path, location).href", address)).text()
    rows = page.evaluate(_ROWS) or []
    expected = list(_READERS[name](list(csv.DictReader(io.StringIO(file)))))
    if len(rows) != len(expected):
        yield f"{name}: {len(rows)} rows are shown, and the file has {len(expected)}"
    for shown, exact in zip(rows, expected, strict=False):
        written = numbers(shown)
        if len(written) != len(exact) or not all(map(Written.is_about, written, exact)):
            yield f"{name}: the table has {shown!r}, the file {exact}"


def _histogram(rows: list[Row]) -> Iterator[list[float]]:
    for row in rows:
        grouped = ["members", "threshold"] if row["grouping"] else []
        names = ["rank", *grouped, "estimate", "adjusted_lower", "adjusted_upper"]
        yield [*(float(row[name]) for name in names), 100 * float(row["estimate"]) / float(row["n"])]


def _comparison(rows: list[Row]) -> Iterator[list[float]]:
    for row in rows:
        found: list[float] = []
        for side in ("first", "second"):
            interval = [f"{side}_share", f"{side}_lower", f"{side}_upper"]
            names = interval if row[f"{side}_share"] else [f"{side}_at_most"]
            found += [100 * float(row[name]) for name in names if row[name]]
        names = ["difference", "difference_lower", "difference_upper"]
        yield found + [100 * float(row[name]) for name in names if row[name]]


def _windows(rows: list[Row]) -> Iterator[list[Row]]:
    def window(row: Row) -> tuple[str, str]:
        return row["last_day"], row["first_day"]

    for _window, found in groupby(sorted(rows, key=window), window):
        yield list(found)


def _point(row: Row) -> list[float]:
    if row["estimate"]:
        return [100 * float(row[name]) / float(row["n"]) for name in ("estimate", "adjusted_lower", "adjusted_upper")]
    return [100 * float(row["at_most"]) / float(row["n"])] if row["at_most"] else []


def _trend(rows: list[Row]) -> Iterator[list[float]]:
    for found in _windows(rows):
        n, threshold = found[0]["n"], found[0]["threshold"]
        sizes = [float(n), 100 * float(threshold) / float(n)] if n and threshold else []
        yield [number for row in found for number in _point(row)] + sizes


def _element(rows: list[Row]) -> Iterator[list[float]]:
    for found in _windows(rows):
        yield [number for row in found for number in _point(row)]


_READERS: dict[str, Callable[[list[Row]], Iterator[list[float]]]] = {
    "histogram.csv": _histogram,
    "comparison.csv": _comparison,
    "trend.csv": _trend,
    "elements.csv": _element,
}
