"""The device's answer to a typed word: the element that its report is about, or nothing."""

from typing import Any

import pytest

from aggregation.device.configuration import UseCase
from aggregation.normalization import fold_word
from tests.aggregation.helpers import fragment_puzzle

pytestmark = pytest.mark.exact

LATIN = "abcdefghijklmnopqrstuvwxyz'"


def element_of(
    text: str, local_words: Any = frozenset(), alphabet: Any = LATIN, keep_case: bool = False, length: int = 10
) -> str | None:
    """The element that is privatised, in a locale with this alphabet; the other locale has another."""
    own = fragment_puzzle("60", "60", (64, 64), (64, 64), length=length)
    by_locale = {"xx": alphabet, "yy": "q"}
    words = UseCase("words", "Words", 1, None, own, "word", ("xx", "yy"), keep_case, by_locale)
    return words.element(text, "xx", local_words)


REPORTED: list[tuple[str, dict[str, Any], str]] = [
    ("wyd", {}, "wyd_______"),
    ("WYD", {}, "wyd_______"),
    ("WYD", {"keep_case": True, "alphabet": "DWY"}, "WYD_______"),
    ("Cafe\u0301", {"alphabet": LATIN + "\u00e9"}, "caf\u00e9______"),
    ("supercalifragilistic", {}, "supercalif"),
    ("mayweather", {}, "mayweather"),
    ("o'clock", {}, "o'clock___"),
    ("\u05e9\u05dc\u05d5\u05dd", {"alphabet": "\u05d5\u05dc\u05dd\u05e9"}, "\u05e9\u05dc\u05d5\u05dd______"),
    ("<b>", {"alphabet": "<b>"}, "<b>_______"),
    ("wyd", {"local_words": {"hello", "wydd", "wy"}}, "wyd_______"),
    # Known words are compared whole: one that only begins like this is no reason to be silent.
    ("supercalif", {"local_words": {"supercalifragilistic"}}, "supercalif"),
    ("supercalifornian", {"local_words": {"supercalif"}}, "supercalif"),
    *[("Mayweather", {"length": n}, element) for n, element in ((2, "ma"), (4, "mayw"), (16, "mayweather______"))],
]
NOT_REPORTED: list[tuple[str, dict[str, Any]]] = [
    *[(text, {}) for text in ("", "_", "a_b", "wyd_", "two words", "na\u00efve", "cafe\u0301", "a1", "wyd\n")],
    ("a_b", {"alphabet": LATIN + "_"}),
    ("WYD", {"keep_case": True}),
    ("\ud800", {"alphabet": {"\ud800"}}),
    # Behind the cut, too: what is cut off must not be there either.
    ("abcdefghij_", {}),
    ("abcdefghij1", {}),
    ("hello", {"local_words": {"hello"}}),
    ("HELLO", {"local_words": {"hello"}}),
    ("supercalifragilistic", {"local_words": {"supercalifragilistic"}}),
    ("Berlin", {"keep_case": True, "alphabet": "Belinr", "local_words": {"Berlin"}}),
]


def test_words_of_the_alphabet_that_the_device_does_not_know_are_reported_and_nothing_else() -> None:
    for text, options, element in [*REPORTED, *((text, options, None) for text, options in NOT_REPORTED)]:
        assert element_of(text, **options) == element, (ascii(text), options)


def test_a_dictionary_with_capitals_and_accents_is_compared_as_words_are() -> None:
    local_words = frozenset(fold_word(word, keep_case=False) for word in ("Berlin", "E\u0301tat"))
    alphabet = LATIN + "\u00e9"
    for text in ("berlin", "BERLIN", "\u00e9tat", "E\u0301TAT", "\u00c9tat"):
        assert element_of(text, local_words, alphabet) is None
    assert element_of("etat", local_words, alphabet) is not None
