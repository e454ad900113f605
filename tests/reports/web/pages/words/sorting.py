"""Sorting words on their page, as a person does it in a browser."""

from typing import Any

from django.test import Client
from django.urls import reverse

from reports.models import Version
from reports.words import newest_decisions
from tests.reports.found_words import define_search, find
from tests.reports.words.published import HOSTILE
from tests.worlds import once

SORT = reverse("sort_words", args=["slang"])
LISTS = reverse("named_dictionaries", args=["slang"])
WORDS = ["lmao", "bruh", "lov", "sixsix", *HOSTILE]


@once
def publish_words() -> Version:
    """Words of one locale of two."""
    version = define_search()
    find(version, WORDS)
    return version


def lines(response: Any) -> dict[str, Any]:
    return {line.word: line for line in response.context["form"].lines}


def filled_in(page: Any, **changes: dict[str, str]) -> dict[str, str]:
    """Return a browser's data from a page, after these changes, by word."""
    data: dict[str, str] = {}
    for number, line in enumerate(page.context["form"].lines):
        fields = {
            "word": line.word,
            "seen": str(line.seen),
            "verdict": line.verdict,
            "note": line.note,
            "kind": line.kind,
        }
        fields |= changes.get(line.word, {})
        data |= {f"{name}-{number}": value for name, value in fields.items()}
    return data | {"dictionary": page.context["form"].dictionary}


def sort(
    client: Client,
    dictionary: str = "",
    address: str = SORT,
    changes: dict[str, dict[str, str]] | None = None,
    **more: dict[str, str],
) -> Any:
    data = filled_in(client.get(address), **(changes or {}), **more)
    return client.post(address, data | {"dictionary": dictionary}, follow=True)


def holding(version: Version) -> dict[str, str]:
    return {word: each.verdict for word, each in newest_decisions(version.use_case, "en_US").items()}
