"""Known words, and discovered ones that lack the last letter of one."""

import unicodedata
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from reports import words as package
from reports.words import Decided, decide, known_words, longer_word
from tests.reports.found_words import LETTERS, define_search, find

pytestmark = pytest.mark.exact

COMMON = Path(str(package.__file__)).parent / "common"
NONE_KNOWN: frozenset[str] = frozenset()


@pytest.mark.parametrize("language", ["en", "fr", "es"])
def test_the_common_words_are_words_in_order(language: str) -> None:
    words = (COMMON / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    assert len(words) == 3000
    assert words == sorted(set(words))
    assert all(word == unicodedata.normalize("NFC", word.lower()) for word in words)
    assert all(character.isalpha() or character == "'" for word in words for character in word)
    assert all(sum(character.isalpha() for character in word) >= 2 for word in words)


def test_the_files_say_where_they_come_from() -> None:
    notice = (COMMON / "README.md").read_text(encoding="utf-8")
    assert "wordfreq 3.1.1 (data CC BY-SA 4.0" in notice


@pytest.mark.parametrize(
    ("word", "longer"),
    [("lov", "love"), ("th", "the"), ("kno", "know"), ("love", ""), ("xq", ""), ("", "")],
)
@pytest.mark.django_db
def test_slips_are_seen_among_common_words(word: str, longer: str) -> None:
    known = known_words(define_search().use_case, "en_US")
    assert longer_word(word, LETTERS, known) == longer


@pytest.mark.parametrize(
    ("word", "known", "longer"),
    [
        ("pic", {"pica", "picks", "pics"}, "pica"),  # the first of those with one letter more
        ("pic", {"picks", "spic", "pi"}, ""),
        ("pic", {"pic", "pics"}, ""),  # known itself
        ("Pic", {"pics"}, "pics"),
        ("PIC", {"pic", "pics"}, ""),
        ("pic", {"pic'"}, ""),  # no letter is missing
        ("pic", {"picñ"}, ""),  # no letter of the alphabet
        ("isn'", {"isn't"}, "isn't"),
        ("cafe\u0301", {"cafés"}, "cafés"),  # in two code points
    ],
)
def test_exactly_one_letter_is_missing(word: str, known: set[str], longer: str) -> None:
    assert longer_word(word, LETTERS, known) == longer


def test_alphabets_in_capitals_and_none_at_all() -> None:
    assert longer_word("pic", "S", {"pics"}) == "pics"
    assert longer_word("pic", None, {"picñ"}) == "picñ"
    assert longer_word("pic", LETTERS, NONE_KNOWN) == ""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("locale", "word"), [("en", "love"), ("en_US", "love"), ("fr_CA", "été"), ("es", "señor"), ("es_419", "qué")]
)
def test_a_locale_has_the_common_words_of_its_language(locale: str, word: str) -> None:
    assert word in known_words(define_search().use_case, locale)


@pytest.mark.django_db
@pytest.mark.parametrize("locale", ["de_DE", "und", "../en", ""])
def test_of_other_languages_we_know_none(locale: str) -> None:
    assert known_words(define_search().use_case, locale) == NONE_KNOWN


@pytest.mark.django_db
def test_accepted_words_are_known(alice: User) -> None:
    version = define_search()
    find(version, ["Bruh", "skibid"])
    find(version, ["wesh"], locale="fr_FR")
    decide(alice, version.use_case, "en_US", [Decided("Bruh", "accepted", "slang"), Decided("skibid", "foreign")])
    decide(alice, version.use_case, "fr_FR", [Decided("wesh", "accepted", "slang")])
    known = known_words(version.use_case, "en_US")
    assert longer_word("bru", LETTERS, known) == "bruh"
    assert "wesh" not in known
    assert longer_word("skibi", LETTERS, known) == ""
