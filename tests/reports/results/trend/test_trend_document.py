"""A trend as a document and as a file: a line for each window and element."""

import csv
import io
import json
from typing import Any

import pytest

from reports.models import Annotation
from reports.results import csv_parts
from reports.results.trend.trend_document import POINT_FIELDS, points_table, trend_document
from reports.results.trend.trend_view import TrendView
from tests.reports.results.trend.seen import see
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def document(view: TrendView) -> dict[str, Any]:
    found = trend_document(view)
    assert found is not None
    written: dict[str, Any] = json.loads(json.dumps(found))
    return written


def test_nothing_below_the_threshold_leaves_in_a_document(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 5000})
    (point,) = document(see(version, elements=("fig",), first=days_ago(1)))["points"]
    empty = {name for name, value in point.items() if value is None}
    numbers = {"estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper", "rank"}
    assert empty == numbers | {"share", "share_lower", "share_upper", "prescribed_threshold"}
    assert point["share_at_most"] == point["at_most"] / point["n"]


def test_the_file_has_a_line_for_each_window_and_element(db: None) -> None:
    version = define()
    publish_day(version, 2, {"apple": 5000, "fig": 100})
    publish_day(version, 1, {"apple": 4000})
    Annotation.objects.create(use_case=version.use_case, day=days_ago(1), text="release")
    Annotation.objects.create(use_case=None, day=days_ago(2), text="holiday")
    Annotation.objects.create(use_case=define(slug="other").use_case, day=days_ago(2), text="of another")
    found = document(see(version, elements=("fig", "apple"), first=days_ago(3)))
    assert [(each["last_day"], each["element"], each["state"], each["estimate"]) for each in found["points"]] == [
        (days_ago(3).isoformat(), "fig", "not-yet", None),
        (days_ago(3).isoformat(), "apple", "not-yet", None),
        (days_ago(2).isoformat(), "fig", "above-threshold", 100),
        (days_ago(2).isoformat(), "apple", "above-threshold", 5000),
        (days_ago(1).isoformat(), "fig", "below-threshold", None),
        (days_ago(1).isoformat(), "apple", "above-threshold", 4000),
    ]
    assert [(each["text"], each["of_every_use_case"]) for each in found["annotations"]] == [
        ("holiday", True), ("release", False),
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO("".join(csv_parts(points_table(found))))))
    for row, point in zip(rows, found["points"], strict=True):
        assert {name: row[name] for name in POINT_FIELDS} == {
            name: "" if value is None else str(value) for name, value in point.items()
        }
        assert (row["locale"], row["use_case"], row["epsilon"]) == ("en_US", "fruits", "8")


def test_what_is_not_counted_is_said_with_the_day_from_which_on_it_is(db: None) -> None:
    before = define().current_dictionary()
    version = define(dictionary=["apple", "kiwi"])
    publish_day(version, 3, {"apple": 5000}, revision=before)
    publish_day(version, 2, {"apple": 5000, "kiwi": 400})
    found = document(see(version, elements=("kiwi", "apple"), first=days_ago(4)))
    named = {"locale": "en_US", "element": "kiwi", "display": "kiwi", "since": days_ago(2).isoformat()}
    assert found["not_counted"] == [named]
    of_kiwi = [point for point in found["points"] if point["element"] == "kiwi"]
    assert [(point["state"], point["estimate"], point["at_most"]) for point in of_kiwi] == [
        ("not-yet", None, None), ("not-counted", None, None), ("above-threshold", 400, None),
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO("".join(csv_parts(points_table(found))))))
    assert {(row["not_counted"], row["not_counted_elements"]) for row in rows} == {("1", json.dumps([named]))}
