"""The page of a use case whose elements have categories: in groups, or one category by itself."""

import re

import pytest
from django.test import Client

from reports.models import Version
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import PAGE, chart, exported, table, words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


CATEGORIES = [
    {"element": "apple", "category": "tree"},
    {"element": "banana", "category": "herb"},
    {"element": "cherry", "category": "tree"},
]


@pytest.fixture
@once
def grouped(db: None) -> Version:
    version = define(dictionary=CATEGORIES)
    send(version, 3000, day=days_ago(1))
    aggregate(version)
    return version


@pytest.mark.usefixtures("grouped")
def test_a_grouped_page_says_how_to_read_it(as_bob: Client) -> None:
    response = as_bob.get(PAGE + "?group=category")
    page = words(response)
    assert "Each group is the sum of all its elements, also of those that are not shown" in page
    assert re.search(r"<option value=\"category\" selected>Category</option>", page)
    assert re.search(r"Elements </th>.* T </th>", page)
    numbers = r'</th>(?: <td role="cell" class="number[^>]*>[^<]*</td>){2} <td [^>]*members"[^>]*>(\d+)</td>'
    cells = r'href="([^"]*)"><bdi class="element"[^>]*>(tree|herb)<.*?' + numbers
    rows = re.findall(cells, page)
    assert rows == [("?category=tree", "tree", "2"), ("?category=herb", "herb", "1")]
    shapes = chart(response)["layout"]["shapes"]
    document = exported(as_bob, response, "json")
    thresholds = [100 * entry["threshold"] / 3000 for entry in document["entries"]]
    assert [shape["x0"] for shape in shapes] == pytest.approx(thresholds)
    assert [shape["y1"] for shape in shapes] == [0.42, 1.42]
    assert "sum of 2 elements" in chart(response)["data"][0]["hovertext"][0]
    assert (document["grouping"], document["threshold"]) == ("category", None)


@pytest.mark.usefixtures("grouped")
def test_a_category_is_looked_into_by_its_elements(as_bob: Client) -> None:
    response = as_bob.get(PAGE + "?group=category&category=herb")
    assert response.headers["Location"] == PAGE + "?category=herb"
    response = as_bob.get(PAGE + "?category=herb")
    assert table(response) == ["banana"]
    assert 'name="group"' not in words(response), "there is nothing to choose"
    assert 'name="group"' in words(as_bob.get(PAGE))


def test_elements_in_no_group_are_counted(grouped: Version, as_bob: Client) -> None:
    assert "in no group" not in words(as_bob.get(PAGE + "?group=category"))
    define(dictionary=[*CATEGORIES, "fig", "date"])
    aggregate(grouped)
    assert "2 elements have no category and are in no group." in words(as_bob.get(PAGE + "?group=category"))
    assert "in no group" not in words(as_bob.get(PAGE))


def test_a_changed_dictionary_asks_to_be_counted(grouped: Version, as_alice: Client, as_bob: Client) -> None:
    said = "The dictionary has changed since"
    assert said not in words(as_alice.get(PAGE))
    define(dictionary=[*CATEGORIES, "fig"])
    assert said in words(as_alice.get(PAGE))
    assert "All reports that can be counted now are counted." in words(as_alice.get(PAGE))
    assert said not in words(as_bob.get(PAGE))
    aggregate(grouped)
    assert said not in words(as_alice.get(PAGE))


@pytest.mark.usefixtures("grouped")
def test_categories_are_seen_in_table_chart_and_choice(as_bob: Client) -> None:
    response = as_bob.get(PAGE)
    page = words(response)
    assert page.count('<span class="category" lang="und" dir="auto">tree</span>') == 2
    assert "Category: tree" in chart(response)["data"][0]["hovertext"][0]
    options = re.search(r'<select id="category".*?</select>', page)
    assert options is not None
    assert re.findall(r"<option[^>]*>([^<]*)<", options[0]) == ["All categories", "herb", "tree"]


@pytest.mark.usefixtures("published")
def test_without_categories_and_skin_tones_there_is_nothing_to_choose(as_bob: Client) -> None:
    page = words(as_bob.get(PAGE))
    assert 'name="group"' not in page
    assert 'name="category"' not in page
    assert 'name="locale"' in page


def test_a_category_without_anything_above_the_threshold_says_so(as_bob: Client) -> None:
    version = define(dictionary=[*CATEGORIES, {"element": "fig", "category": "<i>rare</i>"}])
    send(version, 3000)
    aggregate(version)
    page = words(as_bob.get(PAGE, {"category": "<i>rare</i>"}))
    assert "Nothing in this category stands out" in page
    assert "<i>rare" not in page
    assert '<a class="button primary" href="?">Show everything</a>' in page
    assert as_bob.get(PAGE, {"category": "vegetable"}).status_code == 400
    later = {**version.parameters, "seed": "1f" * 16}
    define(dictionary=[{"element": "leek", "category": "vegetable"}], parameters=later)
    response = as_bob.get(PAGE, {"category": "vegetable"})
    assert response.headers["Location"] == PAGE, "only the later version has it"
    assert as_bob.get(PAGE, {"group": "size"}).status_code == 400


def test_no_group_above_its_threshold_is_said(as_bob: Client) -> None:
    publish_day(define(dictionary=[{"element": "quince", "category": "rare"}]), 1, {})
    page = words(as_bob.get(PAGE + "?group=category"))
    assert "No group stands out from the noise" in page
    assert "1 group is below its own" in page
