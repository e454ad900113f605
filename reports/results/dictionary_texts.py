"""Texts and names of a dictionary's elements, in memory: there may be hundreds of thousands."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from reports.models import DictionaryRevision
from reports.results.groupings import Frozen
from reports.results.names import folded, folded_names

# So many near words are looked at of each that is written wrongly.
MOST_NEAR = 10
_WORD = re.compile(r"\w+")

# One text, for the time that a quarter of a million rows would take. Lines end where elements do.
_WRITTEN = r"""
SELECT string_agg(
    translate(CASE WHEN "display" = "element" THEN "element" ELSE "element" || ' ' || "display" END, E'\n', ' '),
    E'\n' ORDER BY "position"
) FROM "reports_dictionaryentry" WHERE "revision_id" = %s
"""


@dataclass(frozen=True)
class DictionaryTexts:
    """A line for each element, in the order of their positions: its letters and names, folded."""

    text: str
    # Where lines begin.
    starts: NDArray[np.int64]

    @classmethod
    def of_lines(cls, lines: Collection[str]) -> "DictionaryTexts":
        lengths = np.fromiter((len(line) + 1 for line in lines), np.int64, len(lines))
        return cls("\n".join(lines), np.cumsum(lengths) - lengths)

    def having(self, words: Collection[str], most: int, among: NDArray[np.bool_] | None = None) -> list[int]:
        """Find the positions of the first so many elements that have all of these folded words in them.

        `among` says of each position whether it is looked at; None stands for all of them.
        """
        # The rarest decides which lines are looked at: a letter may be in nearly all of them.
        rarest = min(words, key=self.text.count, default="")
        found: list[int] = []
        begin = self.text.find(rarest) if rarest else -1
        while begin >= 0 and len(found) < most:
            position = int(np.searchsorted(self.starts, begin, side="right")) - 1
            end = self.text.find("\n", begin)
            end = len(self.text) if end < 0 else end
            line = self.text[self.starts[position] : end]
            if (among is None or among[position]) and all(word in line for word in words):
                found.append(position)
            begin = self.text.find(rarest, end)
        return found

    def near(self, word: str) -> dict[str, int]:
        """Find words of the dictionary that this one is written almost like: by how many letters, the nearest first.

        A letter may be wrong, missing, too many, or have changed places with the next; in longer words two.
        """
        allowed = 0 if len(word) < 3 else 1 if len(word) < 6 else 2
        if not allowed:
            return {}
        lengths = range(len(word) - allowed, len(word) + allowed + 1)
        choices = [each for length in lengths for each in self._words.get(length, ())]
        found = process.extract(word, choices, scorer=OSA.distance, score_cutoff=allowed, limit=MOST_NEAR)
        return {text: int(distance) for text, distance, _place in found}

    @cached_property
    def _words(self) -> dict[int, list[str]]:
        """Return the words of the dictionary by length."""
        found: dict[int, list[str]] = {}
        for word in dict.fromkeys(words_of(self.text)):
            found.setdefault(len(word), []).append(word)
        return found


def words_of(text: str) -> Iterator[str]:
    """Letters and digits between anything else, as in the parts of a domain."""
    return (found.group() for found in _WORD.finditer(text))


def dictionary_texts(revision: DictionaryRevision) -> DictionaryTexts:
    """The texts of a revision, whose version is known; remembered, because a revision never changes."""
    return _load(Frozen(revision))


@lru_cache(maxsize=4)
def _load(frozen: Frozen) -> DictionaryTexts:
    revision = frozen.revision
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN, [revision.pk])
        (written,) = cursor.fetchone()
    lines: Iterable[str] = (written or "").split("\n")
    if revision.version.normalization == "emoji":
        displayed = revision.entries.order_by("position").values_list("display", flat=True)
        names = (" ".join(folded_names(revision.version, display)) for display in displayed)
        lines = (f"{line} {called}" for line, called in zip(lines, names, strict=True))
    return DictionaryTexts.of_lines([folded(line) for line in lines])
