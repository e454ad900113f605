"""Files of histograms; what the files of all figures have in common is tried in `pages/test_files.py`."""

import io
import json
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client

from reports.models import Viewing
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import PAGE, exported, make_histogram, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def table(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/vnd.apache.parquet"
    assert answer.headers["Content-Disposition"].endswith('.parquet"')
    return pyarrow.parquet.read_table(io.BytesIO(answer.content))


@pytest.mark.usefixtures("published")
def test_parquet_has_the_cells_of_the_csv_with_their_types(as_bob: Client) -> None:
    page = as_bob.get(PAGE + "?sort=name&top=2")
    assert ">Parquet</a>" in words(page)
    rows = exported(as_bob, page, "csv")
    found = table(as_bob, f"{PAGE}histogram.parquet?sort=name&top=2")
    assert found.column_names == list(rows[0])
    written = found.to_pylist()
    assert [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in written] == rows
    assert [type(written[0][name]) for name in ("element", "estimate", "rank")] == [str, float, int]
    about = json.loads(found.schema.metadata[b"ldpsite"])
    assert (about["n"], about["parameters"]["m"]) == (800, 64)
    assert "entries" not in about
    assert Viewing.objects.filter(what="parquet").count() == 1


def test_texts_in_parquet_are_no_formulas_to_disarm(as_bob: Client) -> None:
    make_histogram(define(dictionary=["=1+1", "fig"]), ["=1+1"])
    found = table(as_bob, f"{PAGE}histogram.parquet?from={days_ago(1)}&to={days_ago(1)}")
    assert found["element"].to_pylist() == ["=1+1"]


@pytest.mark.usefixtures("published")
def test_parquet_without_rows_still_has_its_columns(as_bob: Client) -> None:
    found = table(as_bob, PAGE + "histogram.parquet?q=nothing")
    assert (found.num_rows, found.column_names[0]) == (0, "element")
    assert json.loads(found.schema.metadata[b"ldpsite"])["n"] == 800


@pytest.mark.usefixtures("found")
def test_discovered_words_have_their_lists(as_bob: Client) -> None:
    found = table(as_bob, "/use-cases/slang/histogram.parquet")
    assert found["cuts"].to_pylist()[0] == [110.5, 120.0, 130.25]
    assert found["is_new"].to_pylist()[0] is False


@pytest.mark.usefixtures("published")
def test_how_a_chart_is_drawn_changes_no_number_of_a_file(as_bob: Client) -> None:
    plain = exported(as_bob, as_bob.get(PAGE), "json")
    drawn = exported(as_bob, as_bob.get(PAGE + "?unit=count&scale=log"), "json")
    assert drawn.pop("address") == f"{plain.pop('address')}&unit=count&scale=log"
    assert drawn == plain
