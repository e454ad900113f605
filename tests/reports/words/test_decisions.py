"""Decisions about words: who may make them, which are kept, and what happens when two people sort at once."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from pytest_django import Settings

from reports.models import ApiToken, Export, UseCase, Version, WordDecision
from reports.words import Decided, DecisionsRefused, decide, newest_decisions
from tests.conftest import make_user
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, define, send
from tests.reports.threads import together
from tests.reports.words.published import HOSTILE, find_instead
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
@once
def version(db: None) -> Version:
    version = define_search()
    find(version, ["lmao", "bruh", "lov", "naïve", *HOSTILE])
    return version


def accepted(word: str, dictionary: str = "slang", **more: Any) -> Decided:
    return Decided(word, "accepted", dictionary, **more)


def rejected(word: str, **more: Any) -> Decided:
    return Decided(word, "rejected", **more)


def sort(person: Any, version: Version, *decided: Decided, locale: str = "en_US") -> list[str]:
    """Words that were stored."""
    return [decision.word for decision in decide(person, version.use_case, locale, decided).stored]


def test_a_rejected_word_is_exported_no_more_at_once(
    version: Version, alice: User, settings: Settings, django_capture_on_commit_callbacks: Any
) -> None:
    settings.LDPSITE_EXPORT_TO = "/results/"
    with django_capture_on_commit_callbacks(execute=True):
        sort(alice, version, rejected("lmao"))
    assert Export.objects.unfinished().get().address == "/results/"


def holding(version: Version, locale: str = "en_US") -> dict[str, str]:
    return {word: each.verdict for word, each in newest_decisions(version.use_case, locale).items()}


def refused(person: User, version: Version, decided: Decided, locale: str = "en_US") -> list[tuple[str, str]]:
    with pytest.raises(DecisionsRefused) as caught:
        decide(person, version.use_case, locale, [Decided("lmao", "foreign"), decided])
    assert not WordDecision.objects.exists()  # nor the other one
    return [(problem.word, problem.field) for problem in caught.value.problems]


def test_the_newest_counts_and_the_others_stay(alice: User, version: Version) -> None:
    sort(alice, version, accepted("lmao"), rejected("bruh", note="a name"))
    sort(alice, version, Decided("lmao", "foreign"))
    sort(alice, version, Decided("bruh", "undecided"))
    assert holding(version) == {"lmao": "foreign", "bruh": "undecided"}
    history = WordDecision.objects.filter(word="lmao").values_list("verdict", "dictionary", "decided_by")
    assert list(history) == [("foreign", "", alice.pk), ("accepted", "slang", alice.pk)]


def test_what_holds_already_is_not_stored_again(alice: User, version: Version) -> None:
    assert sort(alice, version, Decided("lmao", "undecided")) == []
    assert sort(alice, version, accepted("lmao"), rejected("bruh")) == ["lmao", "bruh"]
    assert sort(alice, version, accepted("lmao"), rejected("bruh", note="why not")) == ["bruh"]
    assert sort(alice, version, accepted("lmao", "laughter")) == ["lmao"]
    assert WordDecision.objects.count() == 4


def test_locales_and_use_cases_are_sorted_by_themselves(alice: User, version: Version) -> None:
    other = define_search(slug="more-words", title="More")
    for each, locale in ((version, "fr_FR"), (other, "en_US")):
        find(each, ["lmao"], locale=locale)
    sort(alice, version, rejected("lmao"))
    assert (holding(version), holding(version, "fr_FR"), holding(other)) == ({"lmao": "rejected"}, {}, {})


@pytest.mark.parametrize("word", HOSTILE)
def test_any_published_word_is_a_text(alice: User, version: Version, word: str) -> None:
    assert sort(alice, version, accepted(word, note=word)) == [word]
    assert newest_decisions(version.use_case, "en_US")[word].note == word


@pytest.mark.parametrize(
    ("decided", "field"),
    [
        (Decided("", "rejected"), "word"),
        (Decided("bruh______", "rejected"), "word"),
        (Decided("x" * 17, "rejected"), "word"),
        (Decided("br\0uh", "rejected"), "word"),
        (Decided("br\ud800uh", "rejected"), "word"),
        (Decided("bruh", "perhaps"), "verdict"),
        (Decided("bruh", ""), "verdict"),
        (Decided("bruh", "accepted"), "dictionary"),
        (Decided("bruh", "accepted", "two words"), "dictionary"),
        (Decided("bruh", "accepted", "../slang"), "dictionary"),
        (Decided("bruh", "accepted", "x" * 81), "dictionary"),
        (Decided("bruh", "rejected", "slang"), "dictionary"),
        (Decided("bruh", "rejected", kind="seasonal"), "kind"),
        (Decided("bruh", "accepted", "slang", kind="nice"), "kind"),
        (Decided("bruh", "rejected", note="x" * 501), "note"),
        (Decided("bruh", "rejected", note="\0"), "note"),
        (Decided("bruh", "rejected", note="\udc00"), "note"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_stored(
    alice: User, version: Version, decided: Decided, field: str
) -> None:
    assert refused(alice, version, decided) == [(decided.word, field)]


def test_the_longest_that_may_be(alice: User, version: Version) -> None:
    assert sort(alice, version, accepted("bruh", "x" * 80, note="ÿ" * 500)) == ["bruh"]


def test_only_what_is_published_here_can_be_sorted(alice: User, version: Version) -> None:
    find(version, ["bonjour"], locale="fr_FR")
    find(define_search(slug="more-words", title="More"), ["elsewh"])
    for word in ("unknown", "bonjour", "elsewh"):
        assert refused(alice, version, rejected(word)) == [(word, "word")]
    assert refused(alice, version, rejected("bruh"), locale="de") == [("lmao", "word"), ("bruh", "word")]


def test_elements_of_a_dictionary_are_no_discovered_words(alice: User) -> None:
    version = define()
    send(version, 300)
    aggregate(version)
    assert version.histograms.get(locale="en_US").entries.find("apple")
    with pytest.raises(DecisionsRefused):
        sort(alice, version, rejected("apple"), locale="en_US")


def test_what_is_sorted_stays_sortable_when_its_histogram_is_replaced(alice: User, version: Version) -> None:
    sort(alice, version, rejected("bruh"))
    find_instead(version, "lmao")
    assert sort(alice, version, Decided("bruh", "foreign")) == ["bruh"]
    with pytest.raises(DecisionsRefused):
        sort(alice, version, rejected("lov"))


def test_who_may_sort(alice: User, bob: User, charlie: User, admin_user: User, version: Version) -> None:
    gardener = make_user("gardener", "gardeners")
    token, _secret = ApiToken.create("collector", may_ingest=True)
    for person in (bob, charlie, gardener, token, AnonymousUser()):
        with pytest.raises(PermissionDenied):
            sort(person, version, rejected("bruh"))
    assert holding(version) == {}
    assert sort(admin_user, version, rejected("bruh")) == ["bruh"]


def test_what_was_decided_since_is_not_replaced_unseen(alice: User, admin_user: User, version: Version) -> None:
    use_case = version.use_case
    outcome = decide(alice, use_case, "en_US", [accepted("lmao", seen=0), rejected("bruh", seen=0)])
    shown = {decision.word: decision.pk for decision in outcome.stored}
    assert None not in shown.values()
    sort(admin_user, version, Decided("lmao", "foreign"))
    later = decide(
        alice, use_case, "en_US", [rejected("lmao", seen=shown["lmao"]), Decided("bruh", "foreign", seen=shown["bruh"])]
    )
    assert [decision.word for decision in later.stored] == ["bruh"]
    assert {word: each.decided_by for word, each in later.overtaken_by.items()} == {"lmao": admin_user}
    assert holding(version) == {"lmao": "foreign", "bruh": "foreign"}
    seen = later.overtaken_by["lmao"].pk
    assert decide(alice, use_case, "en_US", [rejected("lmao", seen=seen)]).overtaken_by == {}
    assert holding(version)["lmao"] == "rejected"


def test_who_decides_the_same_is_not_overtaken(alice: User, admin_user: User, version: Version) -> None:
    sort(admin_user, version, rejected("lmao"))
    outcome = decide(alice, version.use_case, "en_US", [rejected("lmao", seen=0)])
    assert (outcome.stored, outcome.overtaken_by) == ([], {})


@pytest.mark.django_db(transaction=True)
def test_of_those_who_sort_a_word_at_once_one_stores_and_the_others_are_told(alice: User, version: Version) -> None:
    use_case = UseCase.objects.get(pk=version.use_case_id)
    verdicts = iter(["rejected", "truncated", "foreign", "accepted"])

    def sort_it() -> tuple[int, int]:
        verdict = next(verdicts)
        each = Decided("lmao", verdict, "slang" if verdict == "accepted" else "", seen=0)
        outcome = decide(alice, use_case, "en_US", [each])
        return len(outcome.stored), len(outcome.overtaken_by)

    assert sorted(together(4, sort_it)) == [(0, 1), (0, 1), (0, 1), (1, 0)]
    assert WordDecision.objects.count() == 1
