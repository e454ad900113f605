"""The command that writes accepted words for devices."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from reports.models import Version
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.words.published import HOSTILE

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def export(*arguments: str) -> str:
    out = io.StringIO()
    call_command("export_words", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def version(alice: User) -> Version:
    version = define_search()
    for locale, words in (("en_US", ["zut", "bruh", *HOSTILE]), ("fr_FR", ["bruh", "été"])):
        find(version, words, locale=locale)
        decide(alice, version.use_case, locale, [Decided(word, "accepted", "new-words") for word in words])
    return version


def test_one_word_a_line(version: Version) -> None:
    assert export("slang", "--dictionary", "new-words", "--locale", "fr_FR") == "bruh\nété\n"
    expected = sorted({"zut", "bruh", "été", *HOSTILE})
    assert export("slang", "--dictionary", "new-words").splitlines() == expected


def test_what_is_not_there_is_said_with_what_is(version: Version) -> None:
    with pytest.raises(CommandError, match="no use case 'other'"):
        export("other", "--dictionary", "new-words")
    with pytest.raises(CommandError, match=r"into 'x'\. Named dictionaries: new-words \(en_US\), new-words \(fr_FR\)"):
        export("slang", "--dictionary", "x")
    with pytest.raises(CommandError, match="No word of de_DE is accepted"):
        export("slang", "--dictionary", "new-words", "--locale", "de_DE")
    define_search(slug="empty", title="Empty")
    with pytest.raises(CommandError, match="Named dictionaries: none"):
        export("empty", "--dictionary", "x")
