"""Use cases that discover words: defined, changed, versioned and written back."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from reports.definitions import (
    Entry,
    activate,
    change_draft,
    change_locales,
    create_draft,
    draft_from,
    revise_dictionary,
)
from reports.kinds import DISCOVERY, kind_of
from reports.models import DictionaryRevision, UseCase, Version
from tests.reports.factories import apply, definition
from tests.reports.small_fleet import ALPHABETS, define_words, words_definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

SEEDLESS = {name: value for name, value in words_definition()["parameters"].items() if name != "seed"}
# As the report format gives it.
EXAMPLE = {
    "slug": "new-words",
    "title": "New words",
    "algorithm": "SequenceFragmentPuzzle",
    "normalization": "word",
    "locales": ["en_US"],
    "parameters": {
        "epsilon": 2, "k": 2048, "m": 1024, "fragment_epsilon": 6, "fragment_k": 2048, "fragment_m": 1024, "length": 10,
    },
    "alphabet": {"en_US": "abcdefghijklmnopqrstuvwxyz'"},
    "daily_limit": 2,
}  # fmt: skip


def changes(**changed: Any) -> list[str]:
    (applied,) = apply(words_definition(**changed))
    return applied.changes


def states() -> list[tuple[int, str]]:
    return list(Version.objects.order_by("number").values_list("number", "state"))


def counted(**changed: Any) -> dict[str, Any]:
    """Definition of the use case when it counted a dictionary of words."""
    return definition(slug="words", normalization="word", dictionary=["hello"], **changed)


def draft_settings(**changed: Any) -> dict[str, Any]:
    item = words_definition(**changed)
    return {name: item[name] for name in ("algorithm", "parameters", "normalization", "alphabet", "locales")}


def test_the_example_of_the_format() -> None:
    (applied,) = apply(EXAMPLE)
    assert "version 1 is active" in applied.changes
    version = Version.objects.get()
    assert kind_of(version) is DISCOVERY
    seed = version.parameters["seed"]
    assert version.parameters == {**EXAMPLE["parameters"], "hash": "quadratic-m31-v1", "seed": seed}  # type: ignore[dict-item]
    assert version.element("Wyd", "en_US") == "wyd_______"
    assert version.element("été", "en_US") is None
    assert not DictionaryRevision.objects.exists()
    assert [one.changes for one in apply(EXAMPLE)] == [[]]


# --- What is frozen ---


def test_another_alphabet_makes_a_version_with_another_seed() -> None:
    before, alphabet = define_words(), ALPHABETS | {"de_DE": "äöü"}
    assert changes(alphabet=dict(reversed(ALPHABETS.items())), parameters=SEEDLESS) == []
    with pytest.raises(ValidationError, match=r"Version 1 \(active\) already has these parameters.*leave the seed out"):
        changes(alphabet=alphabet)
    assert states() == [(1, "active")]
    assert changes(alphabet=alphabet, parameters=SEEDLESS) == ["version 2 is active"]
    assert states() == [(1, "superseded"), (2, "active")]
    after = Version.objects.get(number=2)
    assert after.alphabet == alphabet
    assert after.parameters["seed"] != before.parameters["seed"]
    assert changes(alphabet=alphabet, parameters=SEEDLESS) == []


def test_a_spare_alphabet_lets_a_locale_in_later() -> None:
    define_words(alphabet=ALPHABETS | {"de_DE": "äöü"})
    said = changes(alphabet=ALPHABETS | {"de_DE": "äöü"}, locales=["en_US", "de_DE"])
    assert said == ["locales changed"]
    assert states() == [(1, "active")]


# --- Locales, which are not frozen ---


def test_a_locale_without_an_alphabet_is_refused_with_a_way_out() -> None:
    version = define_words()
    with pytest.raises(ValidationError) as caught:
        change_locales(version, ["en_US", "de_DE", "fr_FR", "ar"])
    (problem,) = caught.value.messages
    assert "no alphabet for de_DE, ar" in problem
    assert "make a new version" in problem
    assert Version.objects.get().locales == ["en_US", "fr_FR"]
    assert change_locales(version, ["fr_FR"]).locales == ["fr_FR"]
    assert change_locales(version, ["fr_FR", "en_US"]).locales == ["fr_FR", "en_US"]


def test_one_alphabet_for_all_takes_every_locale_and_no_dictionary() -> None:
    version = define_words(alphabet="abc")
    with pytest.raises(ValidationError, match="Version 1 finds its words itself and counts no dictionary"):
        revise_dictionary(version, [Entry("hello_____", "hello")])
    assert change_locales(version, ["de_DE", "ar"]).locales == ["de_DE", "ar"]
    assert changes(alphabet="abc", locales=["und"]) == ["locales changed"]


# --- Dictionaries, which there are none of ---


def test_a_dictionary_of_words_is_not_taken_along() -> None:
    """It is normalised alike, but the version that follows has no use for it; and the one after that begins anew."""
    apply(counted(alphabet={"en_US": "abc"}))
    # Words of a dictionary go anywhere.
    assert change_locales(Version.objects.get(), ["de_DE"]).locales == ["de_DE"]
    assert "version 2 is active" in changes()
    assert Version.objects.get(number=2).current_dictionary() is None
    item = counted(parameters={"epsilon": 1, "k": 64, "m": 64})
    del item["dictionary"]
    apply(item)
    assert Version.objects.get(number=3).current_dictionary() is None
    assert DictionaryRevision.objects.get().version.number == 1


def test_a_draft_that_turns_to_discovery_loses_its_dictionary() -> None:
    apply(counted())
    draft = draft_from(Version.objects.get())
    assert draft.current_dictionary() is not None
    changed = change_draft(draft, **draft_settings(parameters=SEEDLESS))
    assert changed.current_dictionary() is None
    assert kind_of(changed) is DISCOVERY


def test_a_complete_dictionary_and_discovery_exclude_each_other() -> None:
    apply(counted(dictionary_complete=True))
    use_case = UseCase.objects.get()
    draft = create_draft(use_case, **draft_settings())
    with pytest.raises(ValidationError, match="words are found without a dictionary"):
        activate(draft)
    assert states() == [(1, "active"), (2, "draft")]
    UseCase.objects.update(dictionary_complete=False)
    assert activate(draft).state == "active"


# --- Step by step, and back ---
