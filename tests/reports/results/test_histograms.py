"""Histograms of dictionaries are a cache: made once, again when they are stale, and the same for all readers."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reports.models import Histogram, UseCase, Version
from reports.publication import window_of
from reports.results import histograms_of
from tests.reports.small_fleet import aggregate, days_ago, define, estimates, send
from tests.reports.threads import together
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def shown(version: Version) -> Histogram:
    return shown_between(version)


def shown_between(version: Version, *ago: int) -> Histogram:
    version = Version.objects.select_related("use_case").get(pk=version.pk)
    window, revision = window_of(version, "en_US", *map(days_ago, ago)), version.current_dictionary()
    assert window is not None
    assert revision is not None
    return histograms_of([(window, revision)])[0]


@pytest.fixture
@once
def version(db: None) -> Version:
    version = define()
    send(version, 300)
    return aggregate(version).version


def test_what_was_made_ahead_is_shown_and_what_was_dropped_is_made_again_the_same(version: Version) -> None:
    first = Histogram.objects.get()
    assert shown(version) == first
    before = (first.generated_at, first.threshold, estimates(first))
    Histogram.objects.all().delete()
    again = shown(version)
    assert (again.generated_at, again.threshold, estimates(again)) == before
    assert shown(version) == again == Histogram.objects.get()


def test_a_run_drops_long_windows_that_ended_a_month_ago_and_they_are_made_again(db: None) -> None:
    """Windows over all days are others each day, and would add up. Days and weeks stay, which trends are made of."""
    version = define()
    for ago in (60, 50, 40, 20):
        send(version, 300, day=days_ago(ago), seed=ago)
        aggregate(version)
    spans = {(days_ago(60), days_ago(last)): estimates(shown_between(version, 60, last)) for last in (50, 40, 20)}
    send(version, 300, day=days_ago(1))
    aggregate(version)
    ungrouped = Histogram.objects.ungrouped().values_list("first_day", "last_day")
    assert set(ungrouped) & spans.keys() == {(days_ago(60), days_ago(20))}
    assert {(days_ago(ago), days_ago(ago)) for ago in (60, 50, 40, 20, 1)} <= set(ungrouped)
    assert estimates(shown_between(version, 60, 40)) == spans[days_ago(60), days_ago(40)]


@pytest.mark.parametrize("change", ["period", "dictionary", "false_positive_rate", "prescribed_threshold"])
def test_what_is_stale_is_made_anew_in_its_place(version: Version, change: str) -> None:
    stale = shown(version)
    if change == "period":
        send(version, 200, seed=3)
        aggregate(version)
    elif change == "dictionary":
        define(dictionary=["apple"])
    else:
        UseCase.objects.update(**{change: {"false_positive_rate": 0.5, "prescribed_threshold": 100}[change]})
    made = shown(version)
    assert made.pk != stale.pk
    assert Histogram.objects.get() == made
    assert made.n == (500 if change == "period" else 300)


def test_many_who_ask_at_once_are_shown_one(transactional_db: None) -> None:
    version = define()
    send(version, 300, day=days_ago(1))
    aggregate(version)
    Histogram.objects.all().delete()
    found = together(4, lambda: shown(version))
    assert len({histogram.pk for histogram in found}) == Histogram.objects.count() == 1
    assert len(estimates(Histogram.objects.get())) == 3


def test_windows_that_are_kept_cost_no_query_each(version: Version) -> None:
    for day in (3, 2, 1):
        send(version, 300, day=days_ago(day))
    aggregate(version)
    revision = version.current_dictionary()
    assert revision is not None
    found = [window_of(version, "en_US", days_ago(first), days_ago(0)) for first in (3, 2, 1, 0)]
    windows = [(window, revision) for window in found if window is not None]
    made = histograms_of(windows)
    assert [histogram.n for histogram in made] == [1200, 900, 600, 300]
    with CaptureQueriesContext(connection) as queries:
        assert histograms_of(windows) == made
    assert len(queries) == 1
