"""Evaluations on pages: asked for by a form, answered in sentences, kept for who asked, shared by link."""

import csv
import html
import io
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from reports.evaluation import cancel_evaluation, document_of, order_evaluation
from reports.formatting import day_range
from reports.jobs import finish_inline
from reports.jobs.leases import claim
from reports.jobs.working import begin, do
from reports.models import Evaluation, Version, Viewing
from tests.reports.evaluation.test_evaluations import GRID, comparable, do_one, order
from tests.reports.small_fleet import days_ago
from tests.reports.web.pages.tables import numbers

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

ASKED = {
    "distributions": ["harmonic", "list"],
    "counts": "tea\t300\nmilk\t200\n",
    "elements": "30",
    "reports": "500",
    "algorithm": "CountMeanSketch",
    "k": "16, 65535",
    "m": "8",
    "epsilon": "2, 4",
    "estimator": "debiased",
    "family": "fixed",
    "repetitions": "20",
    "top": "3",
    "seed": "7",
}


def text(response: Any) -> str:
    """What a reader sees, without tags, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


@pytest.fixture
def as_bob(bob: User, login: Callable[[User], Client]) -> Client:
    return login(bob)


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


def test_charts_have_places_from_the_first_and_say_where_zero_is_drawn(as_bob: Client, bob: User) -> None:
    mechanisms = [{"algorithm": "CountMeanSketch", "k": [1, 2, 4, 8, 16, 32, 500], "m": 8}]
    evaluation = finish_inline(order(user=bob, mechanisms=mechanisms, epsilon=[8], repetitions=20, reports=20_000))
    page = as_bob.get(f"/evaluations/{evaluation.pk}/").content.decode()
    (found,) = re.findall(r'<script id="chart-evaluation-ranks-figure"[^>]*>(.*?)</script>', page)
    figure = json.loads(found)
    layout = figure["layout"]
    assert (layout["xaxis"]["range"], layout["xaxis"]["tickvals"]) == ([0.5, 3.5], [1, 2, 3])
    assert (layout["yaxis"]["tickvals"][0], layout["yaxis"]["ticktext"][0]) == (0.01, "≤\u00a00.01")
    # The first element of so many is always in its place.
    best = figure["data"][-1]
    assert (best["name"], best["y"][0]) == ("k = 500, m = 8", 0.01)
    assert best["hovertext"][0].endswith(" 0.00")
    assert len({trace["name"] for trace in figure["data"]}) == 6
    assert "Drawn are the 6 sets of parameters with which most places hold." in html.unescape(page)


def test_files_have_all_ranks_of_all_cells(as_bob: Client, bob: User) -> None:
    evaluation = finish_inline(order())
    Evaluation.objects.update(requested_by=bob)
    found = json.loads(as_bob.get(f"/evaluations/{evaluation.pk}/ranks.json").content)
    assert {name: found[name] for name in ("R", "seed", "cells")} == {
        name: document_of(evaluation)[name] for name in ("R", "seed", "cells")
    }
    assert found["provenance"]["page"] == f"http://testserver/evaluations/{evaluation.pk}/"
    lines = list(csv.DictReader(io.StringIO(as_bob.get(f"/evaluations/{evaluation.pk}/ranks.csv").getvalue().decode())))
    rows = [row for cell in found["cells"] for row in cell["top"]]
    assert [float(line["mse"]) for line in lines] == [row["mse"] for row in rows]
    assert as_bob.get(f"/evaluations/{evaluation.pk}/ranks.parquet").content[:4] == b"PAR1"


def test_the_table_of_all_that_was_tried_is_its_file(as_bob: Client, bob: User) -> None:
    evaluation = finish_inline(order(user=bob, family="fresh"))
    address = f"/evaluations/{evaluation.pk}/"
    page = as_bob.get(f"{address}?first=2&sort=error").content.decode()
    for form in ("csv", "json", "parquet"):
        assert f'href="{address}cells.{form}?first=2&amp;sort=error"' in page
    assert f'<a href="{address}ranks.json" download>The whole evaluation (JSON)</a>' in page
    document = json.loads(as_bob.get(f"{address}cells.json?first=2&sort=error").content)
    assert (document["provenance"]["page"], document["seed"]) == (f"http://testserver{address}", 7)
    lines = list(csv.DictReader(io.StringIO(as_bob.get(f"{address}cells.csv?first=2&sort=error").getvalue().decode())))
    assert len(lines) == len(document["cells"]) == 8
    for line, cell in zip(lines, document["cells"], strict=True):
        assert json.loads(line["parameters"]) == cell["parameters"]
        assert float(line["root_mse"]) == cell["root_mse"]
        assert (line["family"], line["evaluation"]) == ("fresh", str(evaluation.pk))
    # All ε, whichever is answered for.
    assert {line["epsilon"] for line in lines} == {"2", "4"}
    (tried,) = [table for table in re.findall(r"<table.*?</table>", page, re.DOTALL) if "All that was tried" in table]
    rows = [re.findall("<bdi>(.*?)</bdi>", row) for row in tried.split('<th role="rowheader"')[1:]]
    for row, line in zip(rows, lines, strict=True):
        *_names, epsilon, in_order, in_any_order, held, error, expected, off, size, seconds = row
        assert epsilon == line["epsilon"]
        for shown, name in ((in_order, "first_in_order"), (in_any_order, "first_in_any_order")):
            for written, part in zip(numbers(shown), ("", "_lower", "_upper"), strict=True):
                assert written.is_about(100 * float(line[f"{name}{part}"]))
        assert [each.value for each in numbers(held)] == [float(line["first_places_that_hold"]), float(line["first"])]
        assert numbers(error)[0].is_about(float(line["root_mse"]))
        assert numbers(expected)[0].is_about(float(line["expected_root_mse"]))
        assert numbers(off)[0].is_about(100 * float(line["delta_e"]))
        assert numbers(size)[0].value == float(line["report_bytes"])
        assert numbers(seconds)[0].is_about(max(0.1, float(line["server_seconds"])))
    assert float(lines[0]["root_mse"]) == min(float(line["root_mse"]) for line in lines)
    assert as_bob.get(f"{address}cells.parquet").content[:4] == b"PAR1"


def test_what_was_tried_is_sorted_by_chances(as_bob: Client, bob: User) -> None:
    evaluation = finish_inline(order(user=bob, repetitions=20))
    address = f"/evaluations/{evaluation.pk}/"
    page = html.unescape(as_bob.get(address).content.decode())
    for heading, sort in (("First 3 exactly in order", "in-order"), ("Right 3, in any order", "any-order")):
        assert re.search(rf'<a href="\?first=3&sort={sort}"[^>]*>{heading}', page)
    for query, columns in (("", ("epsilon", "-first_in_order")), ("?sort=in-order", ("-first_in_order",))):
        assert_sorted(as_bob.get(f"{address}cells.csv{query}").getvalue().decode(), columns)
    assert_sorted(as_bob.get(f"{address}cells.csv?sort=any-order").getvalue().decode(), ("-first_in_any_order",))


def assert_sorted(file: str, columns: tuple[str, ...]) -> None:
    """Check the order of lines; what begins with a minus is largest first."""
    found = [
        [float(line[name.lstrip("-")]) * (-1 if name.startswith("-") else 1) for name in columns]
        for line in csv.DictReader(io.StringIO(file))
    ]
    assert found == sorted(found)


def test_an_evaluation_of_an_earlier_version_says_what_to_do(as_bob: Client, bob: User) -> None:
    evaluation = finish_inline(order(user=bob))
    document = document_of(evaluation)
    later = {"chances", "first_in_order", "first_in_any_order", "delta_r_error", "expected_mse"}
    document["cells"] = [{name: cell[name] for name in cell.keys() - later} for cell in document["cells"]]
    Evaluation.objects.update(document=document)
    address = f"/evaluations/{evaluation.pk}/"
    assert "was made by an earlier version, and cannot be shown. Order it again." in text(as_bob.get(address))
    for file in ("progress/", "ranks.csv", "ranks.json", "cells.csv", "cells.json"):
        assert as_bob.get(f"{address}{file}").status_code == 200


@pytest.mark.parametrize(
    ("change", "message"),
    [
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
    ],
)
def test_mistakes_are_said_in_plain_words(as_bob: Client, change: dict[str, Any], message: str) -> None:
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


def test_only_who_asked_sees_an_evaluation_until_it_is_shared(
    as_bob: Client, bob: User, charlie: User, login: Callable[[User], Client]
) -> None:
    evaluation = finish_inline(order())
    Evaluation.objects.update(requested_by=bob)
    address, as_charlie = f"/evaluations/{evaluation.pk}/", login(charlie)
    assert (as_bob.get(address).status_code, as_charlie.get(address).status_code) == (200, 404)
    assert as_charlie.post(f"{address}share/").status_code == 404
    as_bob.post(f"{address}share/")
    assert "Stop sharing" in text(as_bob.get(address))
    assert "Stop sharing" not in text(as_charlie.get(address))
    assert as_charlie.get(f"/evaluations/{evaluation.pk}/ranks.json").status_code == 200
    for deed in ("share", "cancel", "retry"):
        assert as_charlie.post(f"{address}{deed}/").status_code == 404
    as_bob.post(f"{address}share/")
    assert as_charlie.get(address).status_code == 404


def test_a_cancelled_evaluation_shows_its_cells_and_goes_on(as_bob: Client, bob: User) -> None:
    evaluation = order(repetitions=5)
    Evaluation.objects.update(requested_by=bob)
    do_one(evaluation)
    address = f"/evaluations/{evaluation.pk}/"
    as_bob.post(f"{address}cancel/")
    page = as_bob.get(address)
    shown = text(page)
    said = r"Cancelled \d+ % 2 of 8 sets of parameters are done What is done is kept, and below is what it says\."
    assert re.search(said, shown)
    assert "It can go on from there at any time. Go on from there So far" in shown
    assert "Failed" not in shown
    assert 'role="alert"' not in page.content.decode()
    assert "At ε = 2, harmonic counts, with" in shown
    others = [order(), order()]
    Evaluation.objects.update(requested_by=bob)
    refused = as_bob.post(f"{address}retry/", follow=True)
    assert "2 of your evaluations are still under way" in text(refused)
    assert '<a href="/evaluations/#earlier-title">See yours</a>' in refused.content.decode()
    listed = as_bob.post("/evaluations/", ASKED)
    assert '<a href="#earlier-title">See yours</a>' in listed.content.decode()
    in_words = "30 elements · 500 reports · ε = 2, 4 · Count Mean Sketch"
    assert text(listed).count(f"waiting · {in_words}") == 2
    assert f"UTC cancelled · {in_words}" in text(listed)
    cancel_evaluation(others[0])
    as_bob.post(f"{address}retry/")
    assert finish_inline(evaluation).state == Evaluation.State.FINISHED


def test_cells_are_shown_as_they_get_done_and_not_as_the_last_word(as_bob: Client, bob: User) -> None:
    evaluation = order(repetitions=5, user=bob)
    address = f"/evaluations/{evaluation.pk}/"
    assert f'data-address="{address}progress/?epsilon=2"' in as_bob.get(f"{address}?epsilon=2").content.decode()
    assert "So far" not in text(as_bob.get(f"{address}progress/"))
    do_one(evaluation)
    do_one(evaluation)
    shown = as_bob.get(f"{address}progress/?epsilon=2")
    assert "4 of 8 sets of parameters are done" in text(shown)
    assert "So far What is not done yet may change this." in text(shown)
    assert "At ε = 2, harmonic counts, with" in text(shown)
    assert shown.content.decode().count('<th role="rowheader"') == 4
    page = as_bob.get(f"{address}?epsilon=2")
    assert "So far What is not done yet may change this." in text(page)
    # Charts do not change by themselves.
    assert 'class="chart"' not in page.content.decode()
    finish_inline(evaluation)
    assert "data-finished" in as_bob.get(f"{address}progress/").content.decode()
    assert "So far" not in text(as_bob.get(address))


def test_an_order_says_that_it_waits_for_another_and_not_whose(as_bob: Client, alice: User, bob: User) -> None:
    own, others = order(user=bob), order(user=alice, seed=8)
    address = f"/evaluations/{own.pk}/progress/"
    assert "Waiting for a worker" in text(as_bob.get(address))
    begin(others)
    part = claim(others)
    shown = text(as_bob.get(address))
    assert "Waiting for another evaluation" in shown
    assert "The workers are at another evaluation. They take turns" in shown
    assert "alice" not in shown
    assert str(others.pk) not in shown
    # A worker that is at its own part needs no word of others.
    begin(own)
    claim(own)
    assert "another evaluation" not in text(as_bob.get(address))
    do(part)


def test_a_use_case_is_evaluated_by_its_published_shape(
    published: Any, version: Version, as_bob: Client, charlie: User, login: Callable[[User], Client]
) -> None:
    slug = version.use_case.slug
    page = as_bob.get(f"/evaluations/?use_case={slug}")
    assert f"Filled in for “{version.use_case.title}”" in text(page)
    assert Viewing.objects.filter(use_case=version.use_case, what="page").count() == 1
    assert login(charlie).get(f"/evaluations/?use_case={slug}").status_code == 404
    assert login(charlie).get("/evaluations/", {"use_case": "\0"}).status_code == 404
    (field,) = re.findall(r'<input[^>]*name="top"[^>]*>', page.content.decode())
    assert f'value="{version.histograms.latest("pk").entries.count()}"' in field
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
        (link,) = re.findall(r'<a href="([^"]*)">How far can this chart be trusted', page)
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
    # Of other counts it is about no chart.
    made = as_bob.post(link, ASKED)
    assert "this chart" not in text(as_bob.get(made.headers["Location"]))
    for wrong in ("from=nonsense", "version=99", "locale=xx"):
        assert as_bob.get(f"/evaluations/?use_case=fruits&{wrong}").status_code == 404


def test_who_asked_deletes_an_evaluation_after_a_question(
    as_bob: Client, bob: User, charlie: User, login: Callable[[User], Client]
) -> None:
    evaluation = order(user=bob)
    address = f"/evaluations/{evaluation.pk}/"
    shown = as_bob.get(address)
    assert "It is kept until it is deleted. Delete this evaluation" in text(shown)
    assert f'href="{address}delete/"' in shown.content.decode()
    Evaluation.objects.update(shared=True)
    as_charlie = login(charlie)
    assert "Delete this evaluation" not in text(as_charlie.get(address))
    for method in (as_charlie.get, as_charlie.post):
        assert method(f"{address}delete/").status_code == 404
    assert "Delete this evaluation?" in text(as_bob.get(f"{address}delete/"))
    assert Evaluation.objects.exists()
    assert "The evaluation is deleted." in text(as_bob.post(f"{address}delete/", follow=True))
    assert not Evaluation.objects.exists()
    assert as_bob.get(address).status_code == 404
    order(user=bob)
    root = login(User.objects.create_superuser("root"))
    root.post(f"/evaluations/{Evaluation.objects.get().pk}/delete/")
    assert not Evaluation.objects.exists()


def test_a_deleted_person_is_not_taken_for_the_command_line(bob: User, login: Callable[[User], Client]) -> None:
    evaluation = finish_inline(order(user=bob))
    root = login(User.objects.create_superuser("root"))
    assert "Asked by bob" in text(root.get(f"/evaluations/{evaluation.pk}/"))
    bob.delete()
    said = "Asked by the command line, or a person who has been deleted since"
    assert said in text(root.get(f"/evaluations/{evaluation.pk}/"))


def test_parameters_in_the_address_are_filled_in(as_bob: Client) -> None:
    page = as_bob.get("/evaluations/?algorithm=CountMeanSketch&k=77&m=64&epsilon=3&reports=1234").content.decode()
    for name, value in (("k", 77), ("m", 64), ("epsilon", 3), ("reports", 1234)):
        (field,) = re.findall(rf'<input[^>]*name="{name}"[^>]*>', page)
        assert f'value="{value}"' in field
    assert GRID["elements"] == 30


def test_parameters_read_the_same_while_it_runs_and_afterwards(as_bob: Client, bob: User) -> None:
    mechanisms = [{"algorithm": "LocalHashing", "k": 4096, "g": 8, "estimator": "corrected"}]
    evaluation = order(user=bob, mechanisms=mechanisms, epsilon=[2], repetitions=2)
    do_one(evaluation)
    address, words = f"/evaluations/{evaluation.pk}/", "Local hashing, k = 4,096, g = 8, corrected for collisions"
    assert words in text(as_bob.get(address))
    finish_inline(evaluation)
    page = as_bob.get(address)
    assert words in text(page)
    assert "Estimates corrected for collisions" in text(page)
    assert "estimator = " not in text(page)
    assert re.search(r'aria-current="true">\s*Evaluations<', page.content.decode())


def test_drafts_and_plans_lead_to_an_evaluation(
    version: Version, alice: User, as_bob: Client, login: Callable[[User], Client]
) -> None:
    as_alice = login(alice)
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
