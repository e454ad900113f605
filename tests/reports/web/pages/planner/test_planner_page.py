"""The planner's page: figures in the address, mistakes in plain words, and a use case made from a plan."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from aggregation.mechanisms import MECHANISMS
from reports.models import UseCase, Version
from reports.models.versions import without
from reports.web.pages.planner.planner_form import PlannerForm
from tests.conftest import logged_in
from tests.reports.small_fleet import define
from tests.reports.web.pages.reading import text_of as text

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


MAKE = "Make a use case from this"


@pytest.fixture
def as_charlie(charlie: User) -> Client:
    return logged_in(charlie)


def test_everybody_who_is_signed_in_may_plan_and_nobody_else(client: Client, as_charlie: Client) -> None:
    for name in ("planner", "planner_json"):
        assert client.get(reverse(name)).headers["Location"].startswith("/accounts/login/")
        assert as_charlie.get(reverse(name)).status_code == 200
        assert as_charlie.post(reverse(name)).status_code == 405


def test_the_page_has_every_mechanism_and_figure(as_charlie: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(4):  # session, person, whether they operate anything, whether a message is unread
        page = as_charlie.get("/planner/")
    shown = text(page)
    assert '<label for="id_epsilon">ε of a report</label>' in page.content.decode()
    for words in (
        "With ε = 4 and 100,000 reports a day, over 1 day, an element with 0.50 % of the reports is seen 9 times",
        "Take local hashing with k = 8,192, g = 56: it would show about 33 elements, with reports of 7 B.",
        "Subset selection would show about 34, with reports of 230 B.",
        "a crafted report can add up to 2.05 reports to an element, with Count Mean Sketch 1.16.",
        "If 1 % of 100,000 reports are crafted, they can add up to 2,045.",
        "Most that a crafted report adds to an element 1.16 reports 1.04 reports 2.05 reports",
        "Sampled fragment puzzle is only for words that nobody can list beforehand",
        "Elements that would be seen about 21 of 2,600",
        "Smallest share that is seen half of the time 0.60 %",
        "Standard error of a share ± 0.14 %",
        "k = 1,024, m = 128",
        "k = 8,192, g = 56",
        "two letters: ε′ = 3, k′ = 256, m′ = 64",
        "ε of a person’s day 4 4 4 4 4",
        "ε over 1 day 4 4 4 4 4",
        "w = 47 of 2,600 elements",
        "416, over 104 days",
        "a model that was fitted",
    ):
        assert words in shown
    assert page.content.count(b'scope="row"') == 15 + 7  # the curve's
    assert 'aria-current="page">Planner' in page.content.decode()


def test_one_view_has_one_address(as_charlie: Client) -> None:
    sent = as_charlie.get("/planner/", {"n": "1000000", "days": "1", "epsilon": "4.0", "m": "", "algorithm": ""})
    assert sent.headers["Location"] == "/planner/?n=1000000"
    assert as_charlie.get("/planner/", {"n": "100000"}).headers["Location"] == "/planner/"
    kept = as_charlie.get("/planner/?epsilon=2&n=1000000&algorithm=CountMeanSketch")
    assert kept.status_code == 200
    shown = text(kept)
    assert "Hadamard Count Mean Sketch would" not in shown
    assert 'href="/planner.json?epsilon=2&amp;n=1000000&amp;algorithm=CountMeanSketch"' in kept.content.decode()


def test_mistakes_are_said_in_plain_words_once_beside_their_field(as_charlie: Client) -> None:
    for values, words in (
        ({"n": "many"}, "Give a whole number of reports, from 1 to 1,000,000,000."),
        ({"n": "0"}, "Give a whole number of reports, from 1 to 1,000,000,000."),
        ({"n": "1000000000", "days": "366"}, "All days together may have at most 100,000,000,000 reports."),
        ({"epsilon": "17"}, "Give a number from 0.01 to 16, with at most three decimals."),
        ({"epsilon": "1.2345"}, "Give a number from 0.01 to 16, with at most three decimals."),
        ({"epsilon": "NaN"}, "Give a number from 0.01 to 16, with at most three decimals."),
        ({"epsilon": "1e99"}, "Give a number from 0.01 to 16, with at most three decimals."),
        ({"exponent": "-1"}, "Give a number from 0 to 5, with at most three decimals."),
        ({"size": "10000001"}, "Give a whole number of elements, from 1 to 10,000,000."),
        ({"m": "1000"}, "Give a power of two from 8 to 1,048,576, or leave it empty."),
        ({"m": "1048576", "k": "1024"}, "with k × m at most 268,435,456, or leave it empty."),
        ({"algorithm": "Guess"}, "There is no such mechanism; choose one of the list."),
        ({"limit": "1.5"}, "Give a whole number of reports, from 1 to 1,000."),
        ({"retention": "0"}, "Give a whole number of days, from 1 to 3,650."),
    ):
        page = as_charlie.get("/planner/", values)
        assert page.status_code == 400
        assert text(page).count(words) == 1
        assert 'aria-invalid="true"' in page.content.decode()
        assert 'id="plans-title"' not in page.content.decode()
        document = as_charlie.get("/planner.json", values)
        assert document.status_code == 400
        ((problem,),) = document.json()["errors"].values()
        assert words in problem


def test_the_json_twin_has_the_figures_of_the_page(as_charlie: Client) -> None:
    document = as_charlie.get("/planner.json", {"n": "1000000"}).json()
    assert document["recommended"] == "LocalHashing"
    assert document["question"]["reports_per_day"] == 1_000_000
    assert round(document["plans"][0]["visible"]) == 68
    assert "about 68 of 2,600" in text(as_charlie.get("/planner/?n=1000000"))


def test_a_wanted_share_is_answered_with_mechanism_epsilon_and_price(as_charlie: Client) -> None:
    """Half a million reports a week about 3,000 elements: which ε does it take to see 0.5 %?"""
    asked = {"n": "71429", "days": "7", "share": "0.5", "size": "3000"}
    shown = text(as_charlie.get("/planner/", asked))
    for words in (
        "ε = 2.5 is enough to see an element with 0.50 % of the reports 9 times of 10, with 71,429 reports a day, over",
        "Take local hashing with k = 32,768, g = 13: it would show about 32 elements, with reports of 8 B.",
        "a crafted report can add up to 2.17 reports to an element, with Count Mean Sketch 1.41.",
    ):
        assert words in shown
    assert "collisions are corrected" not in shown
    complete = as_charlie.get("/planner/", {**asked, "complete": "on"})
    shown_complete = text(complete)
    assert "Take local hashing with k = 4,096, g = 13" in shown_complete
    assert "So few hash functions are enough because the dictionary is complete" in shown_complete
    column = complete.context["columns"][0]
    assert "dictionary_complete=on" in column.address
    # The plan is tested as it is.
    form = as_charlie.get(column.test).context["form"]
    assert (form["estimator"].value(), form["distributions"].value()) == ("corrected", ["harmonic"])
    even = as_charlie.get("/planner/", {"exponent": "0"}).context["columns"][0]
    form = as_charlie.get(even.test).context["form"]
    assert (form["estimator"].value(), form["distributions"].value()) == ("debiased", ["even"])
    document = as_charlie.get("/planner.json", {**asked, "complete": "on"}).json()
    assert (document["recommended"], document["wanted_share_is_seen"]) == ("LocalHashing", True)
    assert document["question"]["wanted_share"] == 0.005
    assert [plan["estimator"] for plan in document["plans"]] == [
        *["corrected"] * 3,
        *["debiased"] * 3,
    ]
    # The form leaves empty what is found, and says what was.
    page = as_charlie.get("/planner/", asked)
    form = page.context["form"]
    assert (form["epsilon"].value(), dict(page.context["provenance"])["ε of a report"]) == (None, "2.5")
    assert form.fields["epsilon"].widget.attrs["placeholder"] == "found: 2.5"
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, "", False)}
    address = as_charlie.get("/planner/", sent).headers["Location"]
    assert QueryDict(address.partition("?")[2]).dict() == asked
    far = text(as_charlie.get("/planner/", {**asked, "n": "10000", "share": "0.001"}))
    assert "No mechanism shows 0.0010 % of the reports 9 times of 10, not even at ε = 16" in far
    assert "The best that is possible is" in far
    assert "Take " not in far


def test_whichever_of_reports_epsilon_and_share_is_left_empty_is_found(as_charlie: Client) -> None:
    """The answer, asked with the rest, is enough, and a little less is not."""
    usual = {"n": "", "epsilon": "4", "share": "0.5", "probability": "0.95"}
    page = as_charlie.get("/planner/", usual, follow=True)
    kept = QueryDict(page.redirect_chain[-1][0].partition("?")[2]).dict()
    assert kept == {"epsilon": "4", "share": "0.5", "probability": "0.95"}
    document = as_charlie.get("/planner.json", kept).json()
    needed = document["question"]["reports_per_day"]
    assert (document["question"]["found"], document["wanted_share_is_seen"]) == ("n", True)
    assert f"{needed:,} reports a day, over 1 day, are enough to see an element with 0.50 % of the reports" in text(
        page
    )
    all_given = as_charlie.get("/planner/", {**kept, "n": str(needed)})
    assert "Yes: with ε = 4" in text(all_given)
    assert "is seen 95 times of 100." in text(all_given)
    less = text(as_charlie.get("/planner/", {**kept, "n": str(needed - 1)}))
    assert f"No: with ε = 4 and {needed - 1:,} reports a day, no mechanism shows 0.50 %" in less
    only_share = as_charlie.get("/planner/", {"share": "0.5"})
    assert only_share.headers["Location"] == "/planner/?share=0.5&n=100000"
    neither = as_charlie.get("/planner/", {"n": "", "epsilon": "2", "share": ""})
    assert neither.status_code == 400
    assert "Only one of reports, ε and share can be found from the others: give this one." in text(neither)
    assert page.context["chart"].summary.startswith(
        "With subset selection at ε = 8, the smallest share that is seen goes"
    )


def test_a_share_that_only_one_mechanism_sees_is_answered_with_that(as_charlie: Client) -> None:
    for share, epsilon in (("0.5", "2.8"), ("1.47", "1.2"), ("1.5", "1.2"), ("2", "0.9")):
        asked = {"share": share, "n": "42857", "days": "7", "size": "500"}
        shown = text(as_charlie.get("/planner/", asked))
        assert "Take subset selection" in shown
        assert (
            f"ε = {epsilon} is enough to see an element with {Decimal(share):.2f} % of the reports 9 times of 10"
            in shown
        )
        assert "No mechanism shows" not in shown
        assert as_charlie.get("/planner.json", asked).json()["wanted_share_is_seen"]


def test_too_few_hash_functions_are_said(as_charlie: Client) -> None:
    few = text(as_charlie.get("/planner/?n=20000000&epsilon=8&size=10000"))
    assert "larger than noise alone does: even 65,536 hash functions are too few for so many reports" in few
    assert "larger than noise alone does" not in text(as_charlie.get("/planner/?n=1000000&epsilon=8&size=10000"))
    assert "larger than noise alone does" not in text(
        as_charlie.get("/planner/?n=20000000&epsilon=8&size=10000&complete=on")
    )


def test_what_is_hopeless_is_said(as_charlie: Client) -> None:
    shown = text(as_charlie.get("/planner/?n=100&limit=3"))
    assert "This shows next to nothing: the most frequent element would have 11.85 % of the reports" in shown
    assert "reports a day would show it" in shown
    assert "fewer than 10,000 reports, so these 100 would stay hidden" in shown
    assert "ε of a person’s day would be 12" in shown
    # And nothing is recommended beside it.
    assert "recommended" not in shown
    assert as_charlie.get("/planner.json", {"n": "100"}).json()["recommended"] is None


def test_what_is_impossible_is_left_out(as_charlie: Client) -> None:
    shown = text(as_charlie.get("/planner/?m=1024&k=70000"))
    assert "Sequence Fragment Puzzle is left out. Hash functions of words (k): Must be at least 1 and at most" in shown
    assert "Local hashing is left out. Hash functions (k): Must be from 2 to 65,536." in shown
    large = text(as_charlie.get("/planner/?size=5000"))
    assert "Subset selection is left out. Elements: The dictionary would have 5,000 elements" in large
    alone = text(as_charlie.get("/planner/?algorithm=SequenceFragmentPuzzle&m=1024&k=70000"))
    assert "can have these parameters. Leave empty what you gave of them (k, m)." in alone
    only = text(as_charlie.get("/planner/?algorithm=SubsetSelection&size=5000"))
    assert "Subset selection is not possible here. Look at all mechanisms, side by side" in only
    assert "Leave empty" not in only
    wide = text(as_charlie.get("/planner/?algorithm=SubsetSelection&size=20&w=20"))
    assert (
        "20 elements a report do not fit a dictionary of 20, “anything else” included: w must be from 1 to 19" in wide
    )


def test_only_who_may_make_use_cases_is_offered_to(as_charlie: Client, as_alice: Client, as_root: Client) -> None:
    shown = text(as_charlie.get("/planner/"))
    assert MAKE not in shown
    assert "send one of them the address of this page" in shown
    define()
    owned = text(as_alice.get("/planner/"))
    assert (MAKE in owned, "Set up a use case step by step" in owned) == (False, True)
    page = as_root.get("/planner/")
    assert page.content.decode().count(MAKE) == len(MECHANISMS)
    assert "send one of them the address" not in text(page)


@pytest.mark.parametrize("algorithm", MECHANISMS)
def test_a_use_case_is_made_from_a_plan(as_root: Client, algorithm: str) -> None:
    """By the forms of the admin, filled in with what was planned."""
    page = as_root.get("/planner/", {"epsilon": "2.5", "limit": "2", "retention": "30", "algorithm": algorithm})
    (column,) = page.context["columns"]
    form = as_root.get(column.address).context["adminform"].form
    assert (form["daily_limit"].value(), form["retention_days"].value()) == ("2", "30")
    usual = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    made = as_root.post(column.address, {**usual, "title": "Planned", "slug": "planned"})
    use_case = UseCase.objects.get(slug="planned")
    assert (use_case.daily_limit, use_case.retention_days) == (2, 30)
    address = made.headers["Location"]
    following = as_root.get(address)
    assert "Next: its first version, with the planned parameters." in text(following)
    form = following.context["adminform"].form
    given = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    given |= {"use_case": use_case.pk}
    if algorithm.endswith("FragmentPuzzle"):
        assert given["normalization"] == "word"
        given["alphabet"] = "abc"
    else:
        given["normalization"] = "raw"
    saved = as_root.post(address, given)
    assert saved.status_code == 302, text(saved)
    version = Version.objects.get(use_case=use_case)
    assert (version.state, version.algorithm) == (Version.State.DRAFT, algorithm)
    plan = as_root.get("/planner.json", {"epsilon": "2.5", "limit": "2", "retention": "30"}).json()["plans"]
    expected = next(one["parameters"] for one in plan if one["algorithm"] == algorithm)
    expected = without(expected, (*version.dictionary_parameters, *version.dictionary_defaults))
    assert {name: version.parameters[name] for name in expected} == expected
    assert version.mechanism.report_epsilon == Decimal("2.5")


def test_the_forms_say_what_is_from_the_plan_and_what_is_left(as_root: Client) -> None:
    page = as_root.get("/planner/", {"epsilon": "2.5", "retention": "30"})
    column = page.context["columns"][0]
    shown = text(as_root.get(column.address))
    assert "From your plan – the planned values are filled in" in shown
    assert "Title: required. The identifier follows from it." in shown
    assert "From your plan: 30. The raw reports of a day" in shown
    assert shown.count("From your plan:") == 2
    form = as_root.get(column.address).context["adminform"].form
    usual = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    made = as_root.post(column.address, {**usual, "title": "Planned", "slug": "planned", "retention_days": "60"})
    address = made.headers["Location"]
    shown = text(as_root.get(address))
    assert "From your plan: 2.5. Privacy loss" in shown
    assert "From your plan: Count Mean Sketch. How devices" in shown
    assert "Normalisation: what counts as one element." in shown
    # No user gets one for not having looked.
    form = as_root.get(address).context["adminform"].form
    given = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    refused = as_root.post(address, given)
    assert "Choose how elements are written before they are counted." in text(refused)
    # The plan is still said.
    assert "From your plan: 2.5." in text(refused)
    assert not Version.objects.exists()


def test_of_words_the_forms_ask_for_the_alphabet_and_for_no_dictionary(as_root: Client) -> None:
    page = as_root.get("/planner/", {"algorithm": "SequenceFragmentPuzzle"})
    (column,) = page.context["columns"]
    define()
    query = column.address.partition("?")[2]
    shown = text(as_root.get(f"{reverse('admin:reports_version_add')}?{query}"))
    assert "Alphabet: the characters that words may contain." in shown
    assert "Its dictionary – none: it finds its words itself" in shown
    assert "From your plan: word. How device" in shown
    assert "no plan can know it" not in shown


def test_what_an_address_says_is_no_markup_and_no_plan_is_made_up(as_root: Client) -> None:
    define()
    address = reverse("admin:reports_version_add")
    hostile = as_root.get(address, {"algorithm": "CountMeanSketch", "k": "<b>1</b>"}).content.decode()
    assert "From your plan: &lt;b&gt;1&lt;/b&gt;." in hostile
    for query in ({}, {"algorithm": "Guess", "k": "7"}):
        for name in ("version", "usecase"):
            assert "From your plan" not in text(as_root.get(reverse(f"admin:reports_{name}_add"), query))


def test_numbers_that_no_plan_has_are_told_in_few_characters(as_root: Client) -> None:
    define()
    for number in ("1e9999999", "1e20000", "1e-9999999", "9" * 5000, "sNaN", "Infinity"):
        for name, field in (("usecase", "daily_limit"), ("version", "k")):
            address = reverse(f"admin:reports_{name}_add")
            page = as_root.get(address, {"algorithm": "CountMeanSketch", field: number})
            assert page.status_code == 200
            told = re.search(r"From your plan: (\S+)\.", text(page))
            assert told is not None
            assert len(told[1]) <= 30


def test_a_use_case_that_was_not_planned_stays_on_its_page(as_root: Client) -> None:
    address = reverse("admin:reports_usecase_add")
    form = as_root.get(address).context["adminform"].form
    usual = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    for query in ("", "?algorithm=Guess&epsilon=4"):
        slug = f"plain{len(query)}"
        made = as_root.post(address + query, {**usual, "title": "Plain", "slug": slug})
        use_case = UseCase.objects.get(slug=slug)
        assert made.headers["Location"] == reverse("admin:reports_usecase_change", args=[use_case.pk])


def test_the_planner_and_the_privacy_page_bound_crafted_reports_alike(as_root: Client) -> None:
    define(algorithm="LocalHashing", parameters={"epsilon": 4, "k": 8192, "g": 56, "seed": "0f" * 16})
    assert "can add up to 2.05 reports to an element" in text(as_root.get("/planner/"))
    private = text(as_root.get(reverse("use_case_privacy", args=["fruits"])))
    assert "adds more than 2.05 reports to the estimate of an element" in private


def test_a_mechanism_is_asked_for_its_own_shape(as_charlie: Client) -> None:
    def asked(algorithm: str) -> set[str]:
        form: PlannerForm = as_charlie.get("/planner/", {"algorithm": algorithm} if algorithm else {}).context["form"]
        return form.fields.keys() & {"k", "m", "g", "w"}

    assert asked("") == {"k", "m", "g", "w"}
    assert (asked("LocalHashing"), asked("SampledFragmentPuzzle")) == ({"k", "g"}, {"k", "g"})
    assert (asked("CountMeanSketch"), asked("SubsetSelection")) == ({"k", "m"}, {"w"})
    assert "k = 300, g = 40" in text(as_charlie.get("/planner/?algorithm=LocalHashing&k=300&g=40"))
    # Useless parameters are not in the address either.
    answer = as_charlie.get("/planner/?algorithm=SubsetSelection&w=5&g=40")
    assert answer.headers["Location"] == "/planner/?algorithm=SubsetSelection&w=5"
