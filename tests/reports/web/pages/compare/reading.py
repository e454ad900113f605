"""Reading the page that compares, as its reader would."""

import html
import re
from typing import Any

from tests.reports.web.pages.reading import words

PAGE = "/use-cases/fruits/compare/"


def cells(response: Any) -> dict[str, list[str]]:
    """The text of each cell of a row, by element."""
    found = {}
    for row in re.findall(r'<tr role="row" class=.*?</tr>', response.content.decode(), re.DOTALL):
        texts = [
            re.sub(r"[ \n]+", " ", html.unescape(re.sub(r"<[^>]*>", " ", cell))).strip()
            for cell in re.findall(r"<t[hd] role=.*?</t[hd]>", row, re.DOTALL)
        ]
        found[texts[0]] = texts[1:]
    return found


def others(response: Any) -> dict[str, str]:
    """Return the comparisons that the page offers next: addresses by their words."""
    found = re.search(r'<nav class="windows" aria-label="Other comparisons">(.*?)</nav>', words(response))
    assert found is not None
    return {label: html.unescape(href) for href, label in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', found[1])}
