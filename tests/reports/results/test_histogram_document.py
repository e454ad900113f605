"""JSON and CSV: the same numbers, unrounded, with their provenance, and harmless in a spreadsheet."""

import csv
import io
import json
from typing import Any

import pytest
from django.utils import timezone

from reports.models import Histogram, Run, WordDecision
from reports.results import HistogramQuery, csv_parts, histogram_table, histogram_view
from reports.results.histogram_document import histogram_document
from tests.reports.entries import entries_of
from tests.reports.found_words import SEARCHED, change_word, define_search, find
from tests.reports.small_fleet import aggregate, define, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

FIELDS = """use_case version algorithm parameters confidence locale grouping first_day last_day n
dictionary_revision dictionary_size estimator alpha threshold prescribed_threshold below_threshold
values generated_at not_counted entries""".split()
ENTRY_FIELDS = """element display name estimate standard_error lower upper adjusted_lower adjusted_upper share
share_lower share_upper rank category members threshold consistent consistent_share""".split()
TEXTS = {"element", "display", "name", "category"}


def lines(written: dict[str, Any]) -> str:
    return "".join(csv_parts(histogram_table(written)))


def document() -> dict[str, Any]:
    histogram = Histogram.objects.get()
    return histogram_document(histogram, list(histogram.entries))


@once
def counted() -> Run:
    version = define()
    send(version, 3000)
    return aggregate(version)


@pytest.fixture
def published() -> dict[str, Any]:
    counted()
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
    rows = list(csv.DictReader(lines(published).splitlines()))
    for row, entry in zip(rows, published["entries"], strict=True):
        assert row["category"] == entry["category"]
        for name in set(ENTRY_FIELDS) - TEXTS - {"consistent", "consistent_share"}:
            assert float(row[name]) == entry[name]
        assert (row["consistent"], entry["consistent"]) == ("", None)
        assert row["element"] == entry["element"]
        for name in ("n", "threshold", "alpha", "version"):
            assert float(row[name]) == published[name]
        assert (row["k"], row["seed"], row["locale"]) == ("1024", "0f" * 16, "en_US")


def test_text_that_a_spreadsheet_would_run_is_disarmed(published: dict[str, Any]) -> None:
    for text in ("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"):
        published["entries"][0] |= {"element": text, "display": text, "category": text, "estimate": -5.0}
        _header, row, *_rest = csv.reader(io.StringIO(lines(published), newline=""))
        assert row[0].startswith("'"), text
        assert row[1].startswith("'"), text
        assert row[ENTRY_FIELDS.index("estimate")] == "-5.0"
        assert row[ENTRY_FIELDS.index("category")].startswith("'"), text


def test_no_entries_still_make_a_header(published: dict[str, Any]) -> None:
    published["entries"] = []
    (header,) = lines(published).splitlines()
    assert header.startswith("element,display,")


def test_a_word_is_written_without_its_padding() -> None:
    version = define(normalization="word", dictionary=["apple"])
    revision = version.current_dictionary()
    assert revision is not None
    assert revision.elements() == ["apple_____"]
    now = timezone.now()
    histogram = Histogram(
        version=version, revision=revision, first_day=now, last_day=now, generated_at=now, threshold=1, n=100
    )
    (entry,) = entries_of(["apple_____"], [10.0], error=1.0, half=2.0, adjusted=3.0)
    (written,) = histogram_document(histogram, [entry._replace(display="Apple")])["entries"]
    assert [written[name] for name in ("element", "display", "name")] == ["apple", "Apple", "Apple"]
    version.normalization = "raw"
    (written,) = histogram_document(histogram, [entry._replace(element="a_", display="a_")])["entries"]
    assert (written["element"], written["name"]) == ("a_", "")


WORD_FIELDS = "first_seen last_seen is_new may_be_prefix lacks_last_letter_of verdict dictionary kind".split()


@pytest.fixture
def words() -> dict[str, Any]:
    """A document of three discovered words, one of which was accepted."""
    version = define_search()
    find(version, ["lov", "yeet", "=skibi"])
    change_word("yeet", first_day="2026-03-01", last_day="2026-03-04", is_new=True)
    WordDecision.objects.create(
        use_case=version.use_case,
        locale="en_US",
        word="yeet",
        verdict="accepted",
        dictionary="slang",
        kind="seasonal",
        note="=secret",
    )
    document = histogram_view(version.use_case, HistogramQuery()).document()
    assert document is not None
    return document


def test_words_have_fields_of_their_own_behind_those_of_all(words: dict[str, Any]) -> None:
    assert list(words)[: len(FIELDS) - 1] == FIELDS[:-1]
    assert {name: words[name] for name in ("words", "capped", "strictness")} == {
        "words": "not rejected",
        "capped": False,
        "strictness": 1,
    }
    assert words["dictionary_revision"] is None
    assert words["reports_by_position"] == SEARCHED["reports"]
    assert {name: words[name] for name in SEARCHED if name not in {"reports", "f2"}} == {
        name: value for name, value in SEARCHED.items() if name not in {"reports", "f2"}
    }
    assert [list(each) for each in words["entries"]] == [ENTRY_FIELDS + WORD_FIELDS] * 3
    assert [[each[name] for name in ("element", *WORD_FIELDS)] for each in words["entries"]] == [
        ["lov", None, None, False, False, "love", "undecided", "", ""],
        ["yeet", "2026-03-01", "2026-03-04", True, False, "", "accepted", "slang", "seasonal"],
        ["=skibi", None, None, False, True, "", "undecided", "", ""],
    ]
    assert json.loads(json.dumps(words)) == words


def test_what_people_wrote_about_words_is_not_exported(words: dict[str, Any]) -> None:
    assert "secret" not in json.dumps(words) + lines(words)


def test_words_as_csv_say_the_same(words: dict[str, Any]) -> None:
    rows = list(csv.DictReader(lines(words).splitlines()))
    assert [row["element"] for row in rows] == ["lov", "yeet", "'=skibi"]
    assert [rows[1][name] for name in WORD_FIELDS] == [
        "2026-03-01",
        "2026-03-04",
        "true",
        "false",
        "",
        "accepted",
        "slang",
        "seasonal",
    ]
    assert [rows[0][name] for name in WORD_FIELDS] == ["", "", "false", "false", "love", "undecided", "", ""]
    assert (rows[0]["cuts"], rows[0]["kept"], rows[0]["capped"]) == ("110.5 120.0 130.25", "7 8 9", "false")
    assert (rows[0]["dictionary_revision"], rows[0]["candidates"], rows[0]["fragment_k"]) == ("", "55", "64")


def test_no_two_columns_have_one_name(words: dict[str, Any]) -> None:
    header = next(csv.reader(lines(words).splitlines()))
    assert len(header) == len(set(header))


@pytest.mark.parametrize(("column", "text"), [("lacks_last_letter_of", "=1+1"), ("dictionary", "-2-3")])
def test_what_is_said_of_a_word_is_no_formula_either(words: dict[str, Any], column: str, text: str) -> None:
    words["entries"][0][column] = text
    (row, *_rest) = csv.DictReader(lines(words).splitlines())
    assert row[column] == f"'{text}"
