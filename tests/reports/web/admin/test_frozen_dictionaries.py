"""Versions whose dictionary is frozen with them: what does not fit is refused early, with what would fit."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.definitions import activate, draft_from
from reports.models import Version
from tests.reports.small_fleet import define
from tests.reports.web.admin.dictionary_page import entries, paste, save
from tests.reports.web.admin.forms import VERSION, change, draft_form, page

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

SUBSETS = VERSION | {"algorithm": "SubsetSelection", "epsilon": "1", "k": "", "m": "", "w": ""}
ALPHABET = "\n".join("abcdefghijklmnopqrstuvwxyz")


def read(response: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


@pytest.fixture
def draft(version: Version, as_alice: Client) -> Version:
    """A draft by subset selection, added in its form without w, that has no dictionary yet."""
    added = as_alice.post(page("version_add"), SUBSETS | {"use_case": version.use_case_id})
    made = Version.objects.get(number=2)
    assert added.headers["Location"] == change(made)
    return made


def rules(client: Client, version: Version) -> dict[str, str]:
    return dict(client.get(change(version)).context["rules"])


def test_w_is_left_open_until_the_dictionary_is_there(as_alice: Client, draft: Version) -> None:
    assert "w" not in draft.parameters
    shown = as_alice.get(change(draft))
    assert not shown.context["adminform"].form["w"].value()
    assert "the best for the dictionary, once that is there" in rules(as_alice, draft)["Elements of a report (w)"]
    paste(as_alice, draft, ALPHABET)
    save(as_alice, draft)
    # 26 elements and e + 1 = 3.7.
    assert rules(as_alice, draft)["Elements of a report (w)"] == "7, the best for the dictionary"
    assert "w" not in Version.objects.get(pk=draft.pk).parameters
    as_alice.post(page("version_activate", draft.pk), {"instead_of": "1"})
    active = Version.objects.get(pk=draft.pk)
    assert (active.state, active.parameters["w"], active.parameters["size"]) == ("active", 7, 26)
    # A copy leaves it open again, unless it was chosen.
    assert "w" not in draft_from(active).parameters


def test_a_w_that_was_chosen_is_kept_by_a_copy(as_alice: Client, draft: Version) -> None:
    paste(as_alice, draft, ALPHABET)
    save(as_alice, draft)
    as_alice.post(change(draft), SUBSETS | {"w": "5"})
    activate(Version.objects.get(pk=draft.pk))
    assert draft_from(Version.objects.get(pk=draft.pk)).parameters["w"] == 5


def test_without_its_dictionary_a_version_cannot_be_activated_and_says_so(as_alice: Client, draft: Version) -> None:
    shown = read(as_alice.get(change(draft)))
    assert "devices are given it with the version, so it cannot be activated before you add one" in shown
    assert "nothing is counted until you add one" not in shown
    for answer in (
        as_alice.get(page("version_activate", draft.pk), follow=True),
        as_alice.post(change(draft), SUBSETS | {"_activate": "1"}, follow=True),
        as_alice.post(page("version_activate", draft.pk), {"instead_of": "1"}, follow=True),
    ):
        assert answer.redirect_chain[-1][0] == change(draft)
        assert "Version 2 needs its dictionary first" in read(answer)


def test_a_dictionary_that_does_not_fit_is_refused_in_the_preview_and_kept(as_alice: Client, draft: Version) -> None:
    as_alice.post(change(draft), SUBSETS | {"w": "40"})
    large = "\n".join(f"e{number}" for number in range(4097))
    for text, words in (
        (
            ALPHABET,
            "40 elements a report do not fit a dictionary of 26, “anything else” included: w must be from 1 to 25",
        ),
        (
            large,
            "The dictionary would have 4,097 elements, “anything else” included. Subset selection takes 2 to 4,096",
        ),
    ):
        preview = paste(as_alice, draft, text)
        assert words in read(preview)
        assert 'name="save"' not in preview.content.decode()
        token = preview.context["token"]  # type: ignore[attr-defined]
        sent = {"save": "1", "token": token}
        assert words in read(as_alice.post(page("version_preview", draft.pk), sent, follow=True))
        assert entries(draft) == []
        again = as_alice.get(page("version_dictionary", draft.pk))
        assert again.context["form"]["text"].value() == text
    # And once w is another, what was pasted is what is saved.
    paste(as_alice, draft, ALPHABET)
    as_alice.post(change(draft), SUBSETS | {"w": "25"})
    save(as_alice, draft)
    assert len(entries(draft)) == 26


def test_settings_that_do_not_fit_the_dictionary_are_refused_beside_their_field(
    as_alice: Client, alice: User, draft: Version
) -> None:
    paste(as_alice, draft, ALPHABET)
    save(as_alice, draft)
    form = draft_form(draft, alice, SUBSETS | {"w": "26"})
    assert form.errors.keys() == {"w"}
    assert "w must be from 1 to 25. Best is 7" in form.errors["w"][0]
    assert form["w"].value() == "26"
    assert draft_form(draft, alice, SUBSETS | {"w": "26", "other": "on"}).is_valid()
    # Where elements will be written differently, the dictionary is void.
    assert draft_form(draft, alice, SUBSETS | {"w": "26", "normalization": "word"}).is_valid()
    several = draft_form(draft, alice, SUBSETS | {"w": "26", "epsilon": "0", "seed": "0f" * 16})
    assert several.errors.keys() == {"w", "epsilon", "seed"}
    assert several.errors["seed"] == ["Subset selection has no such parameter; leave it empty."]
    huge = draft_form(draft, alice, SUBSETS | {"w": "9" * 400})
    assert "an integer of" in huge.errors["w"][0]


def test_another_mechanism_is_refused_for_a_dictionary_that_devices_cannot_be_given(
    as_alice: Client, alice: User
) -> None:
    counted = define(dictionary=[f"e{number}" for number in range(4097)])
    draft = draft_from(counted)
    form = draft_form(draft, alice, SUBSETS)
    assert form.errors.keys() == {"algorithm"}
    assert "The dictionary would have 4,097 elements" in form.errors["algorithm"][0]
