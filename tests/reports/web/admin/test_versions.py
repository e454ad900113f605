"""Drafting, activating, freezing."""

import datetime
import html
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.definitions import activate, change_draft, create_draft
from reports.definitions.versions import settings_of
from reports.models import BudgetGroup, UseCase, Version
from reports.models.uploads import utc_today
from reports.privacy import WORKER_BYTES, impact_of
from reports.web.admin import version_form
from tests.conftest import logged_in
from tests.reports.small_fleet import FRUITS, define
from tests.reports.threads import together
from tests.reports.web.admin.conftest import staff
from tests.reports.web.admin.forms import VERSION, change, draft_form, history, make_draft, page, panel

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_draft_is_made_with_a_drawn_seed(as_alice: Client, version: Version) -> None:
    body = VERSION | {"use_case": version.use_case.pk, "epsilon": "2.5", "alphabet": "en_US: abc\nfr_FR: abç"}
    response = as_alice.post(page("version_add"), body, follow=True)
    made = Version.objects.get(number=2)
    assert response.redirect_chain[-1][0] == change(made)
    assert (made.state, made.locales, made.normalization) == ("draft", ["en_US", "fr_FR"], "raw")
    assert made.alphabet == {"en_US": "abc", "fr_FR": "abç"}
    assert {**made.parameters, "seed": ""} == {"epsilon": 2.5, "k": 64, "m": 64, "hash": "quadratic-m31-v1", "seed": ""}
    assert len(bytes.fromhex(made.parameters["seed"])) == 16
    assert made.parameters["seed"] != version.parameters["seed"]
    assert history(made) == ["Added."]
    assert history(made.use_case) == ["Version 2: Added as a draft."]


HASHED: dict[str, object] = {"epsilon": 4, "k": 64, "g": 56, "seed": "0f" * 16}
WRONG: list[tuple[dict[str, str], str]] = [
    ({"epsilon": ""}, "Missing: Count Mean Sketch needs it."),
    ({"epsilon": "0"}, "Must be above 0"),
    ({"epsilon": "NaN"}, "number"),
    ({"k": "0"}, "Must be at least 1"),
    ({"m": "100"}, "Must be a power of two"),
    ({"m": "1.5"}, "whole number"),
    ({"seed": "xyz"}, "Must be 32 lower-case hex"),
    ({"locales": "en-US"}, "'en-US' has not the form of a locale"),
    ({"locales": " , "}, "Give at least one locale"),
    ({"normalization": "none"}, "valid choice"),
    ({"alphabet": "abc\ndef"}, "every line a locale"),
    ({"alphabet": "en_US: abc\nen_US: def"}, "twice"),
]


def test_errors_stand_beside_their_field(alice: User, draft: Version) -> None:
    for wrong, words in WRONG:
        found = draft_form(draft, alice, VERSION | wrong).errors
        assert list(found) == list(wrong), wrong
        said = html.unescape(str(found))
        assert words in said, wrong
        assert "Decimal" not in said, wrong
    assert Version.objects.get(pk=draft.pk).parameters == draft.parameters


def test_the_seed_of_another_version_is_refused(alice: User, draft: Version) -> None:
    found = draft_form(draft, alice, VERSION | {"epsilon": "8", "k": "1024", "m": "64", "seed": "0f" * 16}).errors
    assert "Version 1 (active) already has these parameters" in found["seed"][0]


def test_a_parameter_of_another_algorithm_must_stay_empty(alice: User, draft: Version) -> None:
    help_text = draft_form(draft, alice).fields["length"].help_text
    assert "Only for Sequence Fragment Puzzle, sampled fragment puzzle; leave it empty otherwise." in help_text
    form = draft_form(draft, alice, VERSION | {"length": "10"})
    assert form.errors == {"length": ["Count Mean Sketch has no such parameter; leave it empty."]}


def test_history_says_what_became_of_each_parameter(as_alice: Client, draft: Version) -> None:
    body = VERSION | {"seed": draft.parameters["seed"], "alphabet": "abc"}
    assert as_alice.post(change(draft), body).status_code == 302
    newest = history(draft)[0]
    for words in ("ε of a report: 8 → 4", "Hash functions (k): 1024 → 64", "Alphabet: (empty) → abc"):
        assert words in newest
    assert "m)" not in newest
    assert history(draft.use_case)[0] == f"Version 2: {newest}"


ALPHABETS: tuple[Any, ...] = (
    *(" abc ", "", "a\nb\n", "\u2028a\x85", {"en_US": " a ", "fr_FR": "b:c "}, {}, None),
    *("<b>\"'&=+-@:;/\\{}", "en:abc", {"en_US": "<>\"'&=:;", "fr_FR": ":abc"}, {"en_US": "אבג", "de_DE": "äöü"}),
)


def test_an_alphabet_that_is_not_touched_stays_as_it_is(alice: User, draft: Version) -> None:
    for alphabet in ALPHABETS:
        draft.alphabet = alphabet
        draft.save()
        shown = draft_form(draft, alice)["alphabet"]
        assert "<b>" not in str(shown)
        sent = shown.value().replace("\n", "\r\n")  # as browsers do
        form = draft_form(draft, alice, VERSION | {"alphabet": sent})
        assert (form.is_valid(), form.instance.alphabet) == (True, alphabet)
        assert "alphabet" not in form.changed_data


def test_spaces_of_an_alphabet_count(alice: User, draft: Version) -> None:
    for sent, stored in ((" abc ", " abc "), ("en_US: a \r\nfr_FR:  b", {"en_US": "a ", "fr_FR": " b"}), (" ", None)):
        form = draft_form(draft, alice, VERSION | {"alphabet": sent})
        assert (form.is_valid(), form.instance.alphabet) == (True, stored)


@pytest.mark.django_db(transaction=True)
def test_what_is_refused_at_the_last_moment_is_shown_with_what_was_typed(
    version: Version, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A colleague takes the same seed between the check and the write."""
    draft = make_draft(version)
    taken = settings_of(version) | {"parameters": {"epsilon": 4, "k": 64, "m": 64, "seed": "ab" * 16}}

    def too_late(draft: Version, **settings: Any) -> Version:
        monkeypatch.undo()
        together(1, lambda: create_draft(version.use_case, **taken))  # with a connection of its own
        return change_draft(draft, **settings)

    monkeypatch.setattr(version_form, "change_draft", too_late)
    as_alice = logged_in(staff(alice))
    response = as_alice.post(change(draft), VERSION | {"seed": "ab" * 16, "alphabet": "typed"})
    form = response.context["adminform"].form
    assert response.status_code == 200
    assert "Version 3 (draft) already has these parameters" in form.errors["seed"][0]
    assert form["alphabet"].value() == "typed"
    assert Version.objects.get(pk=draft.pk).parameters == draft.parameters


def test_another_normalisation_deletes_the_dictionary_and_says_so(as_alice: Client, draft: Version) -> None:
    response = as_alice.post(change(draft), VERSION | {"normalization": "word"}, follow=True)
    assert "The dictionary was deleted" in response.content.decode()
    assert draft.current_dictionary() is None


# --- Once active ---


def test_activating_says_what_happens_and_does_it(as_alice: Client, version: Version, draft: Version) -> None:
    until = utc_today() + datetime.timedelta(days=version.use_case.grace_days)
    said = as_alice.get(page("version_activate", draft.pk)).content.decode()
    # Questions to devices are no secret, and the person who activates them is told.
    assert "What devices are asked becomes public in the device configuration" in said
    assert "Version 1, which is active now, is superseded" in said
    assert f"{until.day}, {until.year}" in said
    assert "has 6 elements" in said
    assert Version.objects.get(pk=draft.pk).state == "draft"
    as_alice.post(page("version_activate", draft.pk), {"instead_of": "1"})
    assert list(Version.objects.order_by("number").values_list("state", "accepts_until")) == [
        ("superseded", until),
        ("active", None),
    ]
    assert history(draft)[0] == "Activated."
    assert history(version)[0].startswith("Superseded by version 2")
    assert [line[:9] for line in history(draft.use_case)[:2]] == ["Version 1", "Version 2"]


def test_activating_saves_what_was_typed_and_shows_it(as_alice: Client, draft: Version) -> None:
    assert 'name="_activate"' in as_alice.get(change(draft)).content.decode()
    body = VERSION | {"epsilon": "2.5", "locales": "de_DE", "_activate": "1"}
    response = as_alice.post(change(draft), body, follow=True)
    assert response.redirect_chain[-1][0] == page("version_activate", draft.pk)
    stored = Version.objects.get(pk=draft.pk)
    assert (stored.state, stored.parameters["epsilon"], stored.locales) == ("draft", 2.5, ["de_DE"])
    rules = dict(response.context["rules"])
    assert (rules["ε of a report"], rules["Hash functions (k)"], rules["Buckets (m)"]) == ("2.5", "64", "64")
    assert (rules["Algorithm"].partition(":")[0], rules["Normalisation"]) == ("Count Mean Sketch", "raw")
    said = response.content.decode()
    for words in ("de_DE", "6 elements", "What this means", "Smallest share to be seen"):
        assert words in said


def test_neither_a_wrong_draft_nor_a_frozen_version_is_activated(
    as_alice: Client, version: Version, draft: Version
) -> None:
    response = as_alice.post(change(draft), VERSION | {"m": "1000", "_activate": "1"})
    assert "power of two" in response.context["adminform"].form.errors["m"][0]
    assert Version.objects.get(pk=draft.pk).parameters == draft.parameters
    assert 'name="_activate"' not in as_alice.get(change(version)).content.decode()
    response = as_alice.post(change(version), {"locales": "und", "_activate": "1"})
    assert response.headers["Location"] == change(version)


def test_activation_holds_to_what_was_confirmed(as_alice: Client, version: Version, draft: Version) -> None:
    third = make_draft(version)
    said = as_alice.get(page("version_activate", third.pk)).content.decode()
    assert 'name="instead_of" value="1"' in said
    activate(draft)
    response = as_alice.post(page("version_activate", third.pk), {"instead_of": "1"}, follow=True)
    assert "the active version is 2, and was 1 when you began" in response.content.decode()
    assert Version.objects.get(pk=third.pk).state == "draft"
    for confirmed in ("", "x", "9" * 5000):  # nothing that a page would send
        assert as_alice.post(page("version_activate", third.pk), {"instead_of": confirmed}).status_code == 200
    assert Version.objects.get(pk=third.pk).state == "draft"
    as_alice.post(page("version_activate", third.pk), {"instead_of": "2"})
    assert Version.objects.get(pk=third.pk).state == "active"


def test_the_first_activation_is_instead_of_none(as_alice: Client, version: Version) -> None:
    Version.objects.update(state=Version.State.DRAFT)
    assert 'name="instead_of" value="0"' in as_alice.get(page("version_activate", version.pk)).content.decode()
    answer = as_alice.post(page("version_activate", version.pk), {"instead_of": "0"}, follow=True)
    assert '<a href="/use-cases/fruits/">Fruits</a>' in answer.content.decode()
    assert Version.objects.get().state == "active"
    assert history(version) == ["Activated."]


def test_a_draft_without_a_dictionary_is_activated_with_a_warning(as_alice: Client, draft: Version) -> None:
    draft.dictionary_revisions.all().delete()
    said = as_alice.get(page("version_activate", draft.pk)).content.decode()
    assert "It has no dictionary" in said
    as_alice.post(page("version_activate", draft.pk), {"instead_of": "1"})
    assert Version.objects.get(pk=draft.pk).state == "active"


@pytest.mark.parametrize("state", ["superseded", "closed"])
def test_what_was_active_is_frozen(as_alice: Client, version: Version, state: str) -> None:
    Version.objects.update(state=state)
    before = Version.objects.values().get()
    for address, body in (
        (change(version), VERSION),
        (page("version_activate", version.pk), {}),
        (page("version_discard", version.pk), {}),
    ):
        response = as_alice.post(address, body, follow=True)
        assert response.status_code in (200, 403)
        assert state == "closed" or "frozen" in response.content.decode()
        assert Version.objects.values().get() == before
    shown = as_alice.get(change(version)).content.decode()
    assert 'name="epsilon"' not in shown
    assert "0f" * 16 in shown
    assert ('name="locales"' in shown) == (state != "closed")


def test_locales_of_an_active_version_change(as_alice: Client, version: Version) -> None:
    as_alice.post(change(version), {"locales": "fr_FR de_DE"})
    assert Version.objects.get().locales == ["fr_FR", "de_DE"]
    assert history(version)[0] == "Locales: en_US, fr_FR → fr_FR de_DE"


def test_discarding_is_kept_in_the_history_of_the_use_case(as_alice: Client, draft: Version) -> None:
    assert "6 elements" in as_alice.get(page("version_discard", draft.pk)).content.decode()
    as_alice.post(page("version_discard", draft.pk))
    assert not Version.objects.filter(pk=draft.pk).exists()
    assert history(draft.use_case)[0] == "Version 2: The draft was discarded."


# --- What it means ---


def test_the_panel_is_computed_from_what_is_saved(as_alice: Client, version: Version) -> None:
    other = define(slug="nuts", title="Secret nuts", owner_group="gardeners", viewer_groups=[])
    group = BudgetGroup.objects.create(name="Garden", daily_limit=3)
    UseCase.objects.filter(pk__in=[version.use_case.pk, other.use_case.pk]).update(budget_group=group)
    lines = panel(as_alice.get(change(version)))
    assert (lines["ε of a report"][0], lines["ε a person and day"][0]) == ("8", "24")
    # 90 days of retention, after up to twice seven of waiting.
    assert lines["ε over the days held"][0] == "2,496"
    assert (
        "each of the 104 days whose reports may be held at the same time: 90 days, and 14 more"
        in (lines["ε over the days held"][1])
    )
    assert lines["Reports a day"][1] == "Per device, shared with: 1 that you may not see."
    assert lines["Report in an upload"][0] == f"{len('1023,') + 16} bytes"
    assert lines["Report in storage"][0] == "12 bytes"
    assert lines["Smallest share to be seen"][0].endswith(" %")


def test_impact(version: Version) -> None:
    found = impact_of(version)
    assert found.memory_bytes - WORKER_BYTES == len(FRUITS) * (72 + 8 * 32)
    assert found.read_out_bytes == 8 * len(FRUITS)
    assert found.loss.per_day == Decimal(8)
    threshold = version.mechanism.debiased.threshold(100, 0.05 / len(FRUITS), f2=100)
    assert found.smallest_share == threshold / 100
    version.dictionary_revisions.all().delete()
    assert impact_of(version).smallest_share is None


def test_mechanisms_are_named_as_people_do(as_alice: Client, version: Version) -> None:
    change_draft(make_draft(version), **settings_of(version) | {"algorithm": "LocalHashing", "parameters": HASHED})
    for address in (page("version_changelist"), change(version.use_case)):
        shown = as_alice.get(address).content.decode()
        assert "Local hashing" in shown
        assert ">LocalHashing<" not in shown
    found = as_alice.get(page("version_changelist"), {"algorithm__exact": "LocalHashing"})
    assert [each.number for each in found.context["cl"].result_list] == [2]
