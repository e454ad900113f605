import copy
import csv
import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from reports.evaluation import matrix_of, releases
from reports.web.pages.evaluation import regression_page
from tests.conftest import logged_in
from tests.reports.web.pages.reading import text_of as text
from tests.reports.web.pages.tables import numbers

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_release_is_compared_with_the_one_before(bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client, newest = logged_in(bob), releases()[0]
    shown = text(client.get("/evaluations/regression/"))
    assert f"What release {newest} shows wrongly" in shown
    assert "In their intervals, %" in shown
    origin = f"Release {newest} Measured by make regression Repetitions 100, with hash functions of their own Seed 16"
    assert f"Where these numbers come from {origin}" in shown
    assert "Elements 200 of 10,000 reports, " in shown
    assert f"Address http://testserver/evaluations/regression/?release={newest}" in shown
    later: dict[str, Any] = copy.deepcopy(matrix_of(newest))
    later["rows"][0]["coverage"]["value"] -= 0.2
    kept = {"9.0.0": later, "8.9.0": matrix_of(newest)}
    monkeypatch.setattr(regression_page, "releases", lambda: list(kept))
    monkeypatch.setattr(regression_page, "matrix_of", kept.__getitem__)
    shown = text(client.get("/evaluations/regression/"))
    assert "1 row differs clearly from release 8.9.0." in shown
    assert shown.count("before: ") == 1
    assert "There is no earlier release" in text(client.get("/evaluations/regression/?release=8.9.0"))
    assert client.get("/evaluations/regression/?release=nonsense").status_code == 404


def test_files_have_the_numbers_of_the_release_shown(bob: User) -> None:
    client, newest = logged_in(bob), releases()[0]
    page = client.get("/evaluations/regression/").content.decode()
    for form in ("csv", "json"):
        assert f'href="/evaluations/regression.{form}?release={newest}"' in page
    matrix = matrix_of(newest)
    document = json.loads(client.get(f"/evaluations/regression.json?release={newest}").content)
    assert document == {**matrix, "address": f"http://testserver/evaluations/regression/?release={newest}"}
    written = client.get(f"/evaluations/regression.csv?release={newest}").getvalue().decode()
    lines = list(csv.DictReader(io.StringIO(written)))
    assert len(lines) == len(matrix["rows"])
    for line, row in zip(lines, matrix["rows"], strict=True):
        assert json.loads(line["parameters"]) == row["parameters"]
        assert (float(line["missed"]), float(line["missed_error"])) == tuple(row["missed"].values())
        assert line["release"] == newest
    shown = [re.findall("<bdi>(.*?)</bdi>", row) for row in page.split('<th role="rowheader"')[1:]]
    measures = {"false_elements": 1, "missed": 100, "total_variation": 100, "coverage": 100, "seconds": 1}
    for cells, line in zip(shown, lines, strict=True):
        for cell, (name, factor) in zip(cells[-len(measures) :], measures.items(), strict=True):
            value, error = numbers(cell)
            assert value.is_about(factor * float(line[name]))
            assert error.is_about(factor * float(line[f"{name}_error"]))
    assert client.get("/evaluations/regression.parquet").content[:4] == b"PAR1"
    assert client.get("/evaluations/regression.csv?release=nonsense").status_code == 404


# By so much coverage may differ from that of a normal estimate. An element's collisions with others are a compound
# Poisson sum, of skewness s = Σw³ / (Σw²)^1.5 / √(k/m) and kurtosis q = Σw⁴ / (Σw²)² / (k/m) where w are the shares of
# all elements; r is their part of the variance. By Edgeworth's series (P. Hall, The Bootstrap and Edgeworth Expansion,
# 1992, section 2.3) an interval of ±z standard errors covers less than it states by
# 2 φ(z) (r² q (z³ - 3z) / 24 + r³ s² (z⁵ - 10z³ + 15z) / 72). The magnitudes of these terms sum to 0.0013 at most, in
# the row of Count Mean Sketch, 200,000 reports, exponential counts, ε = 8.
NOT_NORMAL = 0.0013


def test_every_kept_matrix_is_within_what_is_promised() -> None:
    """The shipped numbers: intervals cover, and false elements are as rare as stated, within five standard errors."""
    for release in releases():
        for row in matrix_of(release)["rows"]:
            assert abs(row["coverage"]["value"] - 0.95) < 5 * row["coverage"]["error"] + NOT_NORMAL
            assert row["false_elements"]["value"] < 0.05 + 5 * max(row["false_elements"]["error"], 0.022)
