"""Files of histograms; what the files of all figures have in common is tried in `pages/test_files.py`."""

import io
import json
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client

from tests.reports.web.pages.reading import PAGE, exported

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def table(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/vnd.apache.parquet"
    assert answer.headers["Content-Disposition"].endswith('.parquet"')
    return pyarrow.parquet.read_table(io.BytesIO(answer.content))


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
    assert [type(found[name].to_pylist()[0]) for name in ("element", "estimate", "rank")] == [str, float, int]


@pytest.mark.usefixtures("published")
def test_how_a_chart_is_drawn_changes_no_number_of_a_file(as_bob: Client) -> None:
    plain = exported(as_bob, as_bob.get(PAGE), "json")
    drawn = exported(as_bob, as_bob.get(PAGE + "?unit=count&scale=log"), "json")
    assert drawn.pop("address") == f"{plain.pop('address')}&unit=count&scale=log"
    assert drawn == plain
