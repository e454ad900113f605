"""Applying definitions: idempotent, versioned, all or nothing."""

import datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db.models import Model

from reports.collection.ingest import ingest
from reports.models import DictionaryEntry, DictionaryRevision, UseCase, Version
from reports.models.uploads import utc_today
from tests.reports.factories import SEED, SLUG, apply, definition, of_records, record_lines, upload

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

WORDS = {"normalization": "word", "dictionary": ["hello"]}


def parameters(**changes: Any) -> dict[str, Any]:
    values = {"epsilon": 4, "k": 64, "m": 64, "seed": SEED} | changes
    return {"parameters": {name: value for name, value in values.items() if value is not None}}


def every_row() -> dict[str, list[dict[str, Any]]]:
    models: list[type[Model]] = [*apps.get_app_config("reports").get_models(include_auto_created=True), Group]
    return {model._meta.label: list(model._default_manager.order_by("pk").values()) for model in models}


def versions() -> list[tuple[int, str]]:
    return list(Version.objects.filter(use_case__slug=SLUG).order_by("number").values_list("number", "state"))


def active() -> Version:
    return Version.objects.get(use_case__slug=SLUG, state=Version.State.ACTIVE)


def changes(**changed: Any) -> list[str]:
    (applied,) = apply(definition(**changed))
    return applied.changes


# --- Creating, and doing nothing ---


def test_everything_of_a_definition_arrives() -> None:
    plain = {
        "description": "Which?",
        "retention_days": 30,
        "minimum_reports": 500,
        "false_positive_rate": 0.01,
        "prescribed_threshold": 600,
        "grace_days": 2,
        "dictionary_complete": True,
    }
    shared = {"budget_group": "typing", "daily_limit": 3, "viewer_groups": ["keyboard", "research"]}
    (applied,) = apply(definition(**plain, **shared, keep_case=True, alphabet={"en_US": "abc"}))
    assert applied.slug == SLUG
    assert "created" in applied.changes
    use_case = UseCase.objects.get()
    assert {name: getattr(use_case, name) for name in plain} == plain
    assert (str(use_case.budget_group), use_case.reports_per_day) == ("typing", 3)
    assert sorted(group.name for group in use_case.viewer_groups.all()) == ["keyboard", "research"]
    assert str(use_case.owner_group) == "keyboard-owners"
    version = Version.objects.get()
    assert (version.number, version.state, version.locales) == (1, "active", ["en_US", "fr_FR"])
    assert (version.keep_case, version.alphabet) == (True, {"en_US": "abc"})
    assert version.parameters == {"epsilon": 4, "k": 64, "m": 64, "hash": "quadratic-m31-v1", "seed": SEED}
    assert list(DictionaryEntry.objects.values_list("position", "element", "display")) == [
        (0, "😂", "😂"),
        (1, "❤", "❤️"),
        (2, "👍", "👍"),
    ]


@pytest.mark.parametrize(
    "item",
    [
        definition(),
        definition(parameters={"epsilon": 0.5, "k": 64, "m": 64}),
        definition(dictionary=None, viewer_groups=None, owner_group=None),
        definition(false_positive_rate=0.1, alphabet="abc", viewer_groups=["b", "a", "b"]),
    ],
    ids=["plain", "without a seed", "bare", "full"],
)
def test_a_second_time_nothing_changes(item: dict[str, Any]) -> None:
    apply(item, definition(slug="other"))
    before = every_row()
    applied = apply(item, definition(slug="other"))
    assert [one.changes for one in applied] == [[], []]
    assert every_row() == before


def test_numbers_are_equal_however_they_are_written_and_a_seed_left_out_stays() -> None:
    apply(definition())
    before = every_row()
    assert changes(**parameters(epsilon=4.0), false_positive_rate=0.05) == []
    assert changes(**parameters(hash="quadratic-m31-v1")) == []
    assert changes(**parameters(seed=None)) == []
    assert every_row() == before


# --- What is not frozen ---


def test_these_change_in_the_same_version() -> None:
    apply(definition())
    changed: dict[str, Any] = {}
    for change, word in (
        ({"title": "Emoji"}, "changed title"),
        ({"daily_limit": 5, "grace_days": 5}, "changed daily_limit, grace_days"),
        ({"viewer_groups": ["others"]}, "viewer groups"),
        ({"owner_group": "others"}, "owner group"),
        ({"owner_group": None}, "owner group"),
        ({"locales": ["en_US"]}, "locales"),
        ({"dictionary": ["😂"]}, "revision 2"),
    ):
        changed |= change
        (said,) = changes(**changed)
        assert word in said
        assert versions() == [(1, "active")]
    before = every_row()
    assert changes(**changed) == []
    assert every_row() == before


# --- Versions ---

FROZEN: dict[str, dict[str, Any]] = {
    "epsilon": parameters(epsilon=2, seed=None),
    "normalisation": {**parameters(seed=None), "normalization": "raw"},
    "keep_case": {**parameters(seed=None), "keep_case": True},
    "alphabet": {**parameters(seed=None), "alphabet": "abc"},
}


@pytest.mark.parametrize("change", FROZEN.values(), ids=FROZEN.keys())
def test_a_frozen_change_without_a_seed_draws_a_new_one(change: dict[str, Any]) -> None:
    apply(definition())
    said = changes(**change)
    assert versions() == [(1, "superseded"), (2, "active")]
    assert "version 2 is active" in said
    seed = active().parameters["seed"]
    assert seed != SEED
    assert len(bytes.fromhex(seed)) == 16
    before = every_row()
    assert changes(**change) == []
    assert every_row() == before


def test_a_change_on_the_wire_may_keep_the_seed_but_not_go_back() -> None:
    apply(definition())
    changes(**parameters(epsilon=2))
    assert active().parameters["seed"] == SEED
    before = every_row()
    with pytest.raises(ValidationError, match="Version 1"):
        apply(definition())
    assert every_row() == before
    changes(**parameters(seed=None))
    assert versions() == [(1, "superseded"), (2, "superseded"), (3, "active")]


def test_the_same_wire_parameters_for_another_meaning_are_refused() -> None:
    """Devices name a version by its parameters alone."""
    apply(definition())
    before = every_row()
    for change in ({"normalization": "raw"}, {"keep_case": True}, {"alphabet": "abc"}):
        with pytest.raises(ValidationError) as caught:
            apply(definition(**change))
        (problem,) = caught.value.messages
        assert all(words in problem for words in (SLUG, "Version 1", "leave the seed out")), problem
        assert every_row() == before


def test_the_version_before_is_accepted_for_the_days_of_grace() -> None:
    apply(definition(grace_days=7))
    changes(**parameters(epsilon=2), grace_days=7)
    old = Version.objects.get(number=1)
    last = utc_today() + datetime.timedelta(days=7)
    assert old.accepts_until == last
    assert old.accepts_reports(last)
    assert not old.accepts_reports(last + datetime.timedelta(days=1))
    assert active().accepts_until is None
    receipt = ingest(upload(of_records(record_lines(3))), UseCase.objects.all())
    assert (receipt.accepted, receipt.rejected) == (3, {})


# --- Dictionaries ---


def test_a_changed_dictionary_is_a_new_revision_over_the_same_reports() -> None:
    apply(definition())
    changes(dictionary=["😂", "🚀"])
    assert versions() == [(1, "active")]
    revisions = DictionaryRevision.objects.order_by("number")
    assert [(revision.number, revision.size) for revision in revisions] == [(1, 3), (2, 2)]
    assert list(revisions[0].elements()) == ["😂", "❤", "👍"]
    assert list(revisions[1].elements()) == ["😂", "🚀"]
    assert active().current_dictionary() == revisions[1]


def test_order_display_and_category_make_a_revision_too() -> None:
    apply(definition())
    order, display = ["👍", "❤️", "😂"], ["😂", "❤", "👍"]
    category = [{"element": "😂", "category": "faces"}, "❤️", "👍"]
    for number, dictionary in enumerate((order, display, category), 2):
        assert changes(dictionary=dictionary) == [f"dictionary revision {number} has 3 elements"]
        assert changes(dictionary=dictionary) == []


# --- All or nothing ---


def test_one_that_is_refused_while_applying_takes_the_others_back() -> None:
    apply(definition(slug="zz"))
    before = every_row()
    with pytest.raises(ValidationError):
        apply(definition(title="New"), definition(slug="zz", title="New", normalization="raw"))
    assert every_row() == before


def test_a_dictionary_left_out_stays() -> None:
    apply(definition(dictionary=["😂", "❤️"]))
    item = definition(title="Another title")
    del item["dictionary"]
    apply(item)
    version = UseCase.objects.get().active_version()
    assert version is not None
    assert version.dictionary_revisions.count() == 1
    # A new version takes it over, unless its elements would be normalised in another way.
    apply({**item, "parameters": {"epsilon": 1, "k": 64, "m": 64}})
    newer = UseCase.objects.get().active_version()
    assert newer is not None
    assert newer.number == version.number + 1
    assert [entry.display for entry in newer.dictionary_revisions.get().entries.all()] == ["😂", "❤️"]
    apply({**item, "parameters": {"epsilon": 1, "k": 64, "m": 128}, "normalization": "raw"})
    newest = UseCase.objects.get().active_version()
    assert newest is not None
    assert newest.current_dictionary() is None
