"""Which window of discovered words is shown; runs publish them, pages only choose."""

from typing import Any

import pytest

from reports.models import Histogram, Run, UseCase, Version
from reports.results import HistogramQuery, State, histogram_view
from reports.runs import start_run
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def view(**parameters: str) -> Any:
    query = HistogramQuery.from_parameters({name.rstrip("_"): value for name, value in parameters.items()})
    return histogram_view(UseCase.objects.get(), query)


def days(first: int, last: int) -> dict[str, str]:
    return {"from_": str(days_ago(first)), "to": str(days_ago(last))}


@pytest.fixture
def version() -> Version:
    """Reports of three days, none of them sealed."""
    version = define_words()
    for day in (4, 3, 2):
        send_words(version, 400, day=days_ago(day), seed=day)
    return version


def test_states_follow_the_life_of_a_search() -> None:
    version = define_words()
    assert view().state == State.NO_DATA
    send_words(version, 400)
    assert view().state == State.WAITING
    run = start_run(version, ring=False)
    assert (view().state, view().run) == (State.WAITING, run)
    Run.objects.update(state=Run.State.FAILED)
    assert view().state == State.FAILED
    Run.objects.update(state=Run.State.WAITING)
    aggregate(version)
    assert (view().state, view().run) == (State.SHOWN, None)
    assert [row.display for row in view().rows] == ["lol", "able", "it's", "o"]
    assert view(locale="fr_FR").state == State.NO_DATA


def test_a_page_makes_no_window(version: Version) -> None:
    aggregate(version)
    made = Histogram.objects.count()
    for first, last in ((4, 3), (3, 3)):
        found = view(**days(first, last))
        assert (found.state, found.histogram, found.rows) == (State.NOT_SEARCHED, None, ())
    assert view(from_=str(days_ago(3))).state == State.NOT_SEARCHED
    assert Histogram.objects.count() == made


def test_the_same_days_asked_for_in_a_wider_way_are_the_same_window(version: Version) -> None:
    aggregate(version)
    newest = view().histogram
    assert (newest.first_day, newest.last_day, newest.n) == (days_ago(4), days_ago(2), 1200)
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(9, 0)).histogram == newest
    assert view(to=str(days_ago(1))).histogram == newest
    assert view(**days(9, 5)).state == State.NO_DATA


def test_a_list_stays_reachable_when_more_reports_have_come(version: Version) -> None:
    aggregate(version)
    newest = view().histogram
    send_words(version, 400, day=days_ago(1))
    assert view().histogram == newest
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(4, 1)).state == State.NOT_SEARCHED


def test_below_the_minimum_nothing_is_shown_however_it_is_asked_for() -> None:
    version = define_words()
    send_words(version, 99, day=days_ago(2))
    aggregate(version)
    assert (view().state, view().histogram) == (State.BELOW_MINIMUM, None)
    assert view(**days(2, 2)).state == State.BELOW_MINIMUM
    assert view(**days(5, 2)).state == State.BELOW_MINIMUM
    send_words(version, 500, day=days_ago(1))
    assert view().state == State.WAITING
    assert view(**days(2, 1)).state == State.NOT_SEARCHED


def test_a_window_that_would_single_out_a_few_is_below_the_minimum() -> None:
    version = define_words()
    send_words(version, 400, day=days_ago(3))
    send_words(version, 400, day=days_ago(2))
    send_words(version, 50, day=days_ago(1))
    aggregate(version, days_ago(3), days_ago(2))
    aggregate(version, days_ago(3), days_ago(1))
    assert view(**days(3, 1)).state == State.BELOW_MINIMUM
    assert view().histogram.n == 800


def test_a_run_of_other_days_is_not_waited_for(version: Version) -> None:
    aggregate(version, days_ago(4), days_ago(4))
    start_run(version, days_ago(3), days_ago(2), ring=False)
    assert view(**days(3, 2)).state == State.WAITING
    assert view(**days(3, 3)).state == State.NOT_SEARCHED
    assert view().histogram.n == 400


def test_ranks_and_n_do_not_change_with_what_is_asked_for(version: Version) -> None:
    aggregate(version)
    everything = view().document()
    for name in ("all", "undecided", "new", "accepted"):
        found = view(words=name)
        assert (found.total, found.histogram.n) == (4, 1200)
        assert all(entry in everything["entries"] for entry in found.document()["entries"])
