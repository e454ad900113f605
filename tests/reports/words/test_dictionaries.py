"""Named dictionaries: what is accepted into them now."""

import pytest
from django.contrib.auth.models import User

from reports.models import Version
from reports.words import Decided, NamedDictionary, accepted_words, decide, named_dictionaries
from tests.reports.found_words import define_search, find
from tests.reports.words.published import HOSTILE
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def version(db: None) -> Version:
    version = define_search()
    find(version, ["zut", "bruh", "été", *HOSTILE])
    find(version, ["bruh", "wesh"], locale="fr_FR")
    return version


def accept(person: User, version: Version, locale: str, dictionary: str, *words: str) -> None:
    decide(person, version.use_case, locale, [Decided(word, "accepted", dictionary) for word in words])


def test_a_dictionary_has_a_part_for_each_locale(alice: User, version: Version) -> None:
    accept(alice, version, "en_US", "slang", "zut", "bruh", "été", *HOSTILE)
    accept(alice, version, "fr_FR", "slang", "bruh", "wesh")
    use_case = version.use_case
    assert named_dictionaries(use_case) == [NamedDictionary("slang", "en_US", 8), NamedDictionary("slang", "fr_FR", 2)]
    assert accepted_words(use_case, "slang", "fr_FR") == ["bruh", "wesh"]
    assert accepted_words(use_case, "slang") == sorted(["zut", "bruh", "été", "wesh", *HOSTILE])


def test_only_what_holds_counts(alice: User, version: Version) -> None:
    accept(alice, version, "en_US", "slang", "zut", "bruh")
    accept(alice, version, "en_US", "other", "zut")
    decide(alice, version.use_case, "en_US", [Decided("bruh", "rejected")])
    assert named_dictionaries(version.use_case) == [NamedDictionary("other", "en_US", 1)]
    assert accepted_words(version.use_case, "slang") == []
    accept(alice, version, "en_US", "slang", "bruh")
    assert accepted_words(version.use_case, "slang", "en_US") == ["bruh"]


def test_use_cases_have_their_own(alice: User, version: Version) -> None:
    accept(alice, version, "en_US", "slang", "zut")
    other = define_search(slug="more-words", title="More")
    assert named_dictionaries(other.use_case) == []
    assert accepted_words(other.use_case, "slang") == []
    assert accepted_words(version.use_case, "Slang") == []
    assert accepted_words(version.use_case, "slang", "de") == []
