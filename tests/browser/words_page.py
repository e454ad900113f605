"""The page of discovered words, as people see it: no word is more than text there, in the table and in the chart."""

from django.urls import reverse
from playwright.sync_api import Locator, Page

PAGE = reverse("use_case", args=["words"])
# Elements that no template of ours makes, but words would, if they were markup.
MARKUP = "main :is(b, i, u, img)"
# Marks that keep the label of a bar in its place.
ISOLATES = str.maketrans("", "", "\u2066\u2067\u2068\u2069")


def rows(page: Page) -> Locator:
    return page.locator("table.words tbody tr")


def words(page: Page) -> list[str]:
    """As people see them; and nothing became more than text."""
    assert page.locator(MARKUP).count() == 0
    assert page.locator(".element *").count() == 0
    return page.locator("table.words .element").all_inner_texts()


def bars(page: Page) -> list[str]:
    page.wait_for_selector("#chart[data-drawn]")
    labels = page.locator("#chart .ytick text")
    assert labels.locator("*").count() == 0
    return [label.translate(ISOLATES) for label in labels.all_text_contents()]


def row(page: Page, word: str) -> Locator:
    (place,) = [place for place, found in enumerate(words(page)) if found == word]
    return rows(page).nth(place)


def badges(page: Page, text: str) -> list[str]:
    """The words with a badge of this text."""
    marked = page.locator("table.words tbody tr", has=page.locator(".badge", has_text=text))
    return marked.locator(".element").all_inner_texts()


def show(page: Page, site: str, **query: str) -> None:
    page.goto(f"{site}{PAGE}?" + "&".join(f"{name}={value}" for name, value in query.items()))
