"""JSON and CSV: the same numbers, unrounded, with their provenance, and harmless in a spreadsheet."""

import csv
import io
import json
from typing import Any

import pytest
from django.utils import timezone

from reports.models import Histogram, HistogramEntry
from reports.results import csv_lines
from reports.results.document import histogram_document
from tests.reports.small_fleet import aggregate, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

FIELDS = """use_case version locale grouping first_day last_day n algorithm parameters dictionary_revision
dictionary_size alpha threshold below_threshold generated_at entries""".split()
ENTRY_FIELDS = """element display estimate standard_error lower upper adjusted_lower adjusted_upper rank category
members threshold""".split()


def document() -> dict[str, Any]:
    histogram = Histogram.objects.get()
    return histogram_document(histogram, list(histogram.entries.order_by("rank")))


@pytest.fixture
def published() -> dict[str, Any]:
    version = define()
    send(version, 3000)
    aggregate(version)
    return document()


def test_the_fields_are_those_that_scripts_rely_on(published: dict[str, Any]) -> None:
    assert list(published) == FIELDS
    assert [list(entry) for entry in published["entries"]] == [ENTRY_FIELDS] * 3
    assert published["parameters"] == {
        "epsilon": 8,
        "k": 1024,
        "m": 64,
        "hash": "quadratic-m31-v1",
        "seed": "0f" * 16,
    }


def test_numbers_survive_json_and_csv_unrounded(published: dict[str, Any]) -> None:
    assert json.loads(json.dumps(published)) == published
    rows = list(csv.DictReader("".join(csv_lines(published)).splitlines()))
    for row, entry in zip(rows, published["entries"], strict=True):
        assert row["category"] == entry["category"]
        for name in set(ENTRY_FIELDS) - {"element", "display", "category"}:
            assert float(row[name]) == entry[name]
        assert row["element"] == entry["element"]
        for name in ("n", "threshold", "alpha", "version"):
            assert float(row[name]) == published[name]
        assert (row["k"], row["seed"], row["locale"]) == ("1024", "0f" * 16, "en_US")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_text_that_a_spreadsheet_would_run_is_disarmed(published: dict[str, Any], text: str) -> None:
    published["entries"][0] |= {"element": text, "display": text, "category": text, "estimate": -5.0}
    _header, row, *_rest = csv.reader(io.StringIO("".join(csv_lines(published)), newline=""))
    assert row[0].startswith("'")
    assert row[1].startswith("'")
    assert row[2] == "-5.0"
    assert row[ENTRY_FIELDS.index("category")].startswith("'")


def test_no_entries_still_make_a_header(published: dict[str, Any]) -> None:
    published["entries"] = []
    (header,) = "".join(csv_lines(published)).splitlines()
    assert header.startswith("element,display,")


def test_a_word_is_written_without_its_padding() -> None:
    version = define(normalization="word", dictionary=["apple"])
    revision = version.current_dictionary()
    assert revision is not None
    assert revision.elements() == ["apple_____"]
    now = timezone.now()
    histogram = Histogram(
        version=version, revision=revision, first_day=now, last_day=now, generated_at=now, threshold=1
    )
    (written,) = histogram_document(histogram, [HistogramEntry(element="apple_____", display="Apple")])["entries"]
    assert (written["element"], written["display"]) == ("apple", "Apple")
    version.normalization = "raw"
    (written,) = histogram_document(histogram, [HistogramEntry(element="a_", display="a_")])["entries"]
    assert written["element"] == "a_"
