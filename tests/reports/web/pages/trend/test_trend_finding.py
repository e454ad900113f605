"""The headline of a trend: which of the elements shown changed clearly, and how it is worded."""

import re

import pytest
from django.test import Client

from reports.models import UseCase, Version
from reports.results.trend import TrendQuery, trend_view
from reports.web.pages.trend.trend_finding import finding
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import chart, text_of

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

PAGE = "/use-cases/fruits/trend/"
BEFORE = {"apple": 5000, "banana": 3000, "cherry": 1000, "date": 900}
AFTER = {"apple": 4000, "banana": 3020, "cherry": 1300, "date": 1400}


def found(**asked: object) -> str:
    view = trend_view(UseCase.objects.get(), TrendQuery(**asked))  # type: ignore[arg-type]
    return finding(view).translate({0xA0: " ", 0x2068: None, 0x2069: None})


@pytest.fixture
def changed(version: Version) -> Version:
    """Two days, with one in between that has nothing."""
    publish_day(version, 3, BEFORE)
    publish_day(version, 1, AFTER)
    return version


@pytest.mark.usefixtures("changed")
def test_the_two_that_changed_most_are_named() -> None:
    assert found() == (
        "In English, apple fell from 50.0 to 40.0 % and date rose from 9.0 to 14.0 %, clearly, from the first day to"
        " the last."
    )
    assert found(elements=("cherry", "banana")) == (
        "In English, cherry rose from 10.0 to 13.0 %, clearly, from the first day to the last."
    )


@pytest.mark.usefixtures("changed")
def test_what_may_be_noise_is_said_to_be_no_change() -> None:
    said = "In English, nothing shown here changed clearly from the first day to the last."
    assert found(elements=("banana",)) == said


def test_several_windows_at_each_end_are_said_to_be_compared(version: Version) -> None:
    for back, counts in ((4, BEFORE), (3, BEFORE), (2, AFTER), (1, AFTER)):
        publish_day(version, back, counts)
    assert found(elements=("apple",)).endswith("from the first 2 days to the last 2.")


def test_without_anything_to_compare_it_says_what_is_shown(changed: Version) -> None:
    assert found(first=days_ago(1), last=days_ago(1)).startswith("English, ")
    # Not below the threshold at one end, and no windows of another version.
    assert found(elements=("fig",)).startswith("English, ")
    newer = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16})
    publish_day(newer, 0, {"apple": 100})
    assert found(elements=("apple",)).startswith("English, ")


def test_from_three_elements_on_each_has_its_own_panel(changed: Version, as_bob: Client) -> None:
    page = as_bob.get(f"{PAGE}?element=apple&element=banana&element=cherry&days=3")
    layout = chart(page)["layout"]
    assert layout["meta"]["panels"] == 3
    assert {trace["yaxis"] for trace in chart(page)["data"]} == {"y", "y2", "y3"}
    titles = [re.sub("[\u2068\u2069]", "", note["text"].partition("</b>")[0]) for note in layout["annotations"]]
    assert titles == ["<b>apple", "<b>banana", "<b>cherry"]
    assert "One chart for all" in text_of(page)
    one = chart(as_bob.get(f"{PAGE}?element=apple&element=banana&element=cherry&days=3&facets=off"))["layout"]
    assert "panels" not in one["meta"]
    two = chart(as_bob.get(f"{PAGE}?element=apple&element=banana&days=3"))["layout"]
    assert "panels" not in two["meta"]
