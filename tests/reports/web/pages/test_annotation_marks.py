"""Annotations in charts over days: numbers that do not hide each other, and the same ones in the list."""

import re
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from reports.models import Annotation, Version
from reports.results.trend import Slot, SlotState
from reports.web.pages.annotation_marks import LEVEL_HEIGHT, MOST_LEVELS, lines, notes, numbers
from tests.reports.small_fleet import days_ago
from tests.reports.trends import publish_day
from tests.reports.web.pages.reading import chart, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def slots(last: int) -> list[Slot]:
    """The days since so many days ago, of which nothing is known."""
    return [Slot(days_ago(back), days_ago(back), SlotState.NOT_YET, Version()) for back in range(last, -1, -1)]


def happened(*back: int) -> list[Annotation]:
    return [Annotation(day=days_ago(each), text=f"Release {each}") for each in sorted(back, reverse=True)]


def marks(*back: int) -> list[dict[str, Any]]:
    return list(numbers(happened(*back), slots(100)))


def test_each_day_has_its_numbers_and_one_line() -> None:
    found = marks(50, 50, 50, 20, 10, 10)
    assert [(mark["text"], mark["x"]) for mark in found] == [
        ("1–3", days_ago(50).isoformat()), ("4", days_ago(20).isoformat()), ("5–6", days_ago(10).isoformat()),
    ]  # fmt: skip
    assert [line["x0"] for line in lines(happened(50, 50, 20))] == [days_ago(50).isoformat(), days_ago(20).isoformat()]
    assert found[0]["hovertext"].count("<br>") == 2


def test_numbers_that_are_near_stand_below_each_other() -> None:
    found = marks(*range(60, 40, -1))
    levels = [-mark["yshift"] // LEVEL_HEIGHT for mark in found]
    assert levels[:2] == [0, 1]
    assert max(levels) < MOST_LEVELS
    for level in set(levels):
        same = [place for place, at in zip(range(20), levels, strict=True) if at == level]
        # On 280 pixels a number of one digit takes six of a hundred days.
        assert all(later - earlier >= 6 for earlier, later in pairwise(same))
    assert [mark["yshift"] for mark in marks(90, 50, 10)] == [0, 0, 0]


def test_where_more_happened_than_fits_nothing_is_lost() -> None:
    year = slots(365)
    found = list(numbers(happened(*range(180, 160, -1)), year))
    assert [mark["text"] for mark in found] == [str(number) for number in range(1, 21)]
    levels = [-mark["yshift"] // LEVEL_HEIGHT for mark in found]
    assert levels[:MOST_LEVELS] == list(range(MOST_LEVELS))
    assert max(levels) == MOST_LEVELS - 1


def test_numbers_stay_inside_the_drawing() -> None:
    assert [mark["xanchor"] for mark in marks(100, 50, 0)] == ["left", "center", "right"]


def test_texts_are_in_the_list_of_a_picture() -> None:
    found = notes([Annotation(day=days_ago(2), text="<b>iOS</b>"), Annotation(day=days_ago(1), text="שלום")])
    first, second = found.splitlines()
    assert first.startswith("1. ")
    assert first.endswith(": <b>iOS</b>")
    assert second.endswith(": \u2068שלום\u2069")
    assert not list(numbers(happened(1), []))


@pytest.mark.parametrize(
    "address", ["/use-cases/fruits/trend/?element=apple", "/use-cases/fruits/elements/?element=apple"]
)
def test_the_list_below_the_chart_has_the_same_numbers(version: Version, as_bob: Client, address: str) -> None:
    for back in range(1, 10):
        publish_day(version, back, {"apple": 3000})
    for back, text in ((2, "Second"), (5, "First"), (2, "Third")):
        Annotation.objects.create(use_case=version.use_case, day=days_ago(back), text=text)
    page = words(as_bob.get(address))
    listed = re.findall(r'<span class="mark">(\d)</span>.*?<bdi>(\w+)</bdi>', page)
    assert listed == [("1", "First"), ("2", "Second"), ("3", "Third")]
    assert 'data-legend="1. ' in page
    if "trend" in address:
        # The last is the name at the end of the line.
        marks = [mark["text"] for mark in chart(as_bob.get(address))["layout"]["annotations"]]
        assert marks == ["1", "2–3", "apple"]
