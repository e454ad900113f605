"""What a device says about a typed word: a report, or nothing."""

from typing import Any

import pytest

from aggregation.device.configuration import UseCase
from aggregation.errors import ParameterError
from aggregation.mechanisms import SequenceFragmentPuzzle
from aggregation.normalization import fold_word
from tests.aggregation.helpers import fragment_puzzle

pytestmark = pytest.mark.exact

LATIN = "abcdefghijklmnopqrstuvwxyz'"
# Without noise, so that the word can be told from the report.
OWN = fragment_puzzle("60", "60", (64, 2**16), (64, 2**16), length=10)


def said_about(
    text: str,
    local_words: Any = frozenset(),
    alphabet: Any = LATIN,
    own: SequenceFragmentPuzzle = OWN,
    keep_case: bool = False,
) -> str | None:
    """A record as a device makes it, in a locale with this alphabet, or None."""
    by_locale = {"xx": alphabet, "yy": "q"}
    words = UseCase("words", "Words", 1, None, own, "word", ("xx", "yy"), keep_case, by_locale)
    element = words.element(text, "xx", local_words)
    return None if element is None else own.privatize(element)


def is_about(line: str, element: str, own: SequenceFragmentPuzzle = OWN) -> bool:
    """Whether the report is one that a padded word makes."""
    (record,) = own.parse_records([line]).streams["element"]
    row = int(record["row"])
    bucket = own.words.family.bucket(element, row, own.words.m)
    return [*record["bits"].nonzero()[0]] == [bucket >> 3] and record["bits"].max() == 0x80 >> (bucket & 7)


@pytest.mark.parametrize(
    ("text", "options", "element"),
    [
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
    ],
)
def test_what_is_reported(text: str, options: dict[str, Any], element: str) -> None:
    line = said_about(text, **options)
    assert line is not None
    assert is_about(line, element)
    assert not is_about(line, "another___")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("_", {}),
        ("a_b", {}),
        ("wyd_", {}),
        ("a_b", {"alphabet": LATIN + "_"}),
        ("two words", {}),
        ("na\u00efve", {}),
        ("cafe\u0301", {}),
        ("WYD", {"keep_case": True}),
        ("a1", {}),
        ("\ud800", {"alphabet": {"\ud800"}}),
        ("wyd\n", {}),
        # Behind the cut, too: what is cut off must not be there either.
        ("abcdefghij_", {}),
        ("abcdefghij1", {}),
        ("hello", {"local_words": {"hello"}}),
        ("HELLO", {"local_words": {"hello"}}),
        ("supercalifragilistic", {"local_words": {"supercalifragilistic"}}),
        ("Berlin", {"keep_case": True, "alphabet": "Belinr", "local_words": {"Berlin"}}),
    ],
)
def test_what_is_not_reported(text: str, options: dict[str, Any]) -> None:
    assert said_about(text, **options) is None


def test_a_dictionary_with_capitals_and_accents_is_compared_as_words_are() -> None:
    local_words = frozenset(fold_word(word, keep_case=False) for word in ("Berlin", "E\u0301tat"))
    alphabet = LATIN + "\u00e9"
    for text in ("berlin", "BERLIN", "\u00e9tat", "E\u0301TAT", "\u00c9tat"):
        assert said_about(text, local_words, alphabet) is None
    assert said_about("etat", local_words, alphabet) is not None


@pytest.mark.parametrize(("length", "element"), [(2, "ma"), (4, "mayw"), (16, "mayweather______")])
def test_words_are_as_long_as_the_version_says(length: int, element: str) -> None:
    own = fragment_puzzle("60", "60", (64, 2**16), (64, 2**16), length=length)
    line = said_about("Mayweather", own=own)
    assert line is not None
    assert is_about(line, element, own)


def test_each_report_is_drawn_anew() -> None:
    assert len({said_about("wyd") for _ in range(50)}) > 20


def test_the_word_is_not_in_the_message_of_an_error() -> None:
    with pytest.raises(ParameterError) as caught:
        OWN.privatize("secretword!")
    assert "secret" not in str(caught.value)
