"""Findings of an evaluation: sentences, charts, tables and files, while it runs and afterwards."""

import csv
import html
import io
import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.evaluation import document_of
from reports.jobs import finish_inline
from reports.models import Evaluation
from tests.reports.evaluation.test_evaluations import do_one, order
from tests.reports.web.pages.reading import text_of as text
from tests.reports.web.pages.tables import numbers

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


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
