"""Reading the page of a use case, as its reader would."""

import csv
import html
import io
import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.test import Client

from reports.models import Version
from tests.reports.entries import change_entries
from tests.reports.trends import publish_day

PAGE = "/use-cases/fruits/"


def words(response: Any) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def text_of(response: Any) -> str:
    """Return the text that a reader sees, without tags, in one line."""
    return plain(response.content.decode())


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def rows(response: Any, table: str) -> list[list[str]]:
    """The cells of a page's table, without its headings."""
    found = response.content.decode().split(f'<table class="histogram {table}">')[1].split("</table>")[0]
    cells = [re.findall(r"<(?:th|td)[^>]*>(.*?)</(?:th|td)>", row, re.DOTALL) for row in found.split("<tr")[2:]]
    return [[plain(cell) for cell in row] for row in cells]


def table(response: Any) -> list[str]:
    """The elements of the table, in its order."""
    found = re.findall(r'<(?:span|bdi) class="element"[^>]*>([^<]*)<', response.content.decode())
    return [html.unescape(element) for element in found]


def chart(response: Any) -> dict[str, Any]:
    found = re.search(r'<script id="chart-figure" type="application/json">(.*?)</script>', response.content.decode())
    assert found is not None
    figure: dict[str, Any] = json.loads(found[1])
    return figure


def links(response: Any) -> dict[str, str]:
    """The windows to choose from, by what the page calls them, with a star for the one that is shown; and its
    neighbours, with their addresses."""
    select = re.search(r'<select id="window".*?</select>', words(response))
    options = re.findall(r'<option value="([^"]*)"([^>]*)>([^<]*)<', select[0] if select else "")
    found = {html.unescape(label) + ("*" if "selected" in mark else ""): value for value, mark, label in options}
    for relation, name in (("prev", "Earlier"), ("next", "Later")):
        link = re.search(rf'rel="{relation}" href="([^"]*)"', words(response))
        found |= {name: html.unescape(link[1])} if link else {}
    return found


def asked(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def exported(client: Client, response: Any, form: str) -> Any:
    """The file of a form that the page leads to."""
    found = re.search(rf'href="([^"]*/(?:histogram|comparison)\.{form}\?[^"]*)"', response.content.decode())
    assert found is not None
    answer = client.get(html.unescape(found[1]))
    assert answer.status_code == 200
    content = answer.getvalue().decode()
    return json.loads(content) if form == "json" else list(csv.DictReader(io.StringIO(content)))


def make_histogram(version: Version, elements: list[str], days: int = 1, locale: str = "en_US") -> None:
    """Released days with their histograms, straight into the database."""
    for back in range(1, days + 1):
        counts = {element: 1000.0 - rank for rank, element in enumerate(elements, 1)}
        histogram = publish_day(version, back, counts, locale=locale)
        change_entries(
            of={"histogram": histogram}, lower=900.0, upper=1100.0, adjusted_lower=880.0, adjusted_upper=1120.0
        )
