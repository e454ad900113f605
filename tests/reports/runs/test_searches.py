"""The shown window of discovered words; runs publish them, pages only choose."""

from typing import Any

import pytest

from reports.models import Histogram, Part, Run, UseCase, Version
from reports.results import HistogramQuery, State, histogram_view
from reports.runs import start_run
from reports.runs.searches import days_to_search, outcomes
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def view(**parameters: str) -> Any:
    query = HistogramQuery.from_parameters({name.rstrip("_"): value for name, value in parameters.items()})
    return histogram_view(UseCase.objects.get(), query)


def days(first: int, last: int) -> dict[str, str]:
    return {"from_": str(days_ago(first)), "to": str(days_ago(last))}


@pytest.fixture
@once
def version(db: None) -> Version:
    """Reports of three days, none of them sealed."""
    version = define_words()
    for day in (4, 3, 2):
        send_words(version, 400, day=days_ago(day), seed=day)
    return version


@pytest.fixture
@once
def searched(version: Version) -> Version:
    return aggregate(version).version


def test_until_there_is_a_period_the_state_is_the_same() -> None:
    version = define_words()
    assert view().state == State.NOT_YET
    send_words(version, 400)
    assert view().state == State.NOT_YET
    run = start_run(version, ring=False)
    assert (view().state, view().run) == (State.NOT_YET, run)
    Run.objects.update(state=Run.State.FAILED)
    assert view().state == State.NOT_YET
    Run.objects.update(state=Run.State.WAITING)
    aggregate(version)
    assert (view().state, view().run) == (State.SHOWN, None)
    assert [row.display for row in view().rows] == ["lol", "able", "it's", "o"]
    assert view(locale="fr_FR").state == State.NOT_YET


def test_a_page_makes_no_window(searched: Version) -> None:
    made = Histogram.objects.count()
    for first, last in ((4, 3), (3, 3)):
        found = view(**days(first, last))
        assert (found.state, found.histogram, found.rows) == (State.NOT_SEARCHED, None, ())
    assert view(from_=str(days_ago(3))).state == State.NOT_SEARCHED
    assert Histogram.objects.count() == made


def test_the_same_days_asked_for_in_a_wider_way_are_the_same_window(searched: Version) -> None:
    newest = view().histogram
    assert (newest.first_day, newest.last_day, newest.n) == (days_ago(4), days_ago(2), 1200)
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(9, 0)).histogram == newest
    assert view(to=str(days_ago(1))).histogram == newest
    assert view(**days(9, 5)).state == State.NOT_YET


def test_a_list_stays_reachable_when_more_reports_have_come(searched: Version) -> None:
    newest = view().histogram
    send_words(searched, 400, day=days_ago(1))
    assert view().histogram == newest
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(4, 1)).histogram == newest, "nothing else is released in these days"
    aggregate(searched, days_ago(1))
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(4, 1)).state == State.NOT_SEARCHED


def test_below_the_minimum_nothing_is_shown_however_it_is_asked_for() -> None:
    version = define_words()
    send_words(version, 99, day=days_ago(2))
    aggregate(version)
    assert (view().state, view().histogram) == (State.NOT_YET, None)
    assert view(**days(2, 2)).state == State.NOT_YET
    assert view(**days(5, 2)).state == State.NOT_YET
    send_words(version, 500, day=days_ago(1))
    assert view().state == State.NOT_YET
    aggregate(version)
    assert (view().state, view().histogram.n) == (State.SHOWN, 599)
    send_words(version, 50)
    aggregate(version, days_ago(2))
    assert view(**days(2, 0)).histogram.n == 599, "a few newer ones wait for more"
    assert view(**days(0, 0)).state == State.NOT_YET
    assert view(**days(2, 2)).state == State.NOT_YET


def test_a_lower_minimum_makes_it_worth_while_to_look_again() -> None:
    """No words were looked for, because there was nothing that could have been published."""
    version = define_words(minimum_reports=1000)
    for day in (9, 2, 1):
        send_words(version, 200, day=days_ago(day), seed=day)
    aggregate(version, days_ago(9))
    assert not Part.objects.filter(step=Part.Step.WORDS).exists()
    assert (view().state, view(**days(9, 1)).state) == (State.NOT_YET, State.NOT_YET)
    define_words(minimum_reports=400)
    assert (view().state, view(**days(9, 1)).state) == (State.NOT_SEARCHED, State.NOT_SEARCHED)
    # The newest period is longer than the last days, in which words are looked for by default.
    aggregate(Version.objects.get())
    assert (view().state, view().histogram.n) == (State.SHOWN, 400)
    assert (view().histogram.first_day, view().histogram.last_day) == (days_ago(9), days_ago(2))


def test_ranks_and_n_do_not_change_with_what_is_asked_for(searched: Version) -> None:
    everything = view().document()
    for name in ("all", "undecided", "new", "accepted"):
        found = view(words=name)
        assert (found.total, found.histogram.n) == (4, 1200)
        assert all(entry in everything["entries"] for entry in found.document()["entries"])


def test_a_few_reports_of_today_do_not_keep_the_days_before_from_being_shown(version: Version) -> None:
    before = {days_ago(day) for day in (4, 3, 2)}
    send_words(version, 99)
    assert days_to_search(version) == before
    run = aggregate(version)
    assert (run.first_day, run.last_day) == (days_ago(4), days_ago(2))
    assert view().histogram.last_day == days_ago(2)
    # Enough in one locale is enough to look.
    send_words(version, 1)
    assert days_to_search(version) == {*before, days_ago(0)}


def test_today_alone_is_searched_however_few_there_are() -> None:
    version = define_words()
    send_words(version, 10)
    assert days_to_search(version) == {days_ago(0)}


def test_what_came_of_a_run_in_each_locale(version: Version) -> None:
    send_words(version, 99, locale="fr_FR", day=days_ago(2))
    run = aggregate(version)
    found = {outcome.locale: outcome.histogram for outcome in outcomes(run)}
    assert found == {"en_US": Histogram.objects.get(), "fr_FR": None}
