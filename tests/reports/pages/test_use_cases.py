"""The page of a use case: one query for page and exports, one address for each view, and a page for each state."""

import csv
import io
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reports.models import Histogram, HistogramEntry, Run, Version
from reports.runs import start_run
from tests.reports.small_fleet import aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/"


def words(response: Any) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def table(response: Any) -> list[str]:
    """The elements of the table, in its order."""
    return re.findall(r'<span class="element"[^>]*>([^<]*)<', response.content.decode())


def chart(response: Any) -> dict[str, Any]:
    found = re.search(r'<script id="chart-figure" type="application/json">(.*?)</script>', response.content.decode())
    assert found is not None
    figure: dict[str, Any] = json.loads(found[1])
    return figure


def exported(client: Client, response: Any, form: str) -> Any:
    found = re.search(rf'href="([^"]*histogram\.{form}\?[^"]*)"', response.content.decode())
    assert found is not None
    answer = client.get(found[1].replace("&amp;", "&"))
    assert answer.status_code == 200
    content = answer.getvalue().decode()
    return json.loads(content) if form == "json" else list(csv.DictReader(io.StringIO(content)))


@pytest.mark.usefixtures("published")
def test_page_csv_and_json_have_the_same_rows(as_bob: Client) -> None:
    for query in ("", "?sort=-name", "?q=an", "?sort=-rank&top=10", f"?from={days_ago(1)}&to={days_ago(1)}"):
        response = as_bob.get(PAGE + query)
        shown = table(response)
        assert shown
        assert [row["element"] for row in exported(as_bob, response, "csv")] == shown
        document = exported(as_bob, response, "json")
        assert [entry["element"] for entry in document["entries"]] == shown
        assert len(chart(response)["data"][0]["x"]) == len(shown)


@pytest.mark.usefixtures("published")
def test_an_export_says_in_full_what_it_is(as_bob: Client) -> None:
    document = exported(as_bob, as_bob.get(PAGE), "json")
    assert (document["n"], document["locale"], document["version"]) == (800, "en_US", 1)
    assert (document["first_day"], document["last_day"]) == (str(days_ago(2)), str(days_ago(1)))
    assert "top=20" in words(as_bob.get(PAGE))


@pytest.mark.usefixtures("published")
def test_one_view_has_one_address(as_bob: Client) -> None:
    sent = {"locale": "en_US", "from": "", "to": "", "top": "20", "q": " apple ", "version": "1", "utm": "x"}
    response = as_bob.get(PAGE, sent)
    assert response.headers["Location"] == PAGE + "?q=apple"
    assert table(as_bob.get(PAGE + "?q=apple")) == ["apple"]
    assert as_bob.get(PAGE, {"top": "20"}).headers["Location"] == PAGE


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("query", ["top=0", "top=201", "from=yesterday", "locale=xx", "version=9", "sort=size"])
def test_what_cannot_be_understood_is_said(query: str, as_bob: Client) -> None:
    response = as_bob.get(f"{PAGE}?{query}")
    assert response.status_code == 400
    assert f"<strong>{query.partition('=')[0]}</strong>" in words(response)
    if query != "top=201":  # only a page has so many at most
        assert as_bob.get(f"{PAGE}histogram.csv?{query}").status_code == 400


@pytest.mark.usefixtures("published")
def test_the_caption_says_how_to_read_it(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    assert "Estimated share of reports, not of people; 95 % intervals, adjusted for showing only the largest." in page
    assert re.search(r"Elements under T = \d+ reports are not shown", page)
    assert "elements are below it" in page
    assert "<dd>800</dd>" in page


def test_each_state_has_its_own_words(version: Version, as_alice: Client, as_bob: Client) -> None:
    assert "No reports yet" in words(as_bob.get(PAGE))
    send(version, 99, day=days_ago(2))
    assert "Aggregate now" not in words(as_bob.get(PAGE))
    assert "have not been counted" in words(as_alice.get(PAGE))
    assert "Aggregate now" in words(as_alice.get(PAGE))
    run = start_run(version, ring=False)
    assert "The reports are being counted" in words(as_bob.get(PAGE))
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    page = words(as_bob.get(PAGE))
    assert "The run failed" in page
    assert "The disk is full." in page
    assert "Retry" not in page
    assert "Retry" in words(as_alice.get(PAGE))
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert "Too few reports to show" in page
    assert "99" not in re.sub(r'<input[^>]*name="csrf[^>]*>', "", page)


def test_all_below_the_threshold_is_said(as_bob: Client) -> None:
    version = define(dictionary=["quince"])
    send(version, 1000)
    aggregate(version)
    page = words(as_bob.get(PAGE))
    assert "No element stands out from the noise" in page
    assert "1,000 reports were counted" in page


@pytest.mark.usefixtures("published")
def test_a_newer_run_is_announced_above_the_histogram(version: Version, as_bob: Client) -> None:
    send(version, 200)
    start_run(version, ring=False)
    assert "A newer run is under way" in words(as_bob.get(PAGE))
    Run.objects.filter(state=Run.State.WAITING).update(state=Run.State.FAILED, failure="The disk is full.")
    page = words(as_bob.get(PAGE))
    assert "The latest run failed" in page
    assert "The disk is full." in page
    assert table(as_bob.get(PAGE))


def test_a_use_case_without_versions_says_so(as_alice: Client) -> None:
    Version.objects.filter(pk=define().pk).update(state=Version.State.DRAFT)
    assert "has no active version" in words(as_alice.get(PAGE))


@pytest.mark.usefixtures("published")
def test_search_without_a_hit(as_bob: Client) -> None:
    assert "No element above the threshold is called “<i>”" not in words(as_bob.get(PAGE, {"q": "<i>"}))
    assert "is called “&lt;i&gt;”" in words(as_bob.get(PAGE, {"q": "<i>"}))


def test_elements_are_texts_and_nothing_else(as_bob: Client) -> None:
    hostile = ["<b>bold</b>", "=1+1", '<a href="//example.org">&quot;</a>', "</script><script>alert(1)</script>"]
    version = define(dictionary=hostile)
    make_histogram(version, hostile)
    response = as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}")
    page = response.content.decode()
    for text in ("<b>bold", '<a href="//example.org', "<script>alert"):
        assert text not in page
    labels = chart(response)["layout"]["yaxis"]["ticktext"]
    assert labels[0] == "&lt;b&gt;bold&lt;/b&gt;"
    hovers = chart(response)["data"][0]["hovertext"]
    assert all(re.sub(r"^<b>(.*?)</b><br>", r"\1", hover).replace("<br>", "").count("<") == 0 for hover in hovers)
    rows = exported(as_bob, response, "csv")
    assert [row["element"] for row in rows] == [hostile[0], "'=1+1", *hostile[2:]]


def make_histogram(version: Version, elements: list[str], days: int = 1, locale: str = "en_US") -> None:
    """Published histograms of single days, straight into the database."""
    revision = version.current_dictionary()
    assert revision is not None
    for back in range(1, days + 1):
        day = days_ago(back)
        histogram = Histogram.objects.create(
            version=version, revision=revision, locale=locale, first_day=day, last_day=day, sealings=[], n=10_000,
            alpha=0.05, threshold=50.0, below_threshold=2, generated_at=timezone.now(),
        )  # fmt: skip
        HistogramEntry.objects.bulk_create(
            HistogramEntry(
                histogram=histogram, rank=rank, element=element, display=element, estimate=1000.0 - rank,
                standard_error=20.0, lower=900.0, upper=1100.0, adjusted_lower=880.0, adjusted_upper=1120.0,
            )
            for rank, element in enumerate(elements, 1)
        )  # fmt: skip


def test_the_number_of_queries_does_not_grow(as_alice: Client) -> None:
    address = f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}"
    version = define()
    make_histogram(version, ["apple", "fig"])
    with CaptureQueriesContext(connection) as few:
        assert len(table(as_alice.get(address))) == 2
    many = define(locales=["en_US", "fr_FR", "es_ES", "ar_SA", "de_DE"], slug="many", title="Many",
                  parameters={"epsilon": 8, "k": 1024, "m": 64, "seed": "1f" * 16})  # fmt: skip
    for locale in many.locales:
        make_histogram(many, [f"fruit {number}" for number in range(300)], days=40, locale=locale)
    with CaptureQueriesContext(connection) as more:
        response = as_alice.get(address.replace("fruits", "many") + "&top=200")
    assert len(table(response)) == 200
    assert len(chart(response)["data"][0]["x"]) == 200
    assert len(more) == len(few)
    assert len(few) <= 20
