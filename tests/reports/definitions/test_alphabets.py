"""Which characters the alphabet of words may have: told by the character, in files and step by step."""

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aggregation.normalization import normalize
from reports.definitions import DefinitionError, change_draft, create_draft
from reports.definitions.alphabets import alphabet_problems
from reports.definitions.file import check_definitions
from reports.models import UseCase
from tests.reports.factories import definition
from tests.reports.small_fleet import words_definition

pytestmark = pytest.mark.exact

Doors = Callable[..., list[str]]
_DRAFTED = ("algorithm", "parameters", "normalization", "keep_case", "alphabet", "locales")


def in_a_file(item: dict[str, Any]) -> list[str]:
    try:
        check_definitions([item], Path())
    except DefinitionError as error:
        return [problem.removeprefix("use case 'words': ") for problem in error.problems]
    return []


def settings(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in _DRAFTED if name in item}


def in_a_new_draft(item: dict[str, Any]) -> list[str]:
    use_case = UseCase.objects.create(slug="words", title="New words")
    try:
        create_draft(use_case, **settings(item))
    except DefinitionError as error:
        assert not use_case.versions.exists()
        return error.problems
    return []


def in_a_changed_draft(item: dict[str, Any]) -> list[str]:
    use_case = UseCase.objects.create(slug="words", title="New words")
    draft = create_draft(use_case, **settings(words_definition()))
    before = use_case.versions.values().get()
    try:
        change_draft(draft, **settings(item))
    except DefinitionError as error:
        assert use_case.versions.values().get() == before
        return error.problems
    return []


DOORS = pytest.mark.parametrize("door", [in_a_file, in_a_new_draft, in_a_changed_draft])

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
    "space": ("a b", ["it holds U+0020:", "white space", "remove it"]),
    "no-break space": ("a\u00a0b", ["it holds U+00A0:", "white space"]),
    "line separator": ("\u2028", ["it holds U+2028:", "white space"]),
    "line end": ("a\nb", ["it holds U+000A:", "white space"]),
    "control character": ("a\x07", ["it holds U+0007:", "control"]),
    "NUL": ("a\0", ["it holds U+0000:", "control"]),
    "joiner": ("a\u200d", ["it holds U+200D:", "format"]),
    "order of writing": ("a\u202e", ["it holds U+202E:", "format"]),
    "half a surrogate pair": ("a\ud83d", ["it holds U+D83D:", "surrogate", "remove it"]),
    "number without a character": ("a\u0378", ["it holds U+0378:", "no character is assigned"]),
    "too many": ("".join(map(chr, range(0x4E00, 0x4E41))), ["65 characters", "64", "leave out the rarest"]),
    "empty": ("", ["empty", "write the characters"]),
    "number": (7, ["must be a text, or an object with a text for each locale"]),
    "false": (False, ["must be a text, or an object with a text for each locale"]),
    "list": (["a", "b"], ["must be a text, or an object with a text for each locale"]),
    "missing": (None, ["must be there", "one text or in one for each locale"]),
}


def assert_refused(door: Doors, name: str, *locales: str) -> None:
    """Of one locale after the other, or of none, which is of all."""
    alphabet, words = REFUSED[name]
    for locale in locales or [""]:
        of_locales = {"en_US": "ab", "fr_FR": "cd", locale: alphabet} if locale else alphabet
        (problem,) = door(words_definition(alphabet=of_locales))
        assert problem.startswith(f"alphabet: for {locale}, it " if locale else "alphabet: it "), (name, problem)
        assert all(word in problem for word in words), (name, problem)
        problem.encode()  # can be written wherever it is shown


def test_refused_in_a_file() -> None:
    """For all locales and for one, wherever it stands, and also if the version does not declare the locale yet."""
    for name, (alphabet, _words) in REFUSED.items():
        assert_refused(in_a_file, name)
        if isinstance(alphabet, str):
            assert_refused(in_a_file, name, "en_US", "fr_FR", "de_DE")


# One of each kind of what is said; all of it is said by what files ask as well.
@pytest.mark.parametrize("door", [in_a_new_draft, in_a_changed_draft])
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "locale"),
    [
        *((name, "") for name in ("pad", "half a surrogate pair", "empty", "number", "missing")),
        *((name, "en_US") for name in ("twice", "characters that combine", "NUL")),
        *((name, "de_DE") for name in ("capital letter", "too many")),
    ],
)
def test_refused_in_a_draft(door: Doors, name: str, locale: str) -> None:
    assert_refused(door, name, *([locale] if locale else []))


@DOORS
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("alphabet", "words"),
    [
        ({"en_US": "ab"}, ["there is none for fr_FR", "or leave the locale out"]),
        ({"fr_FR": "ab", "de_DE": "ab"}, ["there is none for en_US"]),
        ({"en_US": "ab", "fr_FR": 5}, ["must be a text, or an object"]),
        ({"en_US": "ab", "fr_FR": None}, ["must be a text, or an object"]),
        ({"en_US": "ab", "fr_FR": "ab", "de-DE": "ab"}, ["'de-DE' has not the form of a locale"]),
        ({"en_US": "ab", "fr_FR": "ab", "": "ab"}, ["'' has not the form of a locale"]),
    ],
    ids=["none for the second", "none for the first", "number", "null", "other form", "no name"],
)
def test_every_locale_needs_one(door: Doors, alphabet: object, words: list[str]) -> None:
    (problem,) = door(words_definition(alphabet=alphabet))
    assert problem.startswith("alphabet: ")
    assert all(word in problem for word in words), problem


@DOORS
@pytest.mark.django_db
def test_all_that_is_wrong_is_said_once(door: Doors) -> None:
    problems = door(words_definition(alphabet={"en_US": "ABCDEFGHab a", "de_DE": "_"}))
    assert [problem.split(":")[1].strip().split(",")[0] for problem in problems] == [
        "for en_US",
        "for en_US",
        "for en_US",
        "for de_DE",
        "there is none for fr_FR; write the characters that its words may have",
    ]
    assert "“E” (U+0045) and 3 more: devices write words in lower case" in problems[0]


@DOORS
@pytest.mark.django_db
@pytest.mark.parametrize(
    "changes",
    [
        {"alphabet": "a"},
        {"alphabet": "".join(map(chr, range(0x4E00, 0x4E40)))},
        {"alphabet": "abcdefghijklmnopqrstuvwxyz'"},
        {"alphabet": "àâæçéèêëîïôœùûüÿßıς"},
        {"alphabet": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"},
        {"alphabet": "אבגדה"},
        {"alphabet": "<>\"'&=+-@:;/\\`{}()%$#"},
        {"alphabet": "0123456789"},
        {"alphabet": "가각힣\u1100"},
        {"alphabet": "😂🚀"},
        {"alphabet": "AaB", "keep_case": True},
        {"alphabet": {"en_US": "ab", "fr_FR": "ab"}},
        {"alphabet": {"en_US": "ab", "fr_FR": "ab", "de_DE": "äöü"}},
    ],
)
def test_taken(door: Doors, changes: dict[str, Any]) -> None:
    """A locale that is not declared yet may have one: it is frozen, and locales come and go."""
    assert door(words_definition(**changes)) == []


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
    found = alphabet_problems(character, [], algorithm="CountMeanSketch", normalization="word", keep_case=True)
    return not list(found)


# --- Of versions that count a dictionary ---


def counted(**changes: Any) -> dict[str, Any]:
    return definition(slug="words", normalization="word", dictionary=["hello"], **changes)


@DOORS
@pytest.mark.django_db
@pytest.mark.parametrize(
    "alphabet", [None, {}, {"en_US": "abc"}, "abc", {"ar": "ا"}, "".join(map(chr, range(0x4E00, 0x5E00)))]
)
def test_words_of_a_dictionary_may_go_without(door: Doors, alphabet: object) -> None:
    assert door(counted(alphabet=alphabet)) == []


@DOORS
@pytest.mark.django_db
@pytest.mark.parametrize("name", ["pad", "twice", "capital letter", "letter and its mark", "space", "NUL", "empty"])
def test_the_characters_are_held_to_the_same_rules(door: Doors, name: str) -> None:
    alphabet, words = REFUSED[name]
    (problem,) = door(counted(alphabet={"en_US": "ab", "fr_FR": alphabet}))
    assert all(word in problem for word in words), problem


@DOORS
@pytest.mark.django_db
@pytest.mark.parametrize("alphabet", ["\ud83d", {"en_US": "a\0"}, {"\ud83d": "a"}])
def test_what_is_not_read_must_only_be_text(door: Doors, alphabet: object) -> None:
    (problem,) = door(definition(slug="words", normalization="raw", alphabet=alphabet))
    assert "NUL or half a surrogate pair" in problem


@DOORS
@pytest.mark.django_db
def test_what_is_not_read_may_be_any_text(door: Doors) -> None:
    assert door(definition(slug="words", normalization="raw", alphabet={"en_US": " aA_"})) == []


# --- What else a version that discovers words must be ---


@DOORS
@pytest.mark.django_db
@pytest.mark.parametrize("profile", ["emoji", "domain", "raw"])
def test_elements_are_words(door: Doors, profile: str) -> None:
    (problem,) = door(words_definition(normalization=profile))
    assert problem == "normalization: it must be word, because SequenceFragmentPuzzle puts words together"


@pytest.mark.parametrize("dictionary", [["hello"], [], None, {"file": "words.txt"}])
def test_a_file_names_no_dictionary_for_it(dictionary: object) -> None:
    (problem,) = in_a_file(words_definition() | {"dictionary": dictionary})
    assert problem == (
        "dictionary: SequenceFragmentPuzzle finds its elements itself, and counts no dictionary; remove it"
    )


def test_nor_says_that_it_is_complete() -> None:
    (problem,) = in_a_file(words_definition(dictionary_complete=True))
    assert problem.startswith("dictionary_complete: SequenceFragmentPuzzle finds its elements itself")
    assert in_a_file(words_definition(dictionary_complete=False)) == []
