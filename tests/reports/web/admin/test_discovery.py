"""Versions that discover words in the admin: drafted, understood, activated; and what is shown of their runs."""

import html
import tracemalloc
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from aggregation.discovery import Sketches, cut_fragments, fragment_keys, read_fragments
from reports.definitions import draft_from
from reports.kinds import DISCOVERY, kind_of, puzzle_of
from reports.models import Part, Run, Sealing, UseCase, Version
from reports.models.uploads import utc_today
from reports.privacy import WORKER_BYTES, impact_of
from reports.privacy.discovery_privacy import FRAGMENT_BYTES
from tests.reports.found_words import find
from tests.reports.small_fleet import ALPHABETS, days_ago, define, define_words
from tests.reports.trends import publish_day
from tests.reports.web.admin.forms import VERSION, change, draft_form, page, panel, use_case_form
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

WORDS = VERSION | {
    "algorithm": "SequenceFragmentPuzzle", "epsilon": "2", "fragment_epsilon": "6", "fragment_k": "64",
    "fragment_m": "64", "length": "4", "normalization": "word", "alphabet": "en_US: abc'\r\nfr_FR: abé",
}  # fmt: skip


@pytest.fixture
@once
def version(db: None) -> Version:
    return define_words()


def read(response: Any) -> str:
    """A page as it is read: without what HTML needs."""
    return html.unescape(response.content.decode())


# --- The form ---


def test_a_draft_is_made(as_alice: Client, version: Version) -> None:
    body = WORDS | {"use_case": version.use_case.pk}
    response = as_alice.post(page("version_add"), body, follow=True)
    made = Version.objects.get(number=2)
    assert response.redirect_chain[-1][0] == change(made)
    assert made.alphabet == {"en_US": "abc'", "fr_FR": "abé"}
    assert made.parameters | {"seed": ""} == {
        "epsilon": 2, "k": 64, "m": 64, "fragment_epsilon": 6, "fragment_k": 64, "fragment_m": 64, "length": 4,
        "hash": "quadratic-m31-v1", "seed": "",
    }  # fmt: skip
    assert kind_of(made) is DISCOVERY


def test_every_parameter_has_a_label_and_help(as_alice: Client, draft: Version) -> None:
    said = read(as_alice.get(change(draft)))
    for words in (
        "Sequence Fragment Puzzle: finds words that are in no dictionary",
        "ε′ of the fragment", "Hash functions of fragments (k′)", "Buckets of fragments (m′)", "Length of words",
        "The loss of a report is ε + ε′", "Only for Sequence Fragment Puzzle; leave it empty otherwise.",
        "the work of a run grows with the square of their number",
    ):  # fmt: skip
        assert words in said


WRONG: list[tuple[dict[str, str], str]] = [
    ({"fragment_epsilon": ""}, "Missing: Sequence Fragment Puzzle needs it."),
    ({"fragment_k": "0"}, "Must be at least 1 and at most 65,536, and k′ × m′ at most 16,777,216."),
    ({"k": "16777216"}, "k × m at most 16,777,216."),
    ({"length": "5"}, "Must be an even number from 2 to 16."),
    ({"length": "ten"}, "whole number"),
    ({"normalization": "raw"}, "It must be word, because words are put together from letters."),
    ({"alphabet": ""}, "It must be there, because words are put together from its characters alone"),
    ({"alphabet": "en_US: abc\nabc"}, "Write one text, or in every line a locale"),
    ({"alphabet": "en_US: abc\nfr_FR: Éa"}, "For fr_FR, it holds “É” (U+00C9): devices write words in lower case"),
    ({"alphabet": "a\x00"}, "Null characters are not allowed."),
    ({"locales": "en_US fr_FR de_DE"}, "There is none for de_DE"),
]


def test_errors_stand_beside_their_field(alice: User, draft: Version) -> None:
    for wrong, words in WRONG:
        found = draft_form(draft, alice, WORDS | wrong).errors
        assert list(found) == (["alphabet"] if "locales" in wrong else list(wrong)), wrong
        assert words in html.unescape(str(found)), wrong
    assert Version.objects.get(pk=draft.pk).parameters == draft.parameters


def test_turning_to_discovery_deletes_the_dictionary_and_says_so(as_alice: Client) -> None:
    draft = draft_from(define(normalization="word"))
    assert draft.current_dictionary() is not None
    response = as_alice.post(change(draft), WORDS, follow=True)
    assert "The dictionary was deleted, because this algorithm finds its words itself." in read(response)
    assert draft.current_dictionary() is None


def test_a_version_that_is_frozen_takes_locales_that_have_an_alphabet(as_alice: Client, version: Version) -> None:
    response = as_alice.post(change(version), {"locales": "en_US de_DE"})
    (said,) = response.context["adminform"].form.errors["locales"]
    assert "no alphabet for de_DE" in said
    assert "make a new version" in said
    assert as_alice.post(change(version), {"locales": "fr_FR"}).status_code == 302
    assert Version.objects.get().locales == ["fr_FR"]


# --- A dictionary is never asked for ---


def test_no_page_asks_for_a_dictionary(as_alice: Client, version: Version) -> None:
    for state in ("draft", "closed"):
        Version.objects.update(state=state)
        pages = [read(as_alice.get(address)) for address in (change(version), change(version.use_case))]
        for said in pages:
            assert page("version_dictionary", version.pk) not in said
            assert "It has no dictionary" not in said
            assert "there is no dictionary yet" not in said
        assert "It finds words by itself" in pages[0]


def test_a_draft_is_activated_without_a_warning(as_alice: Client, draft: Version) -> None:
    said = read(as_alice.get(page("version_activate", draft.pk)))
    assert "It finds words by itself, from the characters of its alphabet, and needs no dictionary." in said
    assert "It has no dictionary" not in said
    assert "en_US: abeilost'\nfr_FR: abétùo" in said
    for words in ("ε of the word", "ε′ of the fragment", "Length of words", "Hash functions of words (k)"):
        assert words in said
    as_alice.post(page("version_activate", draft.pk), {"instead_of": "1"})
    assert Version.objects.get(pk=draft.pk).state == "active"


def test_a_use_case_cannot_say_that_a_dictionary_is_complete(as_alice: Client, version: Version) -> None:
    response = as_alice.post(change(version.use_case), use_case_form(version.use_case, dictionary_complete="on"))
    assert "words are found without a dictionary" in response.context["adminform"].form.errors["dictionary_complete"][0]
    assert not UseCase.objects.get().dictionary_complete


# --- What it means ---

DEPLOYED = {
    "epsilon": 2, "k": 2048, "m": 1024, "fragment_epsilon": 6, "fragment_k": 2048, "fragment_m": 1024, "length": 10,
}  # fmt: skip


def test_the_panel(as_alice: Client) -> None:
    version = define_words(parameters=DEPLOYED, daily_limit=2, alphabet={"en_US": "abc", "fr_FR": "<b>\"'&"})
    response = as_alice.get(change(version))
    lines = panel(response)
    assert lines["ε of a report"][0] == "8"
    assert "ε = 2 for the word and ε′ = 6 for two of its letters" in lines["ε of a report"][1]
    assert lines["ε a person and day"][0] == "16"
    # A position, two rows, four commas, twice m/4 characters; twice a row's number and m/8 bytes.
    assert lines["Report in an upload"][0] == f"{len('9,2047,,2047,') + 2 * 256} bytes"
    assert lines["Report in storage"][0] == f"{2 * (4 + 128)} bytes"
    assert lines["Kept for good"][0] == "24.0\xa0MB"
    assert lines["Alphabet of en_US"][0] == "3 characters"
    assert "a run looks up 6,815,744 fragments for it: 3,328 in each hash row" in lines["Alphabet of en_US"][1]
    assert lines["Alphabet of fr_FR"][0] == "6 characters"
    assert "<b>\"'&" in lines["Alphabet of fr_FR"][1]
    assert "<b>" not in response.content.decode()
    assert "found with probability 0.9" in lines["Smallest share to be seen"][1]


def test_impact_is_that_of_the_mechanism() -> None:
    version = define_words(minimum_reports=100_000, parameters=DEPLOYED)
    found, mechanism = impact_of(version), puzzle_of(version)
    assert found.search is not None
    assert found.search.epsilon_parts == {"word": Decimal(2), "letters": Decimal(6)}
    for alphabet in found.search.alphabets:
        keys = fragment_keys(ALPHABETS[alphabet.locale], mechanism.fragments.family)
        assert alphabet.fragments == len(keys)
        assert alphabet.look_ups == len(keys) * mechanism.fragment_shape[0]
    parts = mechanism.privatize_fleet(["lol_______"], np.zeros(1, np.intp), np.random.default_rng(1))
    assert found.stored_bytes == sum(records.nbytes for records in mechanism.split(parts).values())
    assert found.memory_bytes > WORKER_BYTES + 2 * found.read_out_bytes
    # About 1.3 % at 100,000 reports, where the word sketch alone binds; all positions must pass as well.
    assert found.smallest_share is not None
    assert 0.010 < found.smallest_share < 0.018


def test_memory_is_enough_for_reading_and_cutting_fragments() -> None:
    """With few rows and buckets: that a day's sketches are held is counted for itself."""
    version = define_words(parameters=DEPLOYED | {"length": 16, "fragment_k": 4, "fragment_m": 16})
    mechanism = puzzle_of(version)
    day = Sketches(np.zeros((2048, 1024), np.uint8), np.ones((8, 4, 16), np.uint16))
    tracemalloc.start()
    keys = fragment_keys("abcdefghijkl", mechanism.fragments.family)
    read_outs = np.ascontiguousarray(read_fragments(mechanism, [day], keys, 0, 4))
    cut_fragments(mechanism, read_outs, [64] * 8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(keys) * FRAGMENT_BYTES * 0.6 < peak < len(keys) * FRAGMENT_BYTES


def test_more_reports_show_rarer_words() -> None:
    version = define_words(parameters=DEPLOYED, alphabet="abcd")
    shares = []
    for minimum in (1, 4, 100, 10_000, 1_000_000):
        version.use_case.minimum_reports = minimum
        found = impact_of(version)
        shares.append(found.smallest_share or 0)
        assert found.search is not None
        # One alphabet is that of every locale.
        assert [alphabet.locale for alphabet in found.search.alphabets] == ["en_US", "fr_FR"]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == shares[1] == 1 > shares[-1]


def test_too_few_reports_are_said_to_show_nothing(as_alice: Client) -> None:
    version = define_words(minimum_reports=1, parameters=DEPLOYED)
    assert "nothing can be seen at all" in read(as_alice.get(change(version)))
    assert "Sequence Fragment Puzzle, ε = 8" in read(as_alice.get(change(version.use_case)))


# --- Runs and results ---


def test_a_run_without_a_revision_shows_its_steps(as_alice: Client, version: Version) -> None:
    run = Run.objects.create(version=version, first_day=days_ago(6), last_day=utc_today())
    sealing = Sealing.objects.create(version=version, day=days_ago(3))
    Part.objects.create(run=run, step=Part.Step.SKETCH, locale="fr_FR", sealing=sealing)
    Part.objects.create(run=run, step=Part.Step.FRAGMENTS, locale="en_US", start_row=16, stop_row=4711)
    assert as_alice.get(reverse("admin:reports_run_changelist")).status_code == 200
    said = read(as_alice.get(change(run)))
    for words in ("sketching days", "fr_FR", "reading fragments", "en_US", "4711"):
        assert words in said
    assert 'name="parts-0-step"' not in said  # to look at only


def test_a_histogram_says_how_its_words_were_found(as_alice: Client, version: Version) -> None:
    publish_day(define(), 1, {"apple": 3000})  # those of a dictionary, which pages make, are not listed
    histogram = find(version, ["lol", "able"], reports=[31337, 2718], capped=True)
    assert as_alice.get(reverse("admin:reports_histogram_changelist")).context["cl"].result_count == 1
    said = read(as_alice.get(change(histogram)))
    for words in ("reports from each position", "31337, 2718", "words put together", "4321", "0.0123"):
        assert words in said.lower()
    assert "lol" not in said
