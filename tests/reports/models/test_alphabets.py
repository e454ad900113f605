"""Characters that the alphabet of words may have: told by the character."""

import unicodedata
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from aggregation.normalization import normalize
from reports.models import Version
from reports.models.alphabets import alphabet_problems
from tests.reports.small_fleet import words_definition

pytestmark = pytest.mark.exact

SETTINGS = ("algorithm", "parameters", "normalization", "alphabet", "locales")
DISCOVERING = {name: value for name, value in words_definition().items() if name in SETTINGS}
COUNTING = {"algorithm": "CountMeanSketch", "parameters": {"epsilon": 4, "k": 64, "m": 64}}


def problems(**changes: Any) -> list[str]:
    """Return the errors of a draft that finds its words, by field."""
    draft = Version(**DISCOVERING | changes)
    try:
        draft.full_clean(exclude=["use_case", "number"], validate_constraints=False)
    except ValidationError as error:
        return [f"{field}: {message}" for field, messages in error.message_dict.items() for message in messages]
    return []


# An alphabet that is wrong in one way → what must be said of it.
REFUSED: dict[str, tuple[object, list[str]]] = {
    "pad": ("a_b", ["“_” (U+005F)", "filled up", "remove it"]),
    "twice": ("abca", ["“a” (U+0061)", "once", "remove the others"]),
    "capital letter": ("Bb", ["“B” (U+0042)", "lower case", "write the small ones", "keep_case"]),
    "capital letter of two characters": ("abİ", ["“İ” (U+0130)", "lower case"]),
    "letter and its mark": ("abe\u0301", ["“◌\u0301” (U+0301)", "é", "U+00E9"]),
    "mark first": ("\u0301a", ["(U+0301)", "marks that combine"]),
    "mark alone": ("\u0301", ["(U+0301)", "marks that combine"]),
    "mark that encloses": ("a\u20dd", ["(U+20DD)", "marks"]),
    "vowel sign": ("\u0915\u093e", ["(U+093E)", "marks"]),
    "character that is written otherwise": ("a\u212a", ["(U+212A)", "devices write it as “k” (U+006B)"]),
    "character that is written as two": (
        "\u0958",
        ["(U+0958)", "devices write it as “क” (U+0915), “◌\u093c” (U+093C)"],
    ),
    "characters that combine": ("\u1100\u1161", ["“\u1100” (U+1100), “\u1161” (U+1161)", "“가” (U+AC00)"]),
    "syllable and final": ("가\u11a8", ["“가” (U+AC00), “\u11a8” (U+11A8)", "“각” (U+AC01)"]),
    "space": ("a b", ["It holds U+0020:", "white space", "remove it"]),
    "no-break space": ("a\u00a0b", ["It holds U+00A0:", "white space"]),
    "line separator": ("\u2028", ["It holds U+2028:", "white space"]),
    "line end": ("a\nb", ["It holds U+000A:", "white space"]),
    "control character": ("a\x07", ["It holds U+0007:", "control"]),
    "NUL": ("a\0", ["It holds U+0000:", "control"]),
    "joiner": ("a\u200d", ["It holds U+200D:", "format"]),
    "order of writing": ("a\u202e", ["It holds U+202E:", "format"]),
    "half a surrogate pair": ("a\ud83d", ["It holds U+D83D:", "surrogate", "remove it"]),
    "number without a character": ("a\u0378", ["It holds U+0378:", "no character is assigned"]),
    "too many": ("".join(map(chr, range(0x4E00, 0x4E41))), ["65 characters", "64", "leave out the rarest"]),
    "empty": ("", ["empty", "write the characters"]),
    "number": (7, ["must be a text, or an object with a text for each locale"]),
    "false": (False, ["must be a text, or an object with a text for each locale"]),
    "list": (["a", "b"], ["must be a text, or an object with a text for each locale"]),
    "missing": (None, ["must be there", "one text or in one for each locale"]),
}


@pytest.mark.parametrize(("alphabet", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_for_all_locales_or_for_one(alphabet: object, words: list[str]) -> None:
    (problem,) = problems(alphabet=alphabet)
    assert problem.startswith("alphabet: It ")
    assert all(word in problem for word in words), problem
    problem.encode()  # can be written wherever it is shown
    for locale in ("fr_FR", "de_DE") if isinstance(alphabet, str) else ():  # which is not declared yet
        (problem,) = problems(alphabet={"en_US": "ab", "fr_FR": "cd", locale: alphabet})
        assert problem.startswith(f"alphabet: For {locale}, it ")
        assert all(word.removeprefix("It ") in problem for word in words), problem


@pytest.mark.parametrize(
    ("alphabet", "words"),
    [
        ({"en_US": "ab"}, ["There is none for fr_FR", "or leave the locale out"]),
        ({"fr_FR": "ab", "de_DE": "ab"}, ["There is none for en_US"]),
        ({"en_US": "ab", "fr_FR": None}, ["must be a text, or an object"]),
        ({"en_US": "ab", "fr_FR": "ab", "de-DE": "ab"}, ["'de-DE' has not the form of a locale"]),
        ({"en_US": "ab", "fr_FR": "ab", "": "ab"}, ["'' has not the form of a locale"]),
    ],
)
def test_every_locale_needs_one(alphabet: object, words: list[str]) -> None:
    (problem,) = problems(alphabet=alphabet)
    assert problem.startswith("alphabet: ")
    assert all(word in problem for word in words), problem


def test_all_that_is_wrong_is_said_once() -> None:
    found = problems(alphabet={"en_US": "ABCDEFGHab a", "de_DE": "_"}, locales=["en_US", "fr_FR", "EN"])
    assert [problem.split(",")[0] for problem in found] == [
        "locales: 'EN' has not the form of a locale; write it as en_US",
        "alphabet: For en_US",
        "alphabet: For en_US",
        "alphabet: For en_US",
        "alphabet: For de_DE",
        "alphabet: There is none for fr_FR; write the characters that its words may have",
    ]
    assert "“E” (U+0045) and 3 more: devices write words in lower case" in found[1]


@pytest.mark.parametrize(
    "alphabet",
    [
        "a",
        "".join(map(chr, range(0x4E00, 0x4E40))),
        "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
        "<>\"'&=+-@:;/\\`{}()%$#0123456789",
        "가각힣\u1100",
        "😂🚀",
        {"en_US": "ab", "fr_FR": "ab"},
        {"en_US": "ab", "fr_FR": "ab", "de_DE": "äöü"},  # frozen, and locales come and go
    ],
)
def test_taken(alphabet: object) -> None:
    assert problems(alphabet=alphabet) == []


def test_capital_letters_are_taken_where_case_is_kept() -> None:
    assert problems(alphabet="AaB", keep_case=True) == []


@pytest.mark.parametrize("alphabet", ["àâæçéèêëîïôœùûüÿßıς", "אבגדה", "<>\"'&=+-@:;", "가각힣\u1100"])
def test_devices_report_words_of_what_is_taken(alphabet: str) -> None:
    """Every two characters in a word of their own, however they stand: none is changed on the way."""
    for first in alphabet:
        for second in alphabet:
            assert normalize("word", first + second, alphabet=alphabet, length=2) == first + second


def test_nothing_else_combines_where_it_meets() -> None:
    """The check looks for Hangul alone, because all other characters that combine are marks."""
    composing = {pair for pair in map(canonical_pair, map(chr, range(0x110000))) if pair is not None}
    assert len(composing) > 900
    assert [pair for pair in composing if may_be_in_a_word(pair[1])] == []


def canonical_pair(character: str) -> str | None:
    """The two that a character is composed of; syllables of Hangul, which are composed by a formula, have none here."""
    numbers = unicodedata.decomposition(character).split()
    return "".join(chr(int(number, 16)) for number in numbers) if len(numbers) == 2 and "<" not in numbers[0] else None


def may_be_in_a_word(character: str) -> bool:
    return not [*alphabet_problems(Version(alphabet=character, normalization="word", keep_case=True))]


@pytest.mark.parametrize("alphabet", [None, {}, {"en_US": "abc"}, "".join(map(chr, range(0x4E00, 0x5E00)))])
def test_words_of_a_dictionary_may_go_without(alphabet: object) -> None:
    assert problems(**COUNTING, alphabet=alphabet) == []


def test_the_characters_of_those_are_held_to_the_same_rules() -> None:
    alphabet, words = REFUSED["letter and its mark"]
    (problem,) = problems(**COUNTING, alphabet={"en_US": "ab", "fr_FR": alphabet})
    assert all(word in problem for word in words), problem


@pytest.mark.parametrize("alphabet", ["\ud83d", {"en_US": "a\0"}, {"\ud83d": "a"}])
def test_what_is_not_read_must_only_be_text(alphabet: object) -> None:
    (problem,) = problems(**COUNTING, normalization="raw", alphabet=alphabet)
    assert "NUL or half a surrogate pair" in problem
    assert problems(**COUNTING, normalization="raw", alphabet={"en_US": " aA_"}) == []


def test_elements_that_are_found_are_words() -> None:
    assert problems(normalization="raw") == [
        "normalization: It must be word, because words are put together from letters."
    ]
