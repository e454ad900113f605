"""The form of evaluations: asked for in lines, files and addresses; mistakes in plain words."""

import html
import re
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from reports.evaluation import document_of, order_evaluation
from reports.formatting import day_range
from reports.jobs import finish_inline
from reports.models import Evaluation, Version, Viewing
from tests.conftest import logged_in
from tests.reports.evaluation.test_evaluations import GRID, comparable
from tests.reports.small_fleet import days_ago
from tests.reports.web.pages.evaluation.asking import ASKED
from tests.reports.web.pages.reading import text_of as text

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_form_orders_what_the_command_would_and_the_page_answers(as_bob: Client) -> None:
    assert "Which parameters can be trusted?" in text(as_bob.get("/evaluations/"))
    made = as_bob.post("/evaluations/", ASKED)
    evaluation = Evaluation.objects.get()
    assert made.headers["Location"] == f"/evaluations/{evaluation.pk}/"
    waiting = as_bob.get(made.headers["Location"])
    assert "Waiting for a worker" in text(waiting)
    assert "Cancel" in text(waiting)
    finish_inline(evaluation)
    by_command = finish_inline(
        order_evaluation(evaluation.grid, {"list": ASKED["counts"]}.__getitem__, seed=7, ring=False)  # type: ignore[arg-type]
    )
    evaluation.refresh_from_db()
    assert comparable(document_of(evaluation)) == comparable(document_of(by_command))
    page = as_bob.get(f"/evaluations/{evaluation.pk}/")
    shown = text(page)
    assert "At ε = 4, harmonic counts:" in shown
    assert "At ε = 4, your own list: " in shown
    assert "Count Mean Sketch, k = 65,535, m = 8" in shown
    assert "The chance that a histogram shows the first 2 exactly in order is" in shown
    assert page.content.decode().count('class="chart"') == 4
    steered = as_bob.get(f"/evaluations/{evaluation.pk}/?epsilon=2&sort=cost&first=1")
    assert "At ε = 2, harmonic counts:" in text(steered)
    assert "The chance that a histogram shows the first 1 exactly in order is" in text(steered)
    assert "?first=1&amp;sort=cost&amp;epsilon=4" in steered.content.decode()
    for wrong in ("0", "-1", "x", "99999999999", "²"):
        assert as_bob.get(f"/evaluations/{evaluation.pk}/?first={wrong}").status_code == 200


def test_a_report_has_the_size_that_the_planner_names(as_bob: Client) -> None:
    planner = as_bob.get("/planner/?algorithm=CountMeanSketch")
    (plan,) = re.findall(r'href="/evaluations/\?(algorithm=CountMeanSketch[^"]*)"', planner.content.decode())
    planned = dict(parse_qsl(html.unescape(plan)))
    made = as_bob.post("/evaluations/", {**ASKED, **{name: planned[name] for name in ("k", "m", "epsilon")}})
    finish_inline(Evaluation.objects.get())
    sizes = set(re.findall(r"(\d+)\s(?=B\b)", text(as_bob.get(made.headers["Location"]))))
    assert len(sizes) == 1
    assert f"with reports of {sizes.pop()} B" in text(planner).replace("\u00a0", " ")


def test_mistakes_are_said_in_plain_words(as_bob: Client) -> None:
    for change, message in (
        ({"counts": "tea\t5\nmilk\t-2\n"}, "Line 2 has a negative count, '-2', of 'milk'; counts are 0 or more."),
        ({"counts": "tea,1\ntea,2"}, "Line 2 repeats 'tea' of line 1; add up their counts."),
        ({"m": "9"}, "Count Mean Sketch: Must be a power of two from 8 to 1,048,576."),
        ({"m": "9", "k": ""}, "Count Mean Sketch: Must be a power of two from 8 to 1,048,576."),
        ({"m": "2000000", "k": ""}, "Count Mean Sketch: Must be a power of two from 8 to 1,048,576."),
        (
            {"algorithm": ["CountMeanSketch", "LocalHashing"], "g": "1", "k": ""},
            "Local hashing: Must be from 2 to 65,536; best is the whole number nearest e^ε + 1.",
        ),
        ({"epsilon": "17", "k": "", "m": ""}, "Must be above 0 and at most 16, and a multiple of 0.001."),
        ({"epsilon": "4.0001"}, "Must be above 0 and at most 16, and a multiple of 0.001."),
        ({"k": " ".join(map(str, range(1, 1002)))}, "These are too many combinations of parameters"),
        ({"top": "31"}, "There are 30 elements, and so no more ranks: take 30 or fewer."),
        ({"distributions": ["list"]}, "There are 2 elements, and so no more ranks: take 2 or fewer."),
        ({"epsilon": "four"}, "Give numbers separated by commas, such as 256, 65535."),
        ({"k": "1e5000"}, "Give numbers separated by commas, such as 256, 65535."),
        ({"distributions": []}, "Choose one at least."),
        ({"elements": "250000", "k": "65535", "repetitions": "1000"}, "repetitions would fit."),
    ):
        refused = as_bob.post("/evaluations/", {**ASKED, **change})
        assert refused.status_code == 400
        assert message in text(refused)
        assert not Evaluation.objects.exists()


def test_mistakes_are_said_in_french_beside_their_fields(as_bob: Client) -> None:
    as_bob.cookies[settings.LANGUAGE_COOKIE_NAME] = "fr"
    for name, value, message in [
        ("m", "9", "Doit être une puissance de deux de 8 à 1\xa0048\xa0576."),
        ("epsilon", "17", "Doit être supérieur à 0"),
        ("k", "500000000", "Doit être au moins 1"),
    ]:
        refused = as_bob.post("/evaluations/", {**ASKED, name: value}).content.decode()
        (said,) = re.findall(r'<p class="field-error" id="id_(\w+)_error" role="alert">(.*?)</p>', refused)
        assert (said[0], message in html.unescape(said[1])) == (name, True), said
    slow = {"elements": "250000", "k": "65535", "repetitions": "1000"}
    refused = as_bob.post("/evaluations/", {**ASKED, **slow}).content.decode()
    assert re.findall(r'id="id_(\w+)_error" role="alert">Cela prendrait environ', refused) == ["repetitions"]


def test_hints_of_the_form_are_of_their_own_field(as_bob: Client) -> None:
    page = as_bob.get("/evaluations/").content.decode()
    empty = "Left empty: what fits each ε."
    for name, hint in (
        ("k", f"256, 65535. {empty} More: smaller lasting mistakes by collisions, slower to read out."),
        ("m", f"32, 1024. {empty} More: rarer collisions, larger reports."),
        ("epsilon", "1, 2, 4"),
    ):
        assert f'id="id_{name}_helptext">One value or several: {hint}</div>' in page
    assert page.count(empty) == 4


def test_parameters_left_empty_are_what_fits_each_epsilon(as_bob: Client) -> None:
    asked = {"algorithm": ["LocalHashing", "SubsetSelection"], "k": "64, 128", "m": "", "distributions": "harmonic"}
    assert as_bob.post("/evaluations/", {**ASKED, **asked}).status_code == 302
    assert Evaluation.objects.get().grid["mechanisms"] == [
        {"algorithm": "LocalHashing", "g": 8, "k": [64, 128]},
        {"algorithm": "LocalHashing", "g": 56, "k": [64, 128]},
        {"algorithm": "SubsetSelection", "w": 3},
        {"algorithm": "SubsetSelection", "w": 1},
    ]


def test_parameters_left_empty_of_which_all_epsilon_take_the_same_are_tried_once(as_bob: Client) -> None:
    assert as_bob.post("/evaluations/", {**ASKED, "k": "", "estimator": "corrected"}).status_code == 302
    assert Evaluation.objects.get().grid["mechanisms"] == [
        {"algorithm": "CountMeanSketch", "k": 64, "m": [8], "estimator": "corrected"}
    ]


def test_a_list_may_come_as_a_file(as_bob: Client) -> None:
    file = SimpleUploadedFile("mine.csv", b"tea,3\nmilk,2.5\n")
    refused = as_bob.post("/evaluations/", {**ASKED, "counts": "", "file": file})
    assert "Line 2 has a fractional count, '2.5', of 'milk'; write whole numbers." in text(refused)
    file = SimpleUploadedFile("mine.csv", b"tea,3\nmilk,2\n")
    assert as_bob.post("/evaluations/", {**ASKED, "counts": "", "file": file}).status_code == 302
    assert Evaluation.objects.get().lists == {"list": "tea,3\nmilk,2\n"}


def test_bytes_that_are_no_text_are_replaced(as_bob: Client) -> None:
    file = SimpleUploadedFile("mine.csv", b"te\0a,3\nm\xfflk,2\n")
    assert as_bob.post("/evaluations/", {**ASKED, "counts": "", "file": file}).status_code == 302
    assert Evaluation.objects.get().lists == {"list": "te\ufffda,3\nm\ufffdlk,2\n"}


def test_a_use_case_is_evaluated_by_its_published_shape(
    published: Any, version: Version, as_bob: Client, charlie: User
) -> None:
    slug = version.use_case.slug
    page = as_bob.get(f"/evaluations/?use_case={slug}")
    assert f"Filled in for “{version.use_case.title}”" in text(page)
    assert Viewing.objects.filter(use_case=version.use_case, what="page").count() == 1
    assert logged_in(charlie).get(f"/evaluations/?use_case={slug}").status_code == 404
    assert logged_in(charlie).get("/evaluations/", {"use_case": "\0"}).status_code == 404
    (field,) = re.findall(r'<input[^>]*name="top"[^>]*>', page.content.decode())
    assert f'value="{version.histograms.latest("pk").entries.size}"' in field
    asked = {**ASKED, "distributions": ["published"], "counts": "", "k": "16"}
    made = as_bob.post(f"/evaluations/?use_case={slug}", asked)
    evaluation = finish_inline(Evaluation.objects.get())
    assert evaluation.use_case == version.use_case
    assert "finished · elements of a list · 500 reports · ε = 2, 4 · Count Mean Sketch · Fruits" in text(
        as_bob.get("/evaluations/")
    )
    shown = text(as_bob.get(made.headers["Location"]))
    assert "At ε = 4, the published chart, with Count Mean Sketch, k = 16, m = 8:" in shown
    assert "of the first 3 places" in shown
    (truth,) = document_of(evaluation)["input"]["distributions"]
    assert (truth["name"], truth["n"]) == ("published", 500)
    version.use_case.viewer_groups.clear()
    assert as_bob.get(made.headers["Location"]).status_code == 404


def test_an_evaluation_of_a_chart_has_its_window_and_number_of_reports(
    published: Any, version: Version, as_bob: Client
) -> None:
    def asked(query: str) -> tuple[str, str]:
        page = as_bob.get(f"/use-cases/fruits/{query}").content.decode()
        (link,) = re.findall(r'<a class="no-print" href="([^"]*)">How far can this chart be trusted', page)
        form = as_bob.get(html.unescape(link)).content.decode()
        (field,) = re.findall(r'<input[^>]*name="reports"[^>]*>', form)
        (reports,) = re.findall(r'value="(\d+)"', field)
        return html.unescape(link), reports

    first, last = days_ago(2), days_ago(1)
    link, reports = asked(f"?from={first}&to={first}")
    assert (link, reports) == (
        f"/evaluations/?use_case=fruits&locale=en_US&from={first}&to={first}&version={version.number}",
        "300",
    )
    assert asked(f"?from={last}&to={last}&q=a")[1] == "500"
    assert asked(f"?from={first}&to={last}")[1] == "800"
    assert f"“Fruits”, {day_range(first, first)}:" in text(as_bob.get(link))
    assert "<h1>How far can this chart be trusted?</h1>" in as_bob.get(link).content.decode()
    made = as_bob.post(link, {**ASKED, "distributions": ["published"], "counts": "", "reports": reports})
    (truth,) = document_of(Evaluation.objects.get())["input"]["distributions"]
    assert truth["n"] == 300
    page = as_bob.get(made.headers["Location"])
    named = f"Fruits, English (United States), {day_range(first, first)}"
    assert f"How far can this chart be trusted? {named} The published estimates are taken as the truth" in text(page)
    (back,) = re.findall(r'<a id="chart" href="([^"]*)"', page.content.decode())
    assert f'value="{first}"' in as_bob.get(html.unescape(back), follow=True).content.decode()
    # A grid of other counts is about no chart.
    made = as_bob.post(link, ASKED)
    assert "this chart" not in text(as_bob.get(made.headers["Location"]))
    for wrong in ("from=nonsense", "version=99", "locale=xx"):
        assert as_bob.get(f"/evaluations/?use_case=fruits&{wrong}").status_code == 404


def test_parameters_in_the_address_are_filled_in(as_bob: Client) -> None:
    page = as_bob.get("/evaluations/?algorithm=CountMeanSketch&k=77&m=64&epsilon=3&reports=1234").content.decode()
    for name, value in (("k", 77), ("m", 64), ("epsilon", 3), ("reports", 1234)):
        (field,) = re.findall(rf'<input[^>]*name="{name}"[^>]*>', page)
        assert f'value="{value}"' in field
    assert GRID["elements"] == 30


def test_drafts_and_plans_lead_to_an_evaluation(version: Version, alice: User, as_bob: Client) -> None:
    as_alice = logged_in(alice)
    planner = as_bob.get("/planner/").content.decode()
    (plan,) = re.findall(r'href="(/evaluations/\?algorithm=CountMeanSketch[^"]*)"', planner)
    assert as_bob.get(html.unescape(plan)).status_code == 200
    page = as_alice.get(f"/evaluations/?parameters_of={version.pk}").content.decode()
    (field,) = re.findall(r'<input[^>]*name="k"[^>]*>', page)
    assert f'value="{version.parameters["k"]}"' in field
    assert as_bob.get(f"/evaluations/?parameters_of={version.pk}").status_code == 404
    for unknown in ("x", "\u0661", "9" * 5000):
        assert as_bob.get("/evaluations/", {"parameters_of": unknown}).status_code == 404


def test_mechanisms_are_tried_beside_each_other_and_report_by_report(as_bob: Client) -> None:
    both: dict[str, Any] = {
        "algorithm": ["CountMeanSketch", "HadamardCountMeanSketch"],
        "k": "16",
        "epsilon": "4",
        "repetitions": "2",
    }
    made = as_bob.post("/evaluations/", {**ASKED, **both, "exact_reports": "on"})
    evaluation = finish_inline(Evaluation.objects.get())
    assert evaluation.exact_reports
    assert [cell["mechanism"] for cell in document_of(evaluation)["cells"]] == [*both["algorithm"], *both["algorithm"]]
    shown = text(as_bob.get(made.headers["Location"]))
    assert "Hadamard Count Mean Sketch, k = 16, m = 8" in shown
    assert "Reports one by one" in shown
