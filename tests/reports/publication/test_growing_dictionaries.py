"""An element is added when most raw reports are gone: windows of those days stay, and say that it is not counted."""

import csv
import io
import json
from typing import Any

import pyarrow.parquet
import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.formatting import day_range
from reports.models import Histogram, ReadOut, Shard, UseCase, Version
from reports.publication import count_window, window_of
from reports.results import HistogramQuery, histogram_view
from reports.results.comparison import ComparisonQuery, comparison_view
from reports.storage import open_array
from tests.reports.small_fleet import FRUITS, aggregate, days_ago, define, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

KNOWN = FRUITS[1:]
ADDED = FRUITS[0]
DAYS, KEPT = 28, 2
PAGE = "/use-cases/fruits/"
NUMBERS = ("element", "estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper")


def expire(version: Version, keep: int) -> None:
    """Delete as retention does: nothing is left of days before the last few."""
    gone = Shard.objects.filter(version=version, day__lt=days_ago(keep))
    version.runs.all().delete()
    gone.delete()


@once
def counted() -> Version:
    version = define(dictionary=list(KNOWN))
    for day in range(1, DAYS + 1):
        send(version, 110, day=days_ago(day), seed=day)
    aggregate(version)
    expire(version, KEPT)
    return version


@once
def grown() -> Version:
    counted()
    return aggregate(define(dictionary=[ADDED, *KNOWN])).version


def view(**query: Any) -> Any:
    return histogram_view(UseCase.objects.get(), HistogramQuery(**query))


def rows(found: Any) -> list[tuple[object, ...]]:
    return [tuple(getattr(entry, name) for name in NUMBERS) for entry in found.histogram.entries]


def windows() -> tuple[dict[str, Any], ...]:
    return (
        {},
        {"days": 7},
        {"first": days_ago(9), "last": days_ago(5)},
        {"first": days_ago(DAYS), "last": days_ago(DAYS)},
    )


def test_windows_stay_as_they_were_and_name_the_element_that_they_do_not_count() -> None:
    counted()
    asked = windows()
    before = [(rows(found), found.histogram.f2, found.histogram.threshold) for found in (view(**w) for w in asked)]
    aggregate(define(dictionary=[ADDED, *KNOWN]))
    for window, known in zip(asked, before, strict=True):
        found = view(**window)
        assert (rows(found), found.histogram.f2, found.histogram.threshold) == known
        assert [(each.element, each.since) for each in found.not_counted] == [(ADDED, days_ago(KEPT))]
        # Thresholds and intervals are of the elements that are counted in all of it.
        assert found.histogram.below_threshold + found.total == len(KNOWN)
    newest = view(days=KEPT)
    assert newest.not_counted == ()
    assert ADDED in {entry.element for entry in newest.histogram.entries}
    assert newest.histogram.below_threshold + newest.total == len(FRUITS)


def test_until_it_is_counted_it_is_counted_nowhere() -> None:
    counted()
    define(dictionary=[ADDED, *KNOWN])
    assert [(each.element, each.since) for each in view(days=KEPT).not_counted] == [(ADDED, None)]


def test_a_window_over_days_before_and_after_is_the_exact_sum() -> None:
    version = counted()
    before = {read_out.day: open_array(read_out.file_name).tolist() for read_out in ReadOut.objects.all()}
    aggregate(define(dictionary=[ADDED, *KNOWN]))
    after = {read_out.day: open_array(read_out.file_name).tolist() for read_out in ReadOut.objects.all()}
    revision = version.current_dictionary()
    assert revision is not None
    for day, counts in after.items():
        # Recounted where the reports are there: S(d) does not depend on the other elements.
        assert counts == before[day] if day < days_ago(KEPT) else counts[1:] == before[day]
    window = window_of(version, "en_US")
    assert window is not None
    found = count_window(window, revision)
    assert found.positions.tolist() == list(range(1, len(FRUITS)))
    assert found.counts.tolist() == [sum(column) for column in zip(*before.values(), strict=True)]


def test_an_element_that_is_taken_out_is_gone_and_comes_back_as_it_was() -> None:
    version = counted()
    before = rows(view())
    define(dictionary=list(KNOWN[1:]))
    assert KNOWN[0] not in {entry.element for entry in view().histogram.entries}
    define(dictionary=list(KNOWN))
    assert rows(view()) == before
    assert view().not_counted == ()
    assert version.dictionary_revisions.count() == 3


def test_elements_of_another_dictionary_altogether_leave_nothing_to_show() -> None:
    counted()
    define(dictionary=["quince", "medlar"])
    found = view()
    assert (found.state, found.total) == ("none-above-threshold", 0)
    assert {each.element for each in found.not_counted} == {"quince", "medlar"}


def test_a_comparison_leaves_it_out_and_says_so() -> None:
    grown()
    query = ComparisonQuery.from_parameters({
        "locale": "en_US", "from": str(days_ago(KEPT)), "to": str(days_ago(1)),
        "other-locale": "en_US", "other-from": str(days_ago(9)), "other-to": str(days_ago(3)),
    })  # fmt: skip
    found = comparison_view(UseCase.objects.get(), query)
    assert [(each.element, each.since) for each in found.not_counted] == [(ADDED, days_ago(KEPT))]
    assert ADDED not in {row.element for row in found.rows}
    assert (found.document() or {})["not_counted"] == [
        {"element": ADDED, "display": ADDED, "since": days_ago(KEPT).isoformat()}
    ]


def test_page_picture_files_and_api_say_it(client: Client, bob: User) -> None:
    grown()
    client.force_login(bob)
    said = [{"element": ADDED, "display": ADDED, "since": days_ago(KEPT).isoformat()}]
    page = client.get(PAGE).content.decode()
    words = f"Not counted before {day_range(days_ago(KEPT), days_ago(KEPT))}, and so in no number here"
    assert page.count(words) >= 2, "below the heading, and in pictures of the chart"
    for address in (f"{PAGE}histogram.json", "/api/v1/use-cases/fruits/histogram/"):
        document = client.get(address).json()
        assert document["not_counted"] == said
        assert ADDED not in {entry["element"] for entry in document["entries"]}
    for line in csv.DictReader(io.StringIO(client.get(f"{PAGE}histogram.csv").getvalue().decode())):
        assert line["element"] != ADDED
        assert (line["not_counted"], json.loads(line["not_counted_elements"])) == ("1", said)
    table = pyarrow.parquet.read_table(io.BytesIO(client.get(f"{PAGE}histogram.parquet").content))
    assert set(table.column("not_counted").to_pylist()) == {1}
    trend = client.get(f"{PAGE}trend.json", {"element": ADDED}).json()
    by_day = {point["first_day"]: point for point in trend["points"]}
    old, new = by_day[str(days_ago(KEPT + 1))], by_day[str(days_ago(KEPT))]
    assert (old["state"], old["estimate"], old["at_most"]) == ("not-counted", None, None)
    assert new["state"] == "above-threshold"
    assert [(each["element"], each["since"]) for each in trend["not_counted"]] == [(ADDED, str(days_ago(KEPT)))]


def test_a_cache_that_is_dropped_is_made_again_as_it_was() -> None:
    counted()
    before = [rows(view(**window)) for window in windows()]
    Histogram.objects.all().delete()
    assert [rows(view(**window)) for window in windows()] == before
