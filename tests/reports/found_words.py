"""Discovered words straight in the database: what pages show does not depend on how a run found it."""

import datetime
import uuid
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from reports.kinds import puzzle_of
from reports.models import Discovery, Histogram, HistogramEntries, Version
from tests.reports.entries import change_entries, entries_of
from tests.reports.factories import applied
from tests.reports.small_fleet import days_ago, definition

LETTERS = "abcdefghijklmnopqrstuvwxyz'"
SEARCHED = {
    "reports": [1000, 2000, 3000], "cuts": [110.5, 120.0, 130.25], "kept": [7, 8, 9], "joined": 4321, "candidates": 55,
    "smallest_share": 0.0123, "f2": [1e6, 4e6, 9e6],
}  # fmt: skip


def define_search(**changes: Any) -> Version:
    """A use case that finds words of up to six letters."""
    item = definition(**{
        "slug": "slang", "title": "Slang", "algorithm": "SequenceFragmentPuzzle", "normalization": "word",
        "locales": ["en_US", "fr_FR"],
        "parameters": {
            "epsilon": 4, "k": 64, "m": 64, "fragment_epsilon": 6, "fragment_k": 64, "fragment_m": 64, "length": 6,
            "seed": "0e" * 16,
        },
        "alphabet": {"en_US": LETTERS, "fr_FR": f"{LETTERS}éà"}, **changes,
    })  # fmt: skip
    del item["dictionary"]
    return applied(item)


def find(
    version: Version,
    words: Sequence[str],
    *,
    locale: str = "en_US",
    first: datetime.date | None = None,
    last: datetime.date | None = None,
    **searched: Any,
) -> Histogram:
    """Publish these words, the most frequent first, of the last seven days or another window."""
    histogram = Histogram.objects.create(
        version=version, locale=locale, first_day=first or days_ago(7), last_day=last or days_ago(1), n=10_000,
        made_of=uuid.uuid4().hex, alpha=0.05, threshold=50.0, below_threshold=13, f2=30_000_000.0,
        generated_at=timezone.now(),
    )  # fmt: skip
    Discovery.objects.create(histogram=histogram, **SEARCHED | searched)
    mechanism = puzzle_of(version)
    estimates = [990.0 - 10 * place for place in range(len(words))]
    rows = entries_of(words, estimates, error=2.0, half=3.0, adjusted=4.0)
    HistogramEntries.of(
        histogram, [row._replace(element=row.display.ljust(mechanism.length, "_")) for row in rows]
    ).save()
    return histogram


def change_word(word: str, **values: Any) -> None:
    """Change what lists say of a word."""
    change_entries(lambda entry: entry.display == word, **values)
