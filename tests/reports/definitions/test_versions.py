"""Versions step by step: drafted, changed, discarded, made active, and then frozen."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from reports.collection.ingest import UploadRefused
from reports.definitions import (
    Entry,
    activate,
    change_draft,
    change_locales,
    create_draft,
    discard_draft,
    draft_from,
    revise_dictionary,
)
from reports.models import DictionaryEntry, UseCase, Version
from tests.reports.factories import SEED, WIRE, apply, definition, make_version, of_records, record_lines, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

OTHER_SEED = "ff" * 16


def rules(**changes: Any) -> dict[str, Any]:
    return {
        "algorithm": "CountMeanSketch",
        "parameters": {"epsilon": 4, "k": 64, "m": 64},
        "normalization": "emoji",
        "locales": ["en_US"],
    } | changes


def use_case() -> UseCase:
    return UseCase.objects.create(slug="new", title="New")


def state(version: Version) -> str:
    return Version.objects.get(pk=version.pk).state


# --- Drafts ---


def test_a_draft_has_what_it_was_given_and_a_seed() -> None:
    draft = create_draft(use_case(), **rules(keep_case=True, alphabet={"en_US": "abc"}, locales=["en_US", "und"]))
    stored = Version.objects.get()
    assert (stored.number, stored.state, stored.locales) == (1, "draft", ["en_US", "und"])
    assert (stored.normalization, stored.keep_case, stored.alphabet) == ("emoji", True, {"en_US": "abc"})
    assert stored.parameters == {**WIRE, "seed": draft.parameters["seed"]}
    other = create_draft(draft.use_case, **rules())
    assert other.number == 2
    assert other.parameters["seed"] != draft.parameters["seed"]


def test_what_is_refused_changes_nothing_and_all_of_it_is_said() -> None:
    draft = create_draft(use_case(), **rules())
    before = list(Version.objects.values())
    wrong = rules(
        parameters={"epsilon": Decimal("3.0005"), "k": 64, "m": 64}, normalization="x", alphabet=5, locales=["en-US"]
    )
    attempts: list[Callable[[], Version]] = [
        lambda: create_draft(draft.use_case, **wrong),
        lambda: change_draft(draft, **wrong),
    ]
    for attempt in attempts:
        with pytest.raises(ValidationError) as caught:
            attempt()
        assert caught.value.message_dict.keys() == {"parameters", "normalization", "alphabet", "locales"}
        assert "multiple of 0.001, not 3.0005; round it" in str(caught.value)
        assert list(Version.objects.values()) == before


def test_parameters_of_another_version_are_refused() -> None:
    present = make_version()
    with pytest.raises(ValidationError, match=r"Version 1 \(active\) already has these parameters"):
        create_draft(present.use_case, **rules(parameters=WIRE))
    draft = create_draft(present.use_case, **rules())
    with pytest.raises(ValidationError, match="Version 1"):
        change_draft(draft, **rules(parameters=WIRE))
    change_draft(draft, **rules(parameters={**WIRE, "seed": OTHER_SEED}))
    # The file may not take a draft's parameters either.
    with pytest.raises(ValidationError, match=r"'keyboard-emoji': parameters: Version 2 \(draft\)"):
        apply(definition(parameters={"epsilon": 4, "k": 64, "m": 64, "seed": OTHER_SEED}))


def test_a_draft_keeps_its_seed_and_dictionary_while_it_is_changed() -> None:
    draft = create_draft(use_case(), **rules(parameters={"epsilon": 4, "k": 64, "m": 64, "seed": SEED}))
    revise_dictionary(draft, [Entry("a", "A")])
    changed = change_draft(draft, **rules(parameters={"epsilon": 2, "k": 128, "m": 64}, locales=["fr_FR"]))
    assert changed.parameters == {**WIRE, "epsilon": 2, "k": 128}
    assert changed.mechanism.divisions == 128
    assert Version.objects.get().parameters == changed.parameters
    assert Version.objects.get().locales == ["fr_FR"]
    assert DictionaryEntry.objects.count() == 1


@pytest.mark.parametrize("change", [{"normalization": "word"}, {"keep_case": True}])
def test_other_rules_of_normalisation_make_the_dictionary_void(change: dict[str, Any]) -> None:
    draft = create_draft(use_case(), **rules())
    revise_dictionary(draft, [Entry("a", "A")])
    change_draft(draft, **rules(**change))
    assert draft.current_dictionary() is None
    with pytest.raises(ValidationError, match="read the dictionary again"):
        revise_dictionary(draft, [Entry("a", "A")])  # was read under the old rules


def test_a_copy_has_another_seed_and_the_same_dictionary() -> None:
    source = make_version(dictionary=["😂", {"element": "❤️", "category": "hearts"}], alphabet="abc", keep_case=True)
    copy = draft_from(source)
    assert (copy.number, copy.state, copy.locales) == (2, "draft", source.locales)
    assert copy.parameters == {**WIRE, "seed": copy.parameters["seed"]}
    assert copy.parameters["seed"] != SEED
    for name in ("algorithm", "normalization", "keep_case", "alphabet"):
        assert getattr(copy, name) == getattr(source, name)
    theirs, own = source.current_dictionary(), copy.current_dictionary()
    assert theirs is not None
    assert own is not None
    assert (own.number, own.size, own.digest) == (1, 2, theirs.digest)
    values = ("position", "element", "display", "category")
    assert list(own.entries.values_list(*values)) == list(theirs.entries.values_list(*values))


def test_discarding_takes_the_dictionary_along() -> None:
    draft = draft_from(make_version())
    discard_draft(draft)
    assert Version.objects.get().number == 1
    assert DictionaryEntry.objects.count() == 3
    with pytest.raises(ValidationError, match="Version 2 no longer exists"):
        discard_draft(draft)
    with pytest.raises(ValidationError, match="no longer exists"):
        activate(draft)


def test_a_draft_accepts_no_reports() -> None:
    present = make_version()
    draft = create_draft(present.use_case, **rules(parameters={**WIRE, "seed": OTHER_SEED}))
    body = of_records(record_lines(3, seed=1), parameters=draft.parameters)
    with pytest.raises(UploadRefused) as caught:
        send(body)
    assert "parameters_mismatch" in str(vars(caught.value))
    activate(draft)
    assert send(body).accepted == 3


# --- Activation ---


def test_activation_instead_of_the_version_that_was_seen() -> None:
    present = make_version()
    second, third = draft_from(present), draft_from(present)
    activate(second, instead_of=1)
    for seen, said in ((1, "1"), (0, "none")):
        with pytest.raises(ValidationError, match=f"the active version is 2, and was {said} when you began"):
            activate(third, instead_of=seen)
    assert state(third) == "draft"
    assert activate(third, instead_of=2).state == "active"


@pytest.mark.parametrize("state", ["active", "superseded", "closed"])
def test_what_has_been_active_is_frozen(state: str) -> None:
    version = make_version()
    Version.objects.update(state=state)
    before = list(Version.objects.values())
    actions = (activate, discard_draft, lambda version: change_draft(version, **rules()))
    for action in actions:
        with pytest.raises(ValidationError, match="Version 1 is no longer a draft"):
            action(version)
    assert list(Version.objects.values()) == before


def test_an_older_draft_does_not_take_over_from_a_newer_version() -> None:
    """Pages show the newest version, and would never come to an older one."""
    present = make_version()
    older, newer = draft_from(present), draft_from(present)
    activate(newer)
    with pytest.raises(ValidationError, match="Version 3 is active and newer"):
        activate(older)
    assert state(older) == "draft"
    assert activate(draft_from(older)).number == 4


# --- What is not frozen ---


def test_locales_change_until_a_version_is_closed() -> None:
    version = make_version()
    for state, locale in (("draft", "und"), ("active", "en_US"), ("superseded", "ar")):
        Version.objects.update(state=state)
        assert change_locales(version, [locale]).locales == Version.objects.get().locales == [locale]
    with pytest.raises(ValidationError, match="en-US"):
        change_locales(version, ["en-US"])
    Version.objects.update(state=Version.State.CLOSED)
    with pytest.raises(ValidationError, match="closed"):
        change_locales(version, ["und"])
    assert Version.objects.get().locales == ["ar"]


# --- What follows from a dictionary ---


def test_w_that_a_definition_leaves_out_follows_from_its_dictionary() -> None:
    subsets = {"algorithm": "SubsetSelection", "parameters": {"epsilon": 1}, "normalization": "raw"}
    item = definition(**subsets, dictionary=[f"e{number}" for number in range(26)])
    apply(item)
    version = Version.objects.get()
    assert (version.parameters["w"], version.parameters["size"]) == (7, 26)
    apply(item)
    del item["dictionary"]
    apply(item)
    assert Version.objects.count() == 1


def test_a_draft_refuses_what_does_not_fit_its_dictionary() -> None:
    draft = create_draft(use_case(), **rules(algorithm="SubsetSelection", parameters={"epsilon": 1}))
    revise_dictionary(draft, [Entry(text, text) for text in ("🥑", "🍋", "🍇")])
    with pytest.raises(ValidationError, match="3 elements a report do not fit a dictionary of 3"):
        change_draft(draft, **rules(algorithm="SubsetSelection", parameters={"epsilon": 1, "w": 3}))
    assert "w" not in Version.objects.get().parameters
    activate(draft)
    assert Version.objects.get().parameters["w"] == 1
