"""Parameters that are left out are filled in as the planner suggests, and only an algorithm's own are shown."""

import json
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from aggregation.mechanisms import MECHANISMS
from reports.models import Version
from reports.planning import Plan, Question, plans
from tests.reports.web.admin.forms import VERSION, draft_form, page

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
    answer = as_alice.post(page("version_add"), body)
    form = answer.context["adminform"].form
    # The use case counts six fruits already.
    question = Question(size=6, epsilon=sum(map(Decimal, epsilons.values()), Decimal(0)), algorithm=algorithm)
    (plan,) = plans(question)
    assert isinstance(plan, Plan)
    suggested = {name: value for name, value in plan.parameters.items() if name not in epsilons}
    assert {name: int(form[name].value()) for name in suggested} == suggested
    assert form.errors.keys() == suggested.keys()
    for name, value in suggested.items():
        assert f"{value:,} is filled in, which the planner suggests" in form.errors[name][0]
    again = body | {name: form[name].value() for name in names}
    assert as_alice.post(page("version_add"), again).status_code == 302
    made = Version.objects.get(number=2)
    assert {name: made.parameters[name] for name in suggested} == suggested


def test_what_is_given_is_kept_where_the_rest_is_suggested(alice: User, draft: Version) -> None:
    form = draft_form(draft, alice, VERSION | {"k": "", "m": "32"})
    assert (list(form.errors), form["m"].value()) == (["k"], "32")
    form = draft_form(draft, alice, VERSION | {"k": "abc", "m": ""})
    assert ([*form.errors["k"]], form["k"].value()) == (["Enter a whole number."], "abc")


def test_the_form_says_which_parameters_an_algorithm_has(alice: User, draft: Version) -> None:
    said = json.loads(draft_form(draft, alice).fields["algorithm"].widget.attrs["data-parameters"])
    assert said == {name: list(mechanism.parameter_types) for name, mechanism in MECHANISMS.items()}


def test_a_use_case_that_no_database_could_have_is_none(as_alice: Client, version: Version) -> None:
    assert as_alice.get(page("version_add"), {"use_case": "\0"}).status_code == 200
