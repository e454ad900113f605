"""Texts and names of a dictionary's elements, in memory: there may be hundreds of thousands."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from reports.models import DictionaryRevision
from reports.results.dictionary_files import kept_arrays
from reports.results.groupings import Frozen
from reports.results.names import folded, folded_names

# So many near words are looked at of each that is written wrongly, and so many ways to put several right.
MOST_NEAR = 10
_MOST_READINGS = 10
# Lines that are looked at to choose the best of: those that begin with what is searched for, and any others.
_MOST_LEADING = 50
_MOST_HAVING = 400
_WORD = re.compile(r"\w+")
# Smaller dictionaries are read as fast from their rows.
_SMALLEST_KEPT = 1_000

# One text, for the time that a quarter of a million rows would take. Lines end where elements do.
_WRITTEN = r"""
SELECT string_agg(
    translate(CASE WHEN "display" = "element" THEN "element" ELSE "element" || ' ' || "display" END, E'\n', ' '),
    E'\n' ORDER BY "position"
) FROM "reports_dictionaryentry" WHERE "revision_id" = %s
"""


class Grade(IntEnum):
    """Grade of a match, the best first."""

    EXACT = 0
    # The line begins so; it has these words; it has words that begin so; it has these letters.
    LEADING = 1
    WORDS = 2
    BEGINNINGS = 3
    LETTERS = 4
    # Once some letters are put right.
    NEAR = 5


@dataclass(frozen=True)
class DictionaryTexts:
    """A line for each element, in the order of their positions: its letters and names, folded."""

    text: str
    # Where lines begin.
    starts: NDArray[np.int64]
    # Each of its words once, a line each; where it is not known the text is read for it.
    vocabulary: str | None = None

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

    def best(self, wanted: str, most: int) -> list[tuple[Grade, int]]:
        """Find the best matches of a folded search, as grades and positions; of one grade the first positions lead."""
        words = wanted.split()
        if not words:
            return []
        leading = islice(self._leading(wanted), _MOST_LEADING)
        found = dict.fromkeys((*leading, *self.having(words, _MOST_HAVING)))
        graded = _grading(wanted, words)
        return sorted((graded(self._line(position)), position) for position in found)[:most]

    def nearest(self, wanted: str, most: int) -> list[tuple[Grade, int]]:
        """Find what has all the words of a folded search in it, some put right; the fewest letters first."""
        found: dict[int, None] = {}
        for words, _distance in self.readings(list(words_of(wanted))):
            found |= dict.fromkeys(self.having(words, most))
        return [(Grade.NEAR, position) for position in islice(found, most)]

    def readings(self, words: Sequence[str]) -> list[tuple[list[str], int]]:
        """Put right what no element has in it, in several ways, with the number of letters changed; fewest first."""
        choices = [{word: 0} if self.having([word], 1) else self.near(word) for word in words]
        if not words or not all(choices):
            return []
        readings = islice(product(*(choice.items() for choice in choices)), _MOST_READINGS)
        found = [([word for word, _distance in each], sum(distance for _word, distance in each)) for each in readings]
        return sorted(found, key=lambda reading: reading[1])

    def _leading(self, wanted: str) -> Iterator[int]:
        """Yield the positions of lines that begin so."""
        if self.text.startswith(wanted):
            yield 0
        place = self.text.find(f"\n{wanted}")
        while place >= 0:
            yield int(np.searchsorted(self.starts, place + 1))
            place = self.text.find(f"\n{wanted}", place + 1)

    def _line(self, position: int) -> str:
        end = self.starts[position + 1] - 1 if position + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[position] : end]

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
        known = vocabulary_of(self.text) if self.vocabulary is None else self.vocabulary
        for word in known.splitlines():
            found.setdefault(len(word), []).append(word)
        return found


def _grading(wanted: str, words: Sequence[str]) -> Callable[[str], Grade]:
    begun = [re.compile(rf"(?<!\w){re.escape(word)}") for word in words]
    whole = [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in words]

    def grade(line: str) -> Grade:
        if line.startswith(wanted):
            return Grade.EXACT if line[len(wanted) : len(wanted) + 1] in ("", " ") else Grade.LEADING
        for which, patterns in ((Grade.WORDS, whole), (Grade.BEGINNINGS, begun)):
            if all(pattern.search(line) for pattern in patterns):
                return which
        return Grade.LETTERS

    return grade


def search_lines(lines: Sequence[str], wanted: str, most: int, *, nearly: bool = False) -> list[tuple[Grade, int]]:
    """Find the lines that match a search best, or that `nearly` match, as grades and places."""
    texts = DictionaryTexts.of_lines([folded(" ".join(line.split())) for line in lines])
    return (texts.nearest if nearly else texts.best)(folded(wanted), most)


def vocabulary_of(text: str) -> str:
    return "\n".join(dict.fromkeys(words_of(text)))


def words_of(text: str) -> Iterator[str]:
    """Letters and digits between anything else, as in the parts of a domain."""
    return (found.group() for found in _WORD.finditer(text))


def dictionary_texts(revision: DictionaryRevision) -> DictionaryTexts:
    """The texts of a revision, whose version is known; remembered, because a revision never changes."""
    return _load(_Contents(revision))


class _Contents(Frozen):
    """Texts of a revision, as a key: use cases may have the same dictionary."""

    def __init__(self, revision: DictionaryRevision) -> None:
        super().__init__(revision)
        self.key = (revision.digest, revision.version.normalization)


@lru_cache(maxsize=8)
def _load(contents: _Contents) -> DictionaryTexts:
    revision = contents.revision
    if revision.size < _SMALLEST_KEPT:
        return _read(revision)
    arrays = kept_arrays(f"{revision.version.normalization}-{revision.digest}", lambda: _as_arrays(_read(revision)))
    text, vocabulary = (arrays[each].tobytes().decode() for each in ("text", "vocabulary"))
    return DictionaryTexts(text, arrays["starts"], vocabulary)


def _as_arrays(texts: DictionaryTexts) -> dict[str, NDArray[Any]]:
    written = {"text": texts.text, "vocabulary": vocabulary_of(texts.text)}
    found = {name: np.frombuffer(value.encode(), np.uint8) for name, value in written.items()}
    return {**found, "starts": texts.starts}


def _read(revision: DictionaryRevision) -> DictionaryTexts:
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN, [revision.pk])
        (written,) = cursor.fetchone()
    lines: Iterable[str] = (written or "").split("\n")
    if revision.version.normalization == "emoji":
        displayed = revision.entries.order_by("position").values_list("display", flat=True)
        names = (" ".join(folded_names(revision.version, display)) for display in displayed)
        lines = (f"{line} {called}" for line, called in zip(lines, names, strict=True))
    return DictionaryTexts.of_lines([folded(line) for line in lines])
