"""Display forms and names of a dictionary's elements."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from reports.models import DictionaryRevision, Version
from reports.results import dictionary_texts as dictionary_module
from reports.results.dictionary_texts import DictionaryTexts, Grade, dictionary_texts
from tests.aggregation.helpers import UNHURRIED
from tests.reports.small_fleet import define

pytestmark = pytest.mark.exact

DOMAINS = ["wikipedia.org", "en.wikipedia.org", "netflix.com", "net.example"]


LINES = st.lists(st.sampled_from(["a", "ab", "b a", "abc", "", "c.ab"]), max_size=8)
WORDS = st.lists(st.sampled_from(["a", "b", "ab", "c."]), max_size=3)


@UNHURRIED
@given(LINES, WORDS)
def test_elements_that_have_all_words_are_found(lines: list[str], words: list[str]) -> None:
    expected = [place for place, line in enumerate(lines) if words and all(word in line for word in words)]
    assert DictionaryTexts.of_lines(lines).having(words, 100) == expected
    assert DictionaryTexts.of_lines(lines).having(words, 2) == expected[:2]
    odd = np.arange(len(lines)) % 2 == 1
    assert DictionaryTexts.of_lines(lines).having(words, 100, odd) == [place for place in expected if place % 2]


class Searched(str):
    """A text that counts how often it is searched."""

    searches = 0

    def find(self, *where: Any) -> int:
        self.searches += 1
        return super().find(*where)


def test_only_lines_with_the_rarest_word_are_looked_at() -> None:
    """Else a search for single letters, which nearly all lines have, takes seconds of the processor."""
    lines = ["aa", "aab", "aac"] * 100 + ["aa q"]
    text = Searched("\n".join(lines))
    starts = DictionaryTexts.of_lines(lines).starts
    assert DictionaryTexts(text, starts).having(["aa", "a", "q"], 100) == [300]
    assert text.searches < 10


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("netflx", {"netflix": 1}),
        ("netfilx", {"netflix": 1}),
        ("nteflx", {"netflix": 2}),
        ("ogr", {"org": 1}),
        ("xyorg", {}),
        ("or", {}),
        ("netflix", {"netflix": 0}),
    ],
)
def test_words_of_a_few_other_letters_are_near(written: str, meant: dict[str, int]) -> None:
    assert DictionaryTexts.of_lines(DOMAINS).near(written) == meant


@pytest.mark.parametrize(
    ("search", "best"),
    [
        ("wikipedia.org", [(Grade.EXACT, 0), (Grade.WORDS, 1)]),
        ("net", [(Grade.LEADING, 2), (Grade.LEADING, 3)]),
        ("org wiki", [(Grade.BEGINNINGS, 0), (Grade.BEGINNINGS, 1)]),
        ("flix", [(Grade.LETTERS, 2)]),
        (" ", []),
    ],
)
def test_the_best_matches_come_first(search: str, best: list[tuple[Grade, int]]) -> None:
    assert DictionaryTexts.of_lines(DOMAINS).best(search, 2) == best


def revision_of(version: Version) -> DictionaryRevision:
    revision = version.current_dictionary()
    assert revision is not None
    return revision


@pytest.mark.django_db
def test_lines_have_what_is_written_and_displayed_without_accents() -> None:
    version = define(normalization="domain", dictionary=["bücher.example", "wikipedia.org"])
    texts = dictionary_texts(revision_of(version))
    assert texts.text.split("\n") == ["xn--bcher-kva.example bucher.example", "wikipedia.org"]


@pytest.mark.django_db
def test_line_breaks_in_elements_do_not_shift_positions() -> None:
    # No other test has this dictionary, whose texts would be remembered.
    revision = revision_of(define(dictionary=["apple", "banana", "line break"]))
    revision.entries.filter(position=0).update(element="an\napple", display="an\napple")
    assert dictionary_texts(revision).having(["banana"], 5) == [1]


@pytest.mark.django_db
def test_emoji_are_called_by_their_names_in_every_language() -> None:
    texts = dictionary_texts(revision_of(define(normalization="emoji", dictionary=["😂", "❤️"])))
    for search in (["tears", "joy"], ["visage", "larmes"], ["cara"]):
        assert texts.having(search, 5) == [0]
    assert texts.having(["coeur"], 5) == [1]


@pytest.mark.django_db
def test_texts_of_large_dictionaries_are_kept_in_files_as_long_as_a_dictionary_has_them(
    settings: Settings, tmp_path: Path
) -> None:
    settings.LDPSITE_SPOOL_DIR = tmp_path
    revisions = [
        revision_of(define(slug=name, dictionary=[f"{name}-é{number}" for number in range(1_000)]))
        for name in ("first", "second")
    ]
    made = dictionary_texts(revisions[0])
    dictionary_module._load.cache_clear()
    kept = dictionary_texts(revisions[0])
    assert (kept.text, kept.starts.tolist()) == (made.text, made.starts.tolist())
    assert kept.near("frist") == {"first": 1}
    assert kept.best("e999", 1) == [(Grade.WORDS, 999)]
    revisions[0].version.use_case.delete()
    dictionary_texts(revisions[1])
    (file,) = tmp_path.rglob("*.npz")
    assert revisions[1].digest in file.name
