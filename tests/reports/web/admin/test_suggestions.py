"""Parameters that are left out are filled in as the planner suggests, and only an algorithm's own are shown."""

import html
import json
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from aggregation.mechanisms import MECHANISMS
from reports.models import Version
from reports.planning import Plan, Question, plans
from reports.web.admin.parameter_fields import parameter_label
from tests.reports.web.admin.forms import VERSION, change, draft_form, history, page

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("epsilons", "algorithm", "normalization"),
    [
        ({"epsilon": "4"}, "CountMeanSketch", "raw"),
        ({"epsilon": "2"}, "HadamardCountMeanSketch", "raw"),
        ({"epsilon": "3"}, "LocalHashing", "raw"),
        ({"epsilon": "1", "fragment_epsilon": "3"}, "SequenceFragmentPuzzle", "word"),
    ],
)
def test_what_is_left_out_is_filled_in_as_the_planner_suggests(
    as_alice: Client, version: Version, epsilons: dict[str, str], algorithm: str, normalization: str
) -> None:
    names = MECHANISMS[algorithm].parameter_types
    body = VERSION | {"m": ""} | dict.fromkeys(names, "") | epsilons
    body |= {"algorithm": algorithm, "normalization": normalization, "alphabet": "abc"}
    body |= {"use_case": str(version.use_case_id)}
    answer = as_alice.post(page("version_add"), body, follow=True)
    # The use case counts six fruits already.
    question = Question(size=6, epsilon=sum(map(Decimal, epsilons.values()), Decimal(0)), algorithm=algorithm)
    (plan,) = plans(question)
    assert isinstance(plan, Plan)
    suggested = {name: value for name, value in plan.parameters.items() if name not in epsilons}
    made = Version.objects.get(number=2)
    assert {name: made.parameters[name] for name in suggested} == suggested
    said = html.unescape(answer.content.decode())
    assert "Filled in, as the planner suggests for 100,000 reports a day and a dictionary of 6 elements:" in said
    for name, value in suggested.items():
        assert f"{parameter_label(name, algorithm)}: {value:,}" in said


def test_what_is_given_is_kept_where_the_rest_is_suggested(as_alice: Client, alice: User, draft: Version) -> None:
    form = draft_form(draft, alice, VERSION | {"k": "abc", "m": ""})
    assert ([*form.errors["k"]], form["k"].value()) == (["Enter a whole number."], "abc")
    as_alice.post(change(draft), VERSION | {"k": "", "m": "32"})
    stored = Version.objects.get(pk=draft.pk).parameters
    assert (stored["m"], stored["k"]) == (32, 16384)
    assert "Hash functions (k): 1024 → 16384" in history(draft)[0]


def test_everything_that_is_wrong_is_said_at_once(alice: User, draft: Version) -> None:
    wrong = {"epsilon": "0", "k": "0", "m": "100", "seed": "xyz", "normalization": "", "locales": " ", "length": "10"}
    assert draft_form(draft, alice, VERSION | wrong).errors.keys() == wrong.keys()
    # Values that would be filled in are not missed while ε is.
    assert draft_form(draft, alice, VERSION | {"epsilon": "", "k": "", "m": "100"}).errors.keys() == {"epsilon", "m"}


def test_the_form_says_which_fields_an_algorithm_has_and_in_its_words(alice: User, draft: Version) -> None:
    said = json.loads(draft_form(draft, alice).fields["algorithm"].widget.attrs["data-fields"])
    for name, mechanism in MECHANISMS.items():
        asked = {*mechanism.parameter_types, *(["seed"] if mechanism.has_seed else [])}
        assert said[name].keys() - {"normalization"} == asked
        assert ("normalization" in said[name]) == (mechanism.kind == "counting")
    assert "seed" not in said["SubsetSelection"]
    assert "k × m" not in said["LocalHashing"]["k"]["help"]
    assert "k × g" in said["SampledFragmentPuzzle"]["k"]["help"]
    assert said["SampledFragmentPuzzle"]["g"]["label"] == "Buckets of words (g)"
    # Without scripts as well, once it is chosen.
    shown = draft_form(draft, alice, VERSION | {"algorithm": "LocalHashing"}).fields["k"]
    assert shown.help_text.startswith(said["LocalHashing"]["k"]["help"])


def test_of_words_no_normalisation_is_asked_for(alice: User, draft: Version) -> None:
    puzzle = {"algorithm": "SampledFragmentPuzzle", "normalization": "", "k": "", "m": "", "alphabet": "abc"}
    form = draft_form(draft, alice, VERSION | puzzle)
    assert (form.is_valid(), form.instance.normalization) == (True, "word")


def test_a_use_case_that_no_database_could_have_is_none(as_alice: Client, version: Version) -> None:
    assert as_alice.get(page("version_add"), {"use_case": "\0"}).status_code == 200
