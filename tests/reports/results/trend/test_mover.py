"""The element beside the largest, if none are chosen: the one that changed most, of what is published."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from reports.models import Histogram, HistogramEntries, UseCase
from reports.results.trend.query import TrendQuery
from reports.results.trend.trend_view import TrendView, trend_view
from reports.words import Decided, decide
from tests.reports.entries import change_entries
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

LARGEST = {"a": 5000, "b": 4000, "c": 3000, "d": 2000}
DICTIONARY = [*LARGEST, "e", "f", "g", "h"]


def see(slug: str = "fruits", **parameters: object) -> TrendView:
    return trend_view(UseCase.objects.get(slug=slug), TrendQuery(**parameters))  # type: ignore[arg-type]


def shown(view: TrendView) -> list[str]:
    return [series.element.text for series in view.series]


def test_the_one_whose_share_changed_most_is_added() -> None:
    version = define(dictionary=DICTIONARY)
    publish_day(version, 9, LARGEST | {"e": 1000, "f": 300, "g": 700})
    # In between more happens, which is over.
    publish_day(version, 5, LARGEST | {"e": 100, "f": 300, "g": 700})
    # Twice as many reports, because shares are compared.
    publish_day(
        version, 1, {name: 2 * count for name, count in LARGEST.items()} | {"e": 1800, "f": 200, "g": 1400}, n=20_000
    )
    view = see()
    assert view.mover is not None
    assert (view.mover.before, view.mover.after) == (0.03, 0.01)
    assert shown(view) == ["a", "b", "c", "d", "f"]
    assert view.mover.element == view.series[-1].element
    # The windows shown count, not all there are.
    assert shown(see(days=5)) == ["a", "b", "c", "d", "e"]


def test_what_was_chosen_is_shown_and_nothing_else() -> None:
    version = define(dictionary=DICTIONARY)
    publish_day(version, 2, LARGEST | {"e": 1000})
    publish_day(version, 1, LARGEST | {"e": 1900})
    view = see(elements=("a",))
    assert (shown(view), view.mover) == (["a"], None)
    assert shown(see()) == ["a", "b", "c", "d", "e"]


def test_what_may_be_noise_is_no_change() -> None:
    version = define(dictionary=DICTIONARY)
    publish_day(version, 2, LARGEST | {"e": 1000})
    # Five are compared: 2.576 standard errors to both sides, of the noise, of collisions and of who reported.
    publish_day(version, 1, LARGEST | {"e": 1120})
    assert see().mover is None
    Histogram.objects.filter(last_day=days_ago(1)).delete()
    publish_day(version, 1, LARGEST | {"e": 1140})
    assert shown(see()) == ["a", "b", "c", "d", "e"]


def test_where_the_histogram_is_dropped_meanwhile_nothing_is_added() -> None:
    version = define(dictionary=DICTIONARY)
    publish_day(version, 2, LARGEST | {"e": 1000})
    newest = publish_day(version, 1, LARGEST | {"e": 1900})
    compared = False

    def drop_it(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        """As a run does at any moment: between what is compared and what that is called."""
        nonlocal compared
        if compared and 'FROM "reports_histogramentries"' in sql and sql.endswith("LIMIT 1"):
            compared = False
            newest.entries.delete()
        if 'FROM "reports_histogramentries" WHERE "reports_histogramentries"."histogram_id" IN (' in sql:
            compared = True
        return execute(sql, *rest)

    with connection.execute_wrapper(drop_it):
        view = see()
    assert not HistogramEntries.objects.filter(histogram=newest)
    assert (view.mover, shown(view)) == (None, ["a", "b", "c", "d"])


def test_what_is_below_a_threshold_at_one_end_is_not_compared() -> None:
    version = define(dictionary=DICTIONARY)
    publish_day(version, 2, LARGEST | {"e": 1000, "g": 200})
    publish_day(version, 1, LARGEST | {"f": 1500, "g": 400})
    assert shown(see()) == ["a", "b", "c", "d", "g"]


def test_weeks_at_both_ends_are_compared_not_their_single_days() -> None:
    version = define(dictionary=DICTIONARY)
    for back in range(1, 22):
        # One swings with the days of the week, the other grows by less than a day's noise.
        weekly = 1900 if back % 7 == 0 else 500
        publish_day(version, back, LARGEST | {"e": weekly, "f": 1000 - 4 * back, "g": 1000 if back != 3 else 0})
        if back == 3:
            found = Histogram.objects.get(last_day=days_ago(3))
            HistogramEntries.of(found, [entry for entry in found.entries if entry.element != "g"]).save()
    view = see(days=21)
    assert shown(view) == ["a", "b", "c", "d", "f"]
    assert view.mover is not None
    assert view.mover.windows == 7
    assert view.mover.before == pytest.approx(0.0928)
    assert view.mover.after == pytest.approx(0.0984)


def test_one_window_is_no_change() -> None:
    version = define(dictionary=DICTIONARY)
    publish_day(version, 1, LARGEST | {"e": 1000})
    assert see().mover is None


def test_a_rejected_word_is_not_added(alice: User) -> None:
    version = define_search()
    words = ["yeet", "yolo", "lol", "able", "o"]
    find(version, [*words, "it's"], first=days_ago(8), last=days_ago(2))
    find(version, words, first=days_ago(7), last=days_ago(1))
    last = {"histogram__last_day": days_ago(1)}
    change_entries(lambda entry: entry.display == "o", of=last, estimate=1.0, standard_error=0.5)
    assert shown(see("slang")) == words
    decide(alice, UseCase.objects.get(slug="slang"), "en_US", [Decided("o", "rejected")])
    assert shown(see("slang")) == words[:-1]


def test_it_is_looked_for_once(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    version = define(dictionary=DICTIONARY)
    for back in range(1, 20):
        publish_day(version, back, LARGEST | {"e": 1000 + 50 * back})
    see(days=19)
    with django_assert_num_queries(9):
        view = see(days=19)
    assert view.mover is not None
